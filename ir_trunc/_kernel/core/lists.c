#include "lists.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool lists_begin(Lists *lists, const Judged *judged, Way way)
{
    *lists = (Lists){.judged = judged, .way = way, .topic = NO_LIST};
    lists->done = calloc(judged->judgments.topics.count + 1, sizeof *lists->done);
    return lists->done != NULL;
}

/* A number behind those of the qrels' topics; the name is copied, since it must outlive its list. */
static bool ignored_topic(Lists *lists, Text name, uint32_t hash)
{
    char *copy = malloc(name.size + 1);
    if (!copy)
        return false;
    if (name.size)
        memcpy(copy, name.at, name.size);
    int64_t number = (int64_t)lists->ignored.count;
    if (ids_add(&lists->ignored, (Text){copy, name.size}, hash) != number) {
        free(copy);
        return false;
    }
    lists->topic = (int64_t)lists->judged->judgments.topics.count + number;
    return true;
}

/* Begins the list of a topic that had none. */
bool lists_topic(Lists *lists, Text name)
{
    if (!lists_complete(lists))
        return false;
    uint32_t hash = text_hash(name, lists->judged->seed);
    int64_t known = ids_find(&lists->judged->topics, name, hash);
    lists->name = name;
    if (known < 0)
        return ignored_topic(lists, name, hash);
    if (lists->done[known])
        return false; /* its documents are not contiguous */
    lists->done[known] = true;
    lists->topic = known;
    return true;
}

static bool is_known(const Lists *lists)
{
    return lists->topic < (int64_t)lists->judged->judgments.topics.count;
}

static bool spare_memory(Lists *lists)
{
    void *spare = lists->spare;
    bool enough = memory_for(&spare, &lists->spare_room, lists->docs_room, sizeof *lists->spare);
    lists->spare = spare;
    return enough;
}

enum { FEW = 8 }; /* documents that are quicker to insert than to merge */

/* By merging, which is never slow, whatever the order is that a run comes in. */
static void sort(Doc *docs, Doc *spare, size_t count)
{
    for (size_t at = 1; count <= FEW && at < count; at++) {
        Doc doc = docs[at];
        size_t place = at;
        for (; place && comes_before(&doc, docs + place - 1); place--)
            docs[place] = docs[place - 1];
        docs[place] = doc;
    }
    if (count <= FEW)
        return;
    size_t half = count / 2;
    sort(docs, spare, half);
    sort(docs + half, spare, count - half);
    memcpy(spare, docs, half * sizeof *docs);
    const Doc *left = spare, *middle = spare + half, *right = docs + half, *end = docs + count;
    while (left < middle)
        *docs++ = right < end && comes_before(right, left) ? *right++ : *left++;
}

static bool add_number(Bytes *column, int64_t number)
{
    return bytes_add(column, &number, sizeof number);
}

/* Four places for each document at least: few hashes meet, and a processor foresees what is nearly always so.
 * They are less than eight, which take less memory than the documents themselves: that of sorting will do. */
static bool forget_hashes(Lists *lists)
{
    _Static_assert(sizeof(Doc) >= 8 * sizeof *lists->last_of_hash, "hashes need more memory than sorting");
    size_t width = 64;
    while (width < 4 * lists->count)
        width *= 2;
    if (!spare_memory(lists))
        return false;
    lists->last_of_hash = (uint32_t *)lists->spare;
    lists->mask = width - 1;
    memset(lists->last_of_hash, 0, width * sizeof *lists->last_of_hash);
    return true;
}

/* Whether no document above this one is the same; lists in which too many hashes meet are left to others. */
static bool is_first(Lists *lists, Doc *doc)
{
    uint32_t *last = &lists->last_of_hash[doc->hash & lists->mask];
    int probes = 0;
    for (uint32_t at = *last; at; at = lists->docs[at - 1].before) {
        const Doc *other = &lists->docs[at - 1];
        if (probes++ == MOST_PROBES || (other->hash == doc->hash && text_equal(other->id, doc->id)))
            return false;
    }
    doc->before = *last;
    *last = (uint32_t)(doc - lists->docs) + 1;
    return true;
}

/* Looks at every document of a list that is in order, and keeps ranks and grades of the judged ones; false for two
 * documents of one rank, too. */
