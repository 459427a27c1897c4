#include "lines.h"

#include "numbers.h"

#if FIRST_BYTE_IS_LOWEST && defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { RUN_FIELDS = 6, QRELS_FIELDS = 4 };

/* The next field, of no bytes where the line ends. All lines end by a newline, so that none is read over. */
static Text field(const char **at)
{
    const char *start = *at;
    while (*start == ' ' || *start == '\t')
        start++;
    const char *end = start;
    while ((unsigned char)*end > ' ')
        end++;
    *at = end;
    return (Text){start, (size_t)(end - start)};
}

/* Whether the line ends here, by a newline or by a carriage return and a newline. */
static bool line_end(const char **at)
{
    *at += **at == '\r';
    return *(*at)++ == '\n';
}

/* Skips a comment. One with as many fields as a row is left to Python, which warns of it. */
static bool comment(const char **at, int fields_of_row)
{
    int fields = 1;
    while (field(at).size)
        fields++;
    return fields != fields_of_row && line_end(at);
}

/* The fields of a line of less than 64 bytes, all ASCII, with single blanks between them, all at once: to look for
 * the end of one field before that of the next takes three times as long. */
static bool plain_fields(const char **at, const char *last, Text *fields, int count)
{
#if FIRST_BYTE_IS_LOWEST && defined(__SSE2__)
    if (last - *at < 64 || **at == '#')
        return false;
    uint64_t white = 0, blank = 0, beyond_ascii = 0;
    const __m128i space = _mm_set1_epi8(' '), tab = _mm_set1_epi8('\t');
    for (int part = 0; part < 64; part += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(*at + part));
        __m128i up_to_space = _mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes);
        __m128i blanks = _mm_or_si128(_mm_cmpeq_epi8(bytes, space), _mm_cmpeq_epi8(bytes, tab));
        white |= (uint64_t)_mm_movemask_epi8(up_to_space) << part;
        blank |= (uint64_t)_mm_movemask_epi8(blanks) << part;
        beyond_ascii |= (uint64_t)_mm_movemask_epi8(bytes) << part;
    }
    uint64_t end = white & ~blank, line = end ^ (end - 1);
    white &= line;
    if (!end || (*at)[__builtin_ctzll(end)] != '\n' || white & (white << 1 | 1) || beyond_ascii & line)
        return false;
    const char *start = *at, *next = start + __builtin_ctzll(end) + 1; /* before the fields: the next line waits */
    for (int field = 0; field < count; field++, white &= white - 1) {
        if (!white)
            return false;
        const char *stop = *at + __builtin_ctzll(white);
        fields[field] = (Text){start, (size_t)(stop - start)};
        start = stop + 1;
    }
    *at = next;
    return !white;
#else
    return false;
#endif
}

typedef enum { ROW, NO_ROW, NOT_SURE } LineKind;

/* The fields of any line; blank lines and comments are no rows. */
static LineKind fields_of(const char **at, const char *last, Text *fields, int count)
{
    const char *start = *at;
    if (plain_fields(at, last, fields, count))
        return ROW;
    *at = start;
    fields[0] = field(at);
    if (!fields[0].size)
        return line_end(at) ? NO_ROW : NOT_SURE;
    if (fields[0].at[0] == '#')
        return comment(at, count) ? NO_ROW : NOT_SURE;
    for (int next = 1; next < count; next++)
        fields[next] = field(at);
    bool complete = fields[count - 1].size && !field(at).size && line_end(at);
    return complete && text_is_utf8(fields[0]) && text_is_utf8(fields[2]) ? ROW : NOT_SURE;
}

/* Adds whole lines, the last of which ends by a newline, too; false where anything is not plainly a row. */
static inline bool add_lines(Text lines, int count, bool (*add)(void *to, const Text *fields), void *to)
{
    const char *at = lines.at, *end = at + lines.size;
    Text fields[RUN_FIELDS];
    if (lines.size && end[-1] != '\n')
        return false;
    while (at < end) {
        LineKind kind = fields_of(&at, end, fields, count);
        if (kind == NOT_SURE || (kind == ROW && !add(to, fields)))
            return false;
    }
    return true;
}

static bool row_of_run(void *to, const Text *fields)
{
    Lists *lists = to;
    double score, rank = 0;
    if (!lists_of(lists, fields[0]) || !number_of(fields[4], &score))
        return false;
    if (lists->way.order == BY_RANK && !whole_number_of(fields[3], &rank))
        return false;
    return lists_add(lists, fields[2], score, rank);
}

bool lines_of_run(Lists *lists, Text lines)
{
    return add_lines(lines, RUN_FIELDS, row_of_run, lists) && lists_complete(lists);
}

static bool row_of_qrels(void *to, const Text *fields)
{
    double grade;
    return whole_number_of(fields[3], &grade) && qrels_add(to, fields[0], fields[2], grade);
}

bool lines_of_qrels(Qrels *qrels, Text lines)
{
    return add_lines(lines, QRELS_FIELDS, row_of_qrels, qrels);
}
