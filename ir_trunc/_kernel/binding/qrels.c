/* Qrels from lines, dicts, tuples or columns. */
#include "values.h"

#include <stdlib.h>

#include "../core/lines.h"

static PyObject *column(const Bytes *bytes)
{
    return PyBytes_FromStringAndSize(bytes->at, (Py_ssize_t)bytes->size);
}

/* Ids as offsets and bytes, or NULL; they are let go, since both at a time would be the most memory of all. */
static PyObject *texts(Ids *ids)
{
    PyObject *offsets = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((ids->count + 1) * sizeof(int32_t)));
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)ids_size(ids));
    if (offsets && bytes)
        ids_in_one(ids, (int32_t *)PyBytes_AsString(offsets), PyBytes_AsString(bytes));
    ids_free(ids);
    return Py_BuildValue("(NN)", offsets, bytes);
}

/* What was read, which is let go; None where it is not sure. */
static PyObject *qrels_read(Qrels *read, bool sure)
{
    PyErr_Clear();
    PyObject *all = Py_None;
    if (sure)
        all = Py_BuildValue("(NNNNN)", texts(&read->topics), texts(&read->docs), column(&read->topic),
                            column(&read->doc), column(&read->grade));
    else
        Py_INCREF(all);
    qrels_free(read);
    return all;
}

PyDoc_STRVAR(qrels_doc,
             "qrels_of_lines(lines, seed)\n--\n\n"
             "Topics and documents, each as offsets and bytes; of each judgment their numbers and its\n"
             "grade, as bytes. None where it is not sure what the lines mean.");

static PyObject *qrels_of_lines(PyObject *module, PyObject *args)
{
    Py_buffer given;
    Qrels read = {0};
    bool sure = false;
    if (!PyArg_ParseTuple(args, "y*K", &given, &read.seed))
        return NULL;
    if (given.len <= MOST_BYTES) {
        Py_BEGIN_ALLOW_THREADS
        sure = lines_of_qrels(&read, (Text){given.buf, (size_t)given.len});
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&given);
    return qrels_read(&read, sure);
}

static bool add_judgment(Qrels *read, Kept *ours, Text topic, PyObject *doc, PyObject *value)
{
    Text id;
    int beyond = 0;
    if (!id_of(ours, doc, &id) || !is_exactly(value, &PyLong_Type))
        return false;
    long long grade = PyLong_AsLongLongAndOverflow(value, &beyond);
    return !beyond && qrels_add(read, topic, id, (double)grade);
}

static bool add_judgments(Qrels *read, Kept *ours, PyObject *judged)
{
    PyObject *topic, *docs, *doc, *value;
    Text name;
    Py_ssize_t at = 0;
    while (PyDict_Next(judged, &at, &topic, &docs)) {
        Py_ssize_t inside = 0;
        if (!id_of(ours, topic, &name) || !is_exactly(docs, &PyDict_Type))
            return false;
        while (PyDict_Next(docs, &inside, &doc, &value))
            if (!add_judgment(read, ours, name, doc, value))
                return false;
    }
    return true;
}

PyDoc_STRVAR(qrels_of_dicts_doc, "qrels_of_dicts({topic: {document: grade}}, seed)\n--\n\n"
                                 "As qrels_of_lines; topics without documents are left out.");

static PyObject *qrels_of_dicts(PyObject *module, PyObject *args)
{
    PyObject *judged;
    Qrels read = {0};
    if (!PyArg_ParseTuple(args, "OK", &judged, &read.seed))
        return NULL;
    Kept ours = {PyList_New(0), false};
    PyObject *all =
        qrels_read(&read, ours.copies && PyDict_Check(judged) && add_judgments(&read, &ours, judged));
    Py_XDECREF(ours.copies);
    return all;
}

PyDoc_STRVAR(qrels_of_tuples_doc,
             "qrels_of_tuples([item, ...], type, size, topic, doc, relevance, seed)\n--\n\n"
             "As qrels_of_lines; for the places of the fields see tuples.");

static PyObject *qrels_of_tuples(PyObject *module, PyObject *args)
{
    PyObject *item;
    Tuples all;
    Text topic;
    Qrels read = {0};
    if (!PyArg_ParseTuple(args, "O!O!nnnnK", &PyList_Type, &all.items, &PyType_Type, &all.type, &all.size,
                          &all.topic, &all.doc, &all.value, &read.seed))
        return NULL;
    Kept ours = {PyList_New(0), false};
    bool sure = ours.copies && sound(&all);
    for (Py_ssize_t at = 0, count = PyList_Size(all.items); at < count && sure; at++)
        sure = (item = tuple_at(&all, at)) && id_of(&ours, PyTuple_GetItem(item, all.topic), &topic) &&
               add_judgment(&read, &ours, topic, PyTuple_GetItem(item, all.doc),
                            PyTuple_GetItem(item, all.value));
    PyObject *found = qrels_read(&read, sure);
    Py_XDECREF(ours.copies);
    return found;
}

PyDoc_STRVAR(qrels_of_columns_doc,
             "qrels_of_columns(topic_of, topic_offsets, topics, doc_offsets, docs, grades, seed)\n--\n\n"
             "As qrels_of_lines, of rows in columns; see columns.");

static PyObject *qrels_of_columns(PyObject *module, PyObject *args)
{
    Py_buffer topic_of, topic_offsets, topic_bytes, doc_offsets, doc_bytes, grades;
    Qrels read = {0};
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*K", &topic_of, &topic_offsets, &topic_bytes, &doc_offsets,
                          &doc_bytes, &grades, &read.seed))
        return NULL;
    Texts topics = texts_in(&topic_offsets, &topic_bytes), docs = texts_in(&doc_offsets, &doc_bytes);
    bool sure = fit(&topic_offsets, &topic_bytes) && fit(&doc_offsets, &doc_bytes) &&
                (size_t)topic_of.len == docs.count * sizeof(int32_t) &&
                (size_t)grades.len == docs.count * sizeof(int64_t);
    Py_BEGIN_ALLOW_THREADS
    for (size_t at = 0; sure && at < docs.count; at++) {
        int32_t of = ((const int32_t *)topic_of.buf)[at];
        sure = of >= 0 && (size_t)of < topics.count && text_is_utf8(text_of(&docs, at)) &&
               text_is_utf8(text_of(&topics, (size_t)of)) &&
               qrels_add(&read, text_of(&topics, (size_t)of), text_of(&docs, at),
                         (double)((const int64_t *)grades.buf)[at]);
    }
    Py_END_ALLOW_THREADS
    PyObject *found = qrels_read(&read, sure);
    Py_buffer *held[] = {&topic_of, &topic_offsets, &topic_bytes, &doc_offsets, &doc_bytes, &grades};
    for (size_t at = 0; at < sizeof held / sizeof *held; at++)
        PyBuffer_Release(held[at]);
    return found;
}

PyMethodDef qrels_functions[] = {{"qrels_of_lines", qrels_of_lines, METH_VARARGS, qrels_doc},
                                 {"qrels_of_dicts", qrels_of_dicts, METH_VARARGS, qrels_of_dicts_doc},
                                 {"qrels_of_tuples", qrels_of_tuples, METH_VARARGS, qrels_of_tuples_doc},
                                 {"qrels_of_columns", qrels_of_columns, METH_VARARGS, qrels_of_columns_doc},
                                 {NULL, NULL, 0, NULL}};
