/* What Python hands over, as the core takes it, for all files of the binding. They use the limited API, so
 * that one build serves every version from 3.11 on.
 *
 * No function words an error about data: where the core is not sure, False comes back, and the caller reads
 * the same data in Python, which either understands them or says what is wrong. */
#ifndef IR_TRUNC_VALUES_H
#define IR_TRUNC_VALUES_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "../core/judged.h"
#include "../core/text.h"

/* Of each file of the binding, with an empty entry at the end. */
extern PyMethodDef judged_functions[], run_functions[], qrels_functions[];

/* What `judged` returned, or NULL with an error. */
const Judged *judged_in(PyObject *capsule);

/* Larger blocks, of one topic's lines alone, are left to Python, which says that they are too large. */
static const Py_ssize_t MOST_BYTES = INT32_MAX;

/* Of which type and size all tuples are, and which places hold topic, document and value. */
typedef struct {
    PyObject *items, *type;
    Py_ssize_t size, topic, doc, value;
} Tuples;

static inline Texts texts_in(const Py_buffer *offsets, const Py_buffer *bytes)
{
    size_t count = (size_t)offsets->len / sizeof(int32_t); /* of n texts there are n + 1 */
    return (Texts){offsets->buf, bytes->buf, count ? count - 1 : 0};
}

/* Whether there are offsets, which ascend and stay within the bytes. */
static inline bool fit(const Py_buffer *offsets, const Py_buffer *bytes)
{
    Texts texts = texts_in(offsets, bytes);
    int32_t before = 0;
    if (offsets->len < (Py_ssize_t)sizeof before)
        return false;
    for (size_t at = 0; at <= texts.count; at++) {
        if (texts.offsets[at] < before || texts.offsets[at] > bytes->len)
            return false;
        before = texts.offsets[at];
    }
    return true;
}

/* Rows in columns: of every row the number of its topic's text, the document's text, and a value of 8 bytes.
 * held: topic_of, offsets and bytes of topics, offsets and bytes of documents, values. */
typedef struct {
    Py_buffer held[6];
    Texts topics, docs;
} Columns;

/* Whether the columns that were parsed fit together. */
static inline bool columns_fit(Columns *rows)
{
    const Py_buffer *held = rows->held;
    rows->topics = texts_in(&held[1], &held[2]);
    rows->docs = texts_in(&held[3], &held[4]);
    return fit(&held[1], &held[2]) && fit(&held[3], &held[4]) &&
           (size_t)held[0].len == rows->docs.count * sizeof(int32_t) &&
           (size_t)held[5].len == rows->docs.count * sizeof(int64_t);
}

static inline int32_t topic_number(const Columns *rows, size_t at)
{
    return ((const int32_t *)rows->held[0].buf)[at];
}

/* The topic of a row; false where there is none of its number. */
static inline bool topic_of(const Columns *rows, size_t at, Text *topic)
{
    int32_t number = topic_number(rows, at);
    if (number < 0 || (size_t)number >= rows->topics.count)
        return false;
    *topic = text_of(&rows->topics, (size_t)number);
    return text_is_utf8(*topic);
}

static inline void columns_end(Columns *rows)
{
    for (size_t at = 0; at < sizeof rows->held / sizeof *rows->held; at++)
        PyBuffer_Release(&rows->held[at]);
}

static inline bool is_exactly(PyObject *object, PyTypeObject *type)
{
    return Py_TYPE(object) == type;
}

/* The UTF-8 of a text, which Python keeps in the text itself; an empty one is no id. */
static inline bool id_of(PyObject *object, Text *id)
{
    Py_ssize_t size = 0;
    const char *bytes = is_exactly(object, &PyUnicode_Type) ? PyUnicode_AsUTF8AndSize(object, &size) : NULL;
    *id = (Text){bytes, (size_t)size};
    return bytes && size > 0;
}

/* Python's own numbers, and those of `floats`, a type whose values are floats in memory. */
static inline bool score_of(PyObject *object, PyObject *floats, double *score)
{
    if (is_exactly(object, &PyFloat_Type) || (PyObject *)Py_TYPE(object) == floats)
        *score = PyFloat_AsDouble(object);
    else if (is_exactly(object, &PyLong_Type))
        *score = PyLong_AsDouble(object);
    else
        return false;
    return *score - *score == 0 && !(*score == -1.0 && PyErr_Occurred()); /* finite, and no error */
}

static inline bool inside(const Tuples *tuples, Py_ssize_t at)
{
    return at >= 0 && at < tuples->size;
}

static inline bool sound(const Tuples *tuples)
{
    return inside(tuples, tuples->topic) && inside(tuples, tuples->doc) && inside(tuples, tuples->value) &&
           PyType_IsSubtype((PyTypeObject *)tuples->type, &PyTuple_Type);
}

/* One of the tuples, or NULL where it is of another type or size. */
static inline PyObject *tuple_at(const Tuples *tuples, Py_ssize_t at)
{
    PyObject *item = PyList_GetItem(tuples->items, at);
    return (PyObject *)Py_TYPE(item) == tuples->type && PyTuple_Size(item) == tuples->size ? item : NULL;
}

#endif
