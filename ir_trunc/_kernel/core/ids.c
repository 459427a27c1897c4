#include "ids.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_WIDTH = 64 };

static void place(Ids *ids, uint32_t hash, uint32_t entry)
{
    size_t at = hash & (ids->width - 1);
    while (ids->slots[at].entry)
        at = (at + 1) & (ids->width - 1);
    ids->slots[at] = (Slot){hash, entry};
}

/* Slots for twice as many texts. */
static bool widen(Ids *ids)
{
    size_t width = ids->width ? 2 * ids->width : LEAST_WIDTH;
    Slot *old = ids->slots, *slots = calloc(width, sizeof *slots);
    if (!slots)
        return false;
    size_t old_width = ids->width;
    ids->slots = slots;
    ids->width = width;
    for (size_t at = 0; at < old_width; at++)
        if (old[at].entry)
            place(ids, old[at].hash, old[at].entry);
    free(old);
    return true;
}

/* The slot of a text, or the free one that it can have. */
static size_t slot_of(const Ids *ids, Text text, uint32_t hash)
{
    size_t at = hash & (ids->width - 1);
    while (ids->slots[at].entry &&
           (ids->slots[at].hash != hash || !text_equal(ids->texts[ids->slots[at].entry - 1], text)))
        at = (at + 1) & (ids->width - 1);
    return at;
}

int64_t ids_add(Ids *ids, Text text, uint32_t hash)
{
    if (4 * ids->count >= 3 * ids->width && !widen(ids))
        return -1;
    size_t at = slot_of(ids, text, hash);
    if (ids->slots[at].entry)
        return ids->slots[at].entry - 1;
    if (((at - hash) & (ids->width - 1)) > MOST_PROBES)
        return -1;
    void *texts = ids->texts;
    if (ids->count >= INT32_MAX || !memory_for(&texts, &ids->texts_room, ids->count + 1, sizeof text))
        return -1;
    ids->texts = texts;
    ids->texts[ids->count++] = text;
    ids->size += text.size;
    ids->slots[at] = (Slot){hash, (uint32_t)ids->count};
    return ids->slots[at].entry - 1;
}

int64_t ids_find(const Ids *ids, Text text, uint32_t hash)
{
    return ids->width ? (int64_t)ids->slots[slot_of(ids, text, hash)].entry - 1 : -1;
}

void ids_free(Ids *ids)
{
    free(ids->slots);
    free(ids->texts);
    *ids = (Ids){0};
}
