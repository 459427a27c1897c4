#include "text.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t ODD = 0x9E3779B97F4A7C15u; /* the golden ratio in 64 bits */
static const uint64_t HIGH_BITS = 0x8080808080808080u;

bool text_equal(Text one, Text other)
{
    return one.size == other.size && (one.size == 0 || memcmp(one.at, other.at, one.size) == 0);
}

int text_compare(Text one, Text other)
{
    size_t shared = one.size < other.size ? one.size : other.size;
    int found = shared ? memcmp(one.at, other.at, shared) : 0;
    return found ? found : (one.size > other.size) - (one.size < other.size);
}

static uint64_t eight_bytes(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static uint64_t four_bytes(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* All bytes of a text of less than eight; some of them twice. */
static uint64_t short_word(Text text)
{
    if (text.size >= 4)
        return four_bytes(text.at) << 32 | four_bytes(text.at + text.size - 4);
    uint64_t word = 0;
    for (size_t at = 0; at < text.size; at++)
        word = word << 8 | (unsigned char)text.at[at];
    return word;
}

static bool is_ascii(Text text)
{
    if (text.size < 8)
        return !(short_word(text) & HIGH_BITS);
    uint64_t all = eight_bytes(text.at + text.size - 8);
    for (size_t at = 0; at + 8 < text.size; at += 8)
        all |= eight_bytes(text.at + at);
    return !(all & HIGH_BITS);
}

/* How many bytes the character has that begins here; 0 where none does. */
static size_t character(const unsigned char *at, size_t left)
{
    unsigned char first = at[0];
    if (first < 0x80)
        return 1;
    size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (!size || left < size)
        return 0;
    unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t more = 2; more < size; more++)
        if (at[more] < 0x80 || at[more] > 0xBF)
            return 0;
    return size;
}

bool text_is_utf8(Text text)
{
    if (is_ascii(text))
        return true;
    const unsigned char *bytes = (const unsigned char *)text.at;
    for (size_t at = 0, size; at < text.size; at += size)
        if (!(size = character(bytes + at, text.size - at)))
            return false;
    return true;
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * ODD;
    return hash ^ hash >> 32;
}

uint32_t text_hash(Text text, uint64_t seed)
{
    uint64_t hash = mixed(seed, text.size);
    if (text.size < 8)
        return (uint32_t)(mixed(hash, short_word(text)) >> 32);
    for (size_t at = 0; at + 8 < text.size; at += 8)
        hash = mixed(hash, eight_bytes(text.at + at));
    return (uint32_t)(mixed(hash, eight_bytes(text.at + text.size - 8)) >> 32);
}

bool memory_for(void **items, size_t *room, size_t count, size_t item)
{
    if (count <= *room)
        return true;
    size_t wanted = *room ? *room : 64;
    while (wanted < count && wanted <= SIZE_MAX / 4)
        wanted *= 2;
    if (wanted < count || wanted > SIZE_MAX / 2 / item)
        return false;
    void *more = realloc(*items, wanted * item);
    if (!more)
        return false;
    *items = more;
    *room = wanted;
    return true;
}

bool bytes_add(Bytes *bytes, const void *more, size_t size)
{
    void *at = bytes->at;
    if (size > SIZE_MAX - bytes->size || !memory_for(&at, &bytes->room, bytes->size + size, 1))
        return false;
    bytes->at = at;
    if (size)
        memcpy(bytes->at + bytes->size, more, size);
    bytes->size += size;
    return true;
}
