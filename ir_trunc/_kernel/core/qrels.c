#include "qrels.h"

#include <stdlib.h>

static const double HIGHEST_GRADE = INT32_MAX;

/* The number of an id, which is new or known; all must fit among offsets of 32 bits. */
static bool number_id(const Qrels *qrels, Ids *ids, Text id, int32_t *number)
{
    int64_t place = ids_add(ids, id, text_hash(id, qrels->seed));
    *number = (int32_t)place;
    return place >= 0 && ids->size <= INT32_MAX;
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
    return number_id(qrels, &qrels->topics, topic, number);
}

bool qrels_add(Qrels *qrels, Text topic, Text doc, double grade)
{
    int32_t of_topic, of_doc;
    if (!(grade >= -HIGHEST_GRADE && grade <= HIGHEST_GRADE) || !number_topic(qrels, topic, &of_topic) ||
        !number_id(qrels, &qrels->docs, doc, &of_doc))
        return false;
    return add_number(&qrels->topic, of_topic) && add_number(&qrels->doc, of_doc) &&
           add_number(&qrels->grade, (int32_t)grade);
}

void ids_in_one(const Ids *ids, int32_t *offsets, char *bytes)
{
    size_t end = 0;
    offsets[0] = 0;
    for (size_t at = 0; at < ids->count; at++) {
        Text text = ids->texts[at];
        memcpy(bytes + end, text.at, text.size);
        end += text.size;
        offsets[at + 1] = (int32_t)end;
    }
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