static bool look_up(Lists *lists)
{
    const Judged *judged = lists->judged;
    bool known = is_known(lists);
    int64_t grade;
    if (!lists->distinct && !forget_hashes(lists))
        return false;
    lists->rounded = false;
    for (size_t at = 0; at < lists->count; at++) {
        Doc *doc = &lists->docs[at];
        doc->hash = text_hash(doc->id, judged->seed);
        if (!lists->distinct && !is_first(lists, doc))
            return false;
        bool tied = at && doc->key == doc[-1].key;
        if (tied && lists->way.order == BY_RANK)
            return false;
        lists->rounded |= tied && doc->score != doc[-1].score;
        Meaning meaning = known ? judged_find(judged, (size_t)lists->topic, doc->id, doc->hash, &grade) : UNJUDGED;
        if (meaning == ODD || (meaning == JUDGED && (!add_number(&lists->found.ranks, (int64_t)at + 1) ||
                                                     !add_number(&lists->found.grades, grade))))
            return false;
    }
    return true;
}

static size_t judged_so_far(const Lists *lists)
{
    return lists->found.ranks.size / sizeof(int64_t);
}

static bool keep(Lists *lists, size_t judged_before)
{
    Found *found = &lists->found;
    if (lists->count > 1 && (lists->way.order == BY_SCORE || lists->way.order == BY_SCORE64)) {
        found->several++;
        found->tied += lists->docs[0].key == lists->docs[lists->count - 1].key;
        found->rounded += lists->rounded;
    }
    List list = {.topic = lists->topic,
                 .length = (int64_t)lists->count,
                 .start = found->documents,
                 .judged = (int64_t)(judged_so_far(lists) - judged_before),
                 .judged_start = (int64_t)judged_before,
                 .first = lists->docs[0].score};
    for (size_t at = 0; lists->way.keep_scores && at < lists->count; at++)
        if (!bytes_add(&found->scores, &lists->docs[at].score, sizeof(double)))
            return false;
    found->documents += list.length;
    return bytes_add(&found->lists, &list, sizeof list);
}

/* Ends the list at hand; without one nothing happens. */
bool lists_complete(Lists *lists)
{
    if (lists->topic == NO_LIST || !lists->count) {
        lists->topic = NO_LIST;
        return true;
    }
    if (lists->way.order != AS_GIVEN && !lists->sorted) {
        if (!spare_memory(lists))
            return false;
        sort(lists->docs, lists->spare, lists->count);
    }
    size_t judged_before = judged_so_far(lists);
    if (!look_up(lists))
        return false;
    lists->found.rows += (int64_t)lists->count;
    bool kept = !is_known(lists) || keep(lists, judged_before);
    lists->count = 0;
    lists->topic = NO_LIST;
    return kept;
}

void lists_sizes(const Lists *lists, bool all, size_t sizes[COLUMNS])
{
    size_t count = all ? lists->judged->judgments.topics.count : lists->found.lists.size / sizeof(List);
    for (int column = 0; column < COLUMNS; column++)
        sizes[column] = column == RANK || column == GRADE ? judged_so_far(lists) : count + (column == OFFSET);
}

bool lists_ordered(const Lists *lists, bool all, void *const to[COLUMNS])
{
    const Found *found = &lists->found;
    const List *complete = (const List *)found->lists.at;
    int64_t *offsets = to[OFFSET], *ranks = to[RANK], *grades = to[GRADE];
    size_t topics = lists->judged->judgments.topics.count, at = 0;
    const List **of_topic = calloc(topics + 1, sizeof *of_topic);
    if (!of_topic)
        return false;
    for (size_t list = 0; list < found->lists.size / sizeof *complete; list++)
        of_topic[complete[list].topic] = &complete[list];
    offsets[0] = 0;
    for (size_t topic = 0; topic < topics; topic++) {
        const List none = {.topic = (int64_t)topic, .first = -INFINITY};
        const List *list = of_topic[topic] ? of_topic[topic] : &none;
        if (list == &none && !all)
            continue;
        ((int64_t *)to[TOPIC])[at] = list->topic;
        ((int64_t *)to[LENGTH])[at] = list->length;
        ((int64_t *)to[START])[at] = list->start;
        ((double *)to[FIRST])[at] = list->first;
        if (list->judged) {
            size_t first = (size_t)list->judged_start, size = (size_t)list->judged * sizeof(int64_t);
            memcpy(ranks + offsets[at], (const int64_t *)found->ranks.at + first, size);
            memcpy(grades + offsets[at], (const int64_t *)found->grades.at + first, size);
        }
        offsets[at + 1] = offsets[at] + list->judged;
        at++;
    }
    free(of_topic);
    return true;
}

void lists_free(Lists *lists)
{
    Found *found = &lists->found;
    free(found->lists.at);
    free(found->ranks.at);
    free(found->grades.at);
    free(found->scores.at);
    for (size_t at = 0; at < lists->ignored.count; at++)
        free((char *)lists->ignored.texts[at].at);
    ids_free(&lists->ignored);
    free(lists->docs);
    free(lists->spare);
    free(lists->done);
    *lists = (Lists){.topic = NO_LIST};
}
