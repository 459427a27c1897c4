/* Texts by their hashes: the topics and the documents of qrels. */
#ifndef IR_TRUNC_IDS_H
#define IR_TRUNC_IDS_H

#include "text.h"

/* entry: from 1; 0 for a slot that is free. */
typedef struct {
    uint32_t hash, entry;
} Slot;

/* No search looks at more slots: crafted texts whose hashes meet are left to others. */
enum { MOST_PROBES = 1024 };

/* Numbers texts in the order of their coming; a power of two of slots, of which a quarter is free at least.
 * size: the bytes of all texts. */
typedef struct {
    Slot *slots;
    size_t width;
    Text *texts;
    size_t count, texts_room, size;
} Ids;

/* The number of a text, which is that of texts before where it is new; -1 where it cannot be added. */
int64_t ids_add(Ids *ids, Text text, uint32_t hash);

/* Its number, or -1. */
int64_t ids_find(const Ids *ids, Text text, uint32_t hash);

void ids_free(Ids *ids);

#endif
