/* Texts that somebody else keeps, and memory that grows. What is done for every document is here. */
#ifndef IR_TRUNC_TEXT_H
#define IR_TRUNC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether the first byte in memory is the lowest of a word, and the compiler can count the zeros below a bit. */
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIRST_BYTE_IS_LOWEST 1
#else
#define FIRST_BYTE_IS_LOWEST 0
#endif

typedef struct {
    const char *at;
    size_t size;
} Text;

static inline uint64_t eight_bytes(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint64_t four_bytes(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* All bytes of a text of less than eight, some of them twice. */
static inline uint64_t short_word(Text text)
{
    if (text.size >= 4)
        return four_bytes(text.at) << 32 | four_bytes(text.at + text.size - 4);
    uint64_t word = 0;
    for (size_t at = 0; at < text.size; at++)
        word = word << 8 | (unsigned char)text.at[at];
    return word;
}

static inline bool text_equal(Text one, Text other)
{
    return one.size == other.size && memcmp(one.at, other.at, one.size) == 0;
}

static inline uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u; /* the golden ratio in 64 bits */
    return hash ^ hash >> 32;
}

/* Hashes differ from seed to seed, so that nobody can make texts whose hashes meet. They are mixed once more at
   the end: a product's low bits do not depend on the high ones, where the last signs of a text are. */
static inline uint32_t text_hash(Text text, uint64_t seed)
{
    uint64_t hash = mixed(seed, text.size);
    if (text.size < 8)
        return (uint32_t)(mixed(mixed(hash, short_word(text)), 0) >> 32);
    for (size_t at = 0; at + 8 < text.size; at += 8)
        hash = mixed(hash, eight_bytes(text.at + at));
    return (uint32_t)(mixed(mixed(hash, eight_bytes(text.at + text.size - 8)), 0) >> 32);
}

static inline bool is_ascii(Text text)
{
    uint64_t all = text.size < 8 ? short_word(text) : eight_bytes(text.at + text.size - 8);
    for (size_t at = 0; at + 8 < text.size; at += 8)
        all |= eight_bytes(text.at + at);
    return !(all & 0x8080808080808080u);
}

bool text_is_utf8_beyond_ascii(Text text);

/* Strict: neither surrogates nor overlong forms. */
static inline bool text_is_utf8(Text text)
{
    return is_ascii(text) || text_is_utf8_beyond_ascii(text);
}

/* Below, at or above zero, by bytes: in UTF-8 that is the order of code points. */
int text_compare(Text one, Text other);

bool more_memory_for(void **items, size_t *room, size_t count, size_t item);

/* Memory for `count` items; their number grows by doubling. False where there is no more. */
static inline bool memory_for(void **items, size_t *room, size_t count, size_t item)
{
    return count <= *room || more_memory_for(items, room, count, item);
}

typedef struct {
    char *at;
    size_t size, room;
} Bytes;

bool bytes_add(Bytes *bytes, const void *more, size_t size);

#endif
