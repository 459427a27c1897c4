/* Qrels as they are read: their ids, each once, and of each judgment the numbers of these. */
#ifndef IR_TRUNC_QRELS_H
#define IR_TRUNC_QRELS_H

#include "ids.h"

/* topics, docs: ids in the order of their coming, whose bytes are the caller's. topic, doc, grade: of each
 * judgment (int32). */
typedef struct {
    Ids topics, docs;
    Bytes topic, doc, grade;
    uint64_t seed;
} Qrels;

/* False where it is not sure what a judgment means, or memory ends. Ids must be UTF-8. */
bool qrels_add(Qrels *qrels, Text topic, Text doc, double grade);

/* Ids one after the other, and where each begins and the last ends, as Arrow keeps them: `offsets` has room for
 * one more than there are, `bytes` for all. */
void ids_in_one(const Ids *ids, int32_t *offsets, char *bytes);

void qrels_free(Qrels *qrels);

#endif
