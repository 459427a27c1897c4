#include "text.h"

#include <stdlib.h>
#include <string.h>

int text_compare(Text one, Text other)
{
    size_t shared = one.size < other.size ? one.size : other.size;
    int found = shared ? memcmp(one.at, other.at, shared) : 0;
    return found ? found : (one.size > other.size) - (one.size < other.size);
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

bool text_is_utf8_beyond_ascii(Text text)
{
    const unsigned char *bytes = (const unsigned char *)text.at;
    for (size_t at = 0, size; at < text.size; at += size)
        if (!(size = character(bytes + at, text.size - at)))
            return false;
    return true;
}

bool more_memory_for(void **items, size_t *room, size_t count, size_t item)
{
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
