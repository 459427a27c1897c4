/* The kernel's core without Python, on mutated runs and qrels, for the sanitizers:
 *
 *     cc -g -fsanitize=address,undefined -Iir_trunc/_kernel/core tests/kernel_driver.c
 * ir_trunc/_kernel/core/[a-z]*.c -lm
 *     ./a.out 100000
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

static uint64_t state;

static uint32_t drawn(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static const char *const PIECES[] = {
    " ", "\t", "\n", "\r\n", "\r", "#", "-", ".", "e5", "1e-300", "12345678901234567890123", "1e999", "nan",
    "\xc3\xa9", "\xff", "\xed\xa0\x80", "\xf0\x9f\x98\x80", "NIL", "d1", "1", "\x1c", "\x0b",
    "9007199254740993", "0.30000000000000004e-7"};
enum { PIECES_THERE = sizeof PIECES / sizeof *PIECES, LONGEST_RUN = 1 << 13 };

static size_t run_of(char *text)
{
    size_t size = 0;
    for (uint32_t topic = 0, topics = 1 + drawn(4); topic < topics; topic++)
        for (uint32_t at = 0, docs = drawn(20); at < docs; at++)
            size += (size_t)sprintf(text + size, "%u Q0 d%u %u %.9g tag\n", topic * 3, drawn(30) * 100 + at,
                                    at, drawn(2) ? 9.0 - at : drawn(1000) / 1e4);
    return size;
}

/* Puts something in, or takes something out. */
static size_t mutated(char *text, size_t size)
{
    size_t at = drawn((uint32_t)size + 1);
    if (drawn(2) && at < size) {
        size_t cut = 1 + drawn(9) % (uint32_t)(size - at);
        memmove(text + at, text + at + cut, size - at - cut);
        return size - cut;
    }
    const char *piece = PIECES[drawn(PIECES_THERE)];
    size_t more = strlen(piece);
    memmove(text + at + more, text + at, size - at);
    memcpy(text + at, piece, more);
    return size + more;
}

/* A copy of its exact size, so that no byte behind it can be read unseen. */
static bool scanned(const Judged *judged, const char *text, size_t size)
{
    Lists lists;
    Way way = {(Order)drawn(4), drawn(2), drawn(2)};
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    if (!lists_begin(&lists, judged, way))
        abort();
    bool sure = lines_of_run(&lists, (Text){copy, size});
    free(copy);
    bool all = drawn(2);
    size_t sizes[COLUMNS];
    void *to[COLUMNS];
    lists_sizes(&lists, all, sizes);
    for (int column = 0; column < COLUMNS; column++)
        to[column] = malloc(sizes[column] * sizeof(int64_t) + 1);
    if (!lists_ordered(&lists, all, to))
        abort();
    for (int column = 0; column < COLUMNS; column++)
        free(to[column]);
    lists_free(&lists);
    return sure;
}

/* The first four fields of its lines are those of qrels. */
static bool read_as_qrels(char *text, size_t size)
{
    size_t kept = 0;
    for (size_t at = 0, field = 0; at < size; at++) {
        field = text[at] == '\n' ? 0 : field + (text[at] == ' ');
        if (field < 4)
            text[kept++] = text[at];
    }
    Qrels qrels = {.seed = 42};
    char *copy = malloc(kept ? kept : 1);
    memcpy(copy, text, kept);
    bool sure = lines_of_qrels(&qrels, (Text){copy, kept});
    size_t all = qrels.docs.size;
    int32_t *offsets = malloc((qrels.docs.count + 1) * sizeof *offsets);
    char *bytes = malloc(all ? all : 1);
    ids_in_one(&qrels.docs, offsets, bytes);
    if (offsets[qrels.docs.count] != (int32_t)all)
        abort();
    free(copy);
    free(offsets);
    free(bytes);
    qrels_free(&qrels);
    return sure;
}

int main(int count, char **words)
{
    static char text[LONGEST_RUN];
    const int32_t topics[] = {0, 1, 2, 3}, docs[] = {0, 2, 6, 10}, odd[] = {0, 3};
    const int64_t keys[] = {0, 2, 4, 7}, grades[] = {1, 0, -1, 3};
    Judgments judgments = {{topics, "036", 3}, {docs, "d1d100d307", 3}, {odd, "NIL", 1}, keys, grades, 4};
    Judged judged;
    long files = count > 1 ? atol(words[1]) : 1000, sure = 0, sure_qrels = 0;
    if (!judged_make(&judged, judgments, 42))
        return 1;
    for (long file = 0; file < files; file++) {
        state = (uint64_t)file * 77777;
        size_t size = run_of(text);
        for (uint32_t at = 0, changes = drawn(4); at < changes; at++)
            size = mutated(text, size);
        sure += scanned(&judged, text, size);
        sure_qrels += read_as_qrels(text, size);
    }
    judged_free(&judged);
    printf("%ld files, %ld understood, %ld as qrels\n", files, sure, sure_qrels);
    return 0;
}
