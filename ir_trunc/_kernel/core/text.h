/* Bytes of a text that somebody else keeps, and memory that grows. */
#ifndef IR_TRUNC_TEXT_H
#define IR_TRUNC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *at;
    size_t size;
} Text;

bool text_equal(Text one, Text other);

/* Below, at or above zero, by bytes: in UTF-8 that is the order of code points. */
int text_compare(Text one, Text other);

/* Strict: neither surrogates nor overlong forms. */
bool text_is_utf8(Text text);

/* Hashes differ from seed to seed, so that nobody can make texts whose hashes meet. */
uint32_t text_hash(Text text, uint64_t seed);

/* Memory for `count` items; their number grows by doubling. False where there is no more. */
bool memory_for(void **items, size_t *room, size_t count, size_t item);

typedef struct {
    char *at;
    size_t size, room;
} Bytes;

bool bytes_add(Bytes *bytes, const void *more, size_t size);

#endif
