#include "judged.h"

#include <stdlib.h>

Text text_of(const Texts *texts, size_t at)
{
    int32_t start = texts->offsets[at];
    return (Text){texts->bytes + start, (size_t)(texts->offsets[at + 1] - start)};
}

static bool sound(const Judgments *judgments)
{
    int64_t before = -1, highest = (int64_t)judgments->topics.count * (int64_t)judgments->docs.count;
    for (size_t at = 0; at < judgments->count; at++) {
        if (judgments->keys[at] <= before || judgments->keys[at] >= highest)
            return false;
        before = judgments->keys[at];
    }
    return judgments->count < INT32_MAX && judgments->odd.count < INT32_MAX / 2;
}

static bool name_topics(Judged *judged)
{
    const Texts *topics = &judged->judgments.topics;
    for (size_t at = 0; at < topics->count; at++) {
        Text topic = text_of(topics, at);
        if (ids_add(&judged->topics, topic, text_hash(topic, judged->seed)) != (int64_t)at)
            return false;
    }
    return true;
}

/* Of the slots of a region four fifths are taken at most. */
static bool lay_out(Judged *judged)
{
    const Judgments *judgments = &judged->judgments;
    size_t topics = judgments->topics.count, at = 0;
    judged->regions = calloc(topics + 1, sizeof *judged->regions);
    if (!judged->regions)
        return false;
    for (size_t topic = 0; topic < topics; topic++) {
        int64_t end = (int64_t)(topic + 1) * (int64_t)judgments->docs.count;
        size_t entries = judgments->odd.count, width = 2;
        for (; at < judgments->count && judgments->keys[at] < end; at++)
            entries++;
        while (4 * width < 5 * entries)
            width *= 2;
        judged->regions[topic + 1] = judged->regions[topic] + width;
    }
    judged->slots = calloc(judged->regions[topics] + 1, sizeof *judged->slots);
    judged->hashes = calloc(judged->regions[topics] + 1, 2);
    return judged->slots && judged->hashes;
}

static bool place(Judged *judged, size_t topic, uint32_t hash, size_t entry)
{
    Slot *slots = judged->slots + judged->regions[topic];
    size_t mask = judged->regions[topic + 1] - judged->regions[topic] - 1, at = hash & mask;
    for (int probes = 0; slots[at].entry; probes++, at = (at + 1) & mask)
        if (probes == MOST_PROBES)
            return false;
    slots[at] = (Slot){hash, (uint32_t)entry};
    int bit;
    uint8_t *byte = judged_byte(judged, topic, hash, &bit);
    *byte |= (uint8_t)bit;
    return true;
}

static bool place_odd(Judged *judged)
{
    const Judgments *judgments = &judged->judgments;
    for (size_t at = 0; at < judgments->odd.count; at++) {
        uint32_t hash = text_hash(text_of(&judgments->odd, at), judged->seed);
        for (size_t topic = 0; topic < judgments->topics.count; topic++)
            if (!place(judged, topic, hash, judgments->count + at + 1))
                return false;
    }
    return true;
}

static bool place_judged(Judged *judged)
{
    const Judgments *judgments = &judged->judgments;
    uint32_t *hashes = malloc((judgments->docs.count + 1) * sizeof *hashes);
    if (!hashes)
        return false;
    for (size_t doc = 0; doc < judgments->docs.count; doc++)
        hashes[doc] = text_hash(text_of(&judgments->docs, doc), judged->seed);
    bool all = true;
    for (size_t at = 0; at < judgments->count && all; at++) {
        size_t key = (size_t)judgments->keys[at], docs = judgments->docs.count;
        all = place(judged, key / docs, hashes[key % docs], at + 1);
    }
    free(hashes);
    return all;
}

bool judged_make(Judged *judged, Judgments judgments, uint64_t seed)
{
    *judged = (Judged){.judgments = judgments, .seed = seed};
    bool made = sound(&judgments) && name_topics(judged) && lay_out(judged);
    made = made && place_odd(judged) && place_judged(judged); /* odd ones first: they are found first */
    if (!made)
        judged_free(judged);
    return made;
}

static Text entry_text(const Judgments *judgments, size_t entry)
{
    if (entry > judgments->count)
        return text_of(&judgments->odd, entry - judgments->count - 1);
    return text_of(&judgments->docs, (size_t)judgments->keys[entry - 1] % judgments->docs.count);
}

Meaning judged_slot(const Judged *judged, size_t topic, Text doc, uint32_t hash, int64_t *grade)
{
    const Slot *slots = judged->slots + judged->regions[topic];
    size_t mask = judged->regions[topic + 1] - judged->regions[topic] - 1;
    for (size_t at = hash & mask; slots[at].entry; at = (at + 1) & mask) {
        if (slots[at].hash != hash || !text_equal(entry_text(&judged->judgments, slots[at].entry), doc))
            continue;
        if (slots[at].entry > judged->judgments.count)
            return ODD;
        *grade = judged->judgments.grades[slots[at].entry - 1];
        return JUDGED;
    }
    return UNJUDGED;
}

void judged_free(Judged *judged)
{
    ids_free(&judged->topics);
    free(judged->regions);
    free(judged->slots);
    free(judged->hashes);
    *judged = (Judged){0};
}
