#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "numbers.h"

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

/* Whether the topic at hand goes on: it does for nearly every line. */
static bool goes_on(const Lists *lists, Text topic)
{
    return lists->topic != NO_LIST && text_equal(lists->name, topic);
}

static bool line(Lists *lists, const char **at)
{
    Text topic = field(at);
    if (!topic.size)
        return line_end(at);
    if (topic.at[0] == '#')
        return comment(at, 6);
    if (!goes_on(lists, topic) && !lists_topic(lists, topic))
        return false;
    Text mark = field(at), doc = field(at), place = field(at), value = field(at), tag = field(at);
    (void)mark;
    if (!tag.size || field(at).size || !line_end(at))
        return false;
    double score, rank = 0;
    if (!number_of(value, &score) || (lists->way.order == BY_RANK && !whole_number_of(place, &rank)))
        return false;
    return lists_add(lists, doc, score, rank, true);
}

static bool whole_lines(Lists *lists, Text lines)
{
    const char *at = lines.at, *end = at + lines.size;
    while (at < end)
        if (!line(lists, &at))
            return false;
    return true;
}

static bool line_of_qrels(Qrels *qrels, const char **at)
{
    Text topic = field(at);
    if (!topic.size)
        return line_end(at);
    if (topic.at[0] == '#')
        return comment(at, 4);
    Text iteration = field(at), doc = field(at), value = field(at);
    double grade;
    (void)iteration;
    if (!value.size || field(at).size || !line_end(at))
        return false;
    return whole_number_of(value, &grade) && qrels_add(qrels, topic, doc, grade);
}

bool lines_of_qrels(Qrels *qrels, Text lines)
{
    const char *at = lines.at, *end = at + lines.size;
    if (lines.size && end[-1] != '\n')
        return false;
    while (at < end)
        if (!line_of_qrels(qrels, &at))
            return false;
    return true;
}

static size_t end_of_last_line(Text lines)
{
    size_t end = lines.size;
    while (end && lines.at[end - 1] != '\n')
        end--;
    return end;
}

bool lines_of_run(Lists *lists, Text lines)
{
    size_t end = end_of_last_line(lines), left = lines.size - end;
    char *last = malloc(left + 1); /* a last line without its newline, and with it */
    if (!last)
        return false;
    if (left)
        memcpy(last, lines.at + end, left);
    last[left] = '\n';
    bool sure = whole_lines(lists, (Text){lines.at, end}) && whole_lines(lists, (Text){last, left + 1});
    sure = sure && lists_complete(lists);
    free(last);
    return sure;
}
