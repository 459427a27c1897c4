#include "qrels.h"

#include <stdlib.h>

static const double HIGHEST_GRADE = INT32_MAX;

/* The number of an id, which is new or known. */
static bool number_id(Ids *ids, Text id, uint64_t seed, int32_t *number)
{
    uint32_t hash = text_hash(id, seed);
    switch (ids_add(ids, id, hash)) {
    case IDS_NEW:
        *number = (int32_t)ids->count - 1;
        return text_is_utf8(id);
    case IDS_KNOWN:
        *number = (int32_t)ids_find(ids, id, hash);
        return true;
    default:
        return false;
    }
}

static bool add_number(Bytes *column, int32_t number)
{
    return bytes_add(column, &number, sizeof number);
}

/* The topic of the judgment before is the one of most. */
static bool number_topic(Qrels *qrels, Text topic, int32_t *number)
{
    if (qrels->topic.size) {
        memcpy(number, qrels->topic.at + qrels->topic.size - sizeof *number, sizeof *number);
        if (text_equal(qrels->topics.texts[*number], topic))
            return true;
    }
    return number_id(&qrels->topics, topic, qrels->seed, number);
}

bool qrels_add(Qrels *qrels, Text topic, Text doc, double grade)
{
    int32_t of_topic, of_doc;
    if (!(grade >= -HIGHEST_GRADE && grade <= HIGHEST_GRADE) || !number_topic(qrels, topic, &of_topic) ||
        !number_id(&qrels->docs, doc, qrels->seed, &of_doc))
        return false;
    return add_number(&qrels->topic, of_topic) && add_number(&qrels->doc, of_doc) &&
           add_number(&qrels->grade, (int32_t)grade);
}

bool ids_in_one(const Ids *ids, Bytes *offsets, Bytes *bytes)
{
    int32_t end = 0;
    bool all = bytes_add(offsets, &end, sizeof end);
    for (size_t at = 0; at < ids->count && all; at++) {
        Text text = ids->texts[at];
        all = text.size <= (size_t)(INT32_MAX - end) && bytes_add(bytes, text.at, text.size);
        end += (int32_t)text.size;
        all = all && bytes_add(offsets, &end, sizeof end);
    }
    return all;
}

void qrels_free(Qrels *qrels)
{
    ids_free(&qrels->topics);
    ids_free(&qrels->docs);
    free(qrels->topic.at);
    free(qrels->doc.at);
    free(qrels->grade.at);
    *qrels = (Qrels){0};
}
