/* The ranked lists of a run, one after the other: what is kept of each is its length, its judged documents
 * and its first score. */
#ifndef IR_TRUNC_LISTS_H
#define IR_TRUNC_LISTS_H

#include "judged.h"

/* What decides the order of a list: scores as 32-bit or as 64-bit floats, ranks, or the order of coming. */
typedef enum { BY_SCORE, BY_SCORE64, BY_RANK, AS_GIVEN } Order;

typedef struct {
    Order order;
    bool lower_is_better, keep_scores;
} Way;

/* key: the higher one comes first. before: the number, from 1, of the last document above it whose hash has the same
 * end; 0 for none. */
typedef struct {
    Text id;
    double score, key;
    uint32_t hash, before;
} Doc;

/* A list that is complete. start, judged_start: where it begins in the scores and among judged documents. */
typedef struct {
    int64_t topic, length, start, judged, judged_start;
    double first;
} List;

/* The complete lists (List) in the order of the run; of their judged documents ranks and grades (int64);
 * where they are kept, scores of all documents (double). documents: of the lists; rows: of ignored topics, too;
 * several, tied, rounded: lists of several documents, those with one key, those with one key for several scores. */
typedef struct {
    Bytes lists, ranks, grades, scores;
    int64_t documents, rows, several, tied, rounded;
} Found;

/* Columns of lists in the order of the qrels' topics: topics, lengths, offsets of judged documents, their ranks,
 * their grades, starts in the scores (int64), first scores (double). */
enum { TOPIC, LENGTH, OFFSET, RANK, GRADE, START, FIRST, COLUMNS };

/* The list at hand. topic: its number, NO_LIST before the first, from the number of topics on where the qrels do
 * not have it and it is ignored. distinct: whether no document can be in a list twice. sorted: whether the
 * documents are in their order so far. rounded: whether scores that differ have the same key. spare: memory for
 * sorting, then for the hashes (last_of_hash). Texts of documents must live until their list is complete. */
typedef struct {
    const Judged *judged;
    Way way;
    int64_t topic;
    Text name;
    bool distinct, sorted, rounded;
    Doc *docs, *spare;
    size_t count, docs_room, spare_room;
    uint32_t *last_of_hash;
    size_t mask;
    Ids ignored;
    bool *done;
    Found found;
} Lists;

enum { NO_LIST = -1 };

/* All of these are false where it is not sure what the run means, or memory ends. Ids must be UTF-8. */
bool lists_begin(Lists *lists, const Judged *judged, Way way);
bool lists_topic(Lists *lists, Text name);
bool lists_complete(Lists *lists);

/* lists_of and lists_add, too. They are called for every document, and so they are here with what they call. */

/* Goes on with the list of a topic, as it is for nearly every row, or begins it. */
static inline bool lists_of(Lists *lists, Text name)
{
    return (lists->topic != NO_LIST && text_equal(lists->name, name)) || lists_topic(lists, name);
}

static inline double key_of(const Way *way, double score, double rank)
{
    switch (way->order) {
    case BY_SCORE:
        return (float)score;
    case BY_SCORE64:
        return score;
    case BY_RANK:
        return -rank;
    default:
        return 0.0;
    }
}

static inline bool comes_before(const Doc *one, const Doc *other)
{
    return one->key > other->key || (one->key == other->key && text_compare(one->id, other->id) > 0);
}

static inline bool lists_add(Lists *lists, Text id, double score, double rank)
{
    void *docs = lists->docs;
    if (lists->count >= INT32_MAX || !memory_for(&docs, &lists->docs_room, lists->count + 1, sizeof(Doc)))
        return false;
    lists->docs = docs;
    if (lists->way.lower_is_better)
        score = -score + 0.0;
    Doc *doc = &lists->docs[lists->count];
    *doc = (Doc){.id = id, .score = score, .key = key_of(&lists->way, score, rank)};
    lists->sorted = !lists->count++ || (lists->sorted && comes_before(doc - 1, doc));
    return true;
}

/* lists_ordered fills columns that have room for as many values of 64 bits as lists_sizes says; false where memory
 * ends. all: also the empty lists of the topics that the run does not have. */
void lists_sizes(const Lists *lists, bool all, size_t sizes[COLUMNS]);
bool lists_ordered(const Lists *lists, bool all, void *const to[COLUMNS]);

void lists_free(Lists *lists);

#endif
