/* The judged documents of every topic of the qrels. */
#ifndef IR_TRUNC_JUDGED_H
#define IR_TRUNC_JUDGED_H

#include "ids.h"

/* Texts one after the other, as Arrow keeps them: text i has the bytes from offsets[i] to offsets[i + 1]. */
typedef struct {
    const int32_t *offsets;
    const char *bytes;
    size_t count;
} Texts;

Text text_of(const Texts *texts, size_t at);

/* keys: topic * documents + document, ascending; grades: one for each. odd: ids that mean something else than
 * a document in every list. */
typedef struct {
    Texts topics, docs, odd;
    const int64_t *keys, *grades;
    size_t count;
} Judgments;

/* The slots of topic q are those from regions[q] to regions[q + 1], a power of two; their entries are numbers of
 * judgments from 1, behind which the odd ids are. The bits of `hashes`, 16 for each slot, tell of most documents
 * that they have no entry. The judgments are the caller's, for as long. */
typedef struct {
    Judgments judgments;
    uint64_t seed;
    Ids topics;
    size_t *regions;
    Slot *slots;
    uint8_t *hashes;
} Judged;

typedef enum { UNJUDGED, JUDGED, ODD } Meaning;

/* False where memory ends, or the judgments do not fit together. */
bool judged_make(Judged *judged, Judgments judgments, uint64_t seed);

/* Where the bit of a hash is among those of a topic. */
static inline uint8_t *judged_byte(const Judged *judged, size_t topic, uint32_t hash, int *bit)
{
    size_t start = judged->regions[topic], bits = 16 * (judged->regions[topic + 1] - start);
    *bit = 1 << (hash & 7);
    return &judged->hashes[2 * start + ((hash & (bits - 1)) >> 3)];
}

/* For a document whose bit is set. */
Meaning judged_slot(const Judged *judged, size_t topic, Text doc, uint32_t hash, int64_t *grade);

/* What a document is for a topic, and where it is judged its grade. */
static inline Meaning judged_find(const Judged *judged, size_t topic, Text doc, uint32_t hash, int64_t *grade)
{
    int bit;
    return *judged_byte(judged, topic, hash, &bit) & bit ? judged_slot(judged, topic, doc, hash, grade) : UNJUDGED;
}

void judged_free(Judged *judged);

#endif
