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
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)ids->size);
    if (offsets && bytes)
        ids_in_one(ids, (int32_t *)PyBytes_AsString(offsets), PyBytes_AsString(bytes));
    ids_free(ids);
    return Py_BuildValue("(NN)", offsets, bytes);
}

/* What was read, which is let go; None where it is not sure. */
static PyObject *qrels_read(Qrels *read, bool sure)
{
    PyErr_Clear();
    PyObject *all = sure ? Py_BuildValue("(NNNNN)", texts(&read->topics), texts(&read->docs),
                                         column(&read->topic), column(&read->doc), column(&read->grade))
                         : Py_NewRef(Py_None);
    qrels_free(read);
    return all;
}

/* qrels_of_lines(lines, seed): topics and documents, each as offsets and bytes; of each judgment their numbers
 * and its grade, as bytes. None where it is not sure what the lines mean. */
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

static bool add_judgment(Qrels *read, Text topic, PyObject *doc, PyObject *value)
{
    Text id;
    int beyond = 0;
    if (!id_of(doc, &id) || !is_exactly(value, &PyLong_Type))
        return false;
    long long grade = PyLong_AsLongLongAndOverflow(value, &beyond);
    return !beyond && qrels_add(read, topic, id, (double)grade);
}

static bool add_judgments(Qrels *read, PyObject *judged)
{
    PyObject *topic, *docs, *doc, *value;
    Text name;
    Py_ssize_t at = 0;
    while (PyDict_Next(judged, &at, &topic, &docs)) {
        Py_ssize_t inside = 0;
        if (!id_of(topic, &name) || !is_exactly(docs, &PyDict_Type))
            return false;
        while (PyDict_Next(docs, &inside, &doc, &value))
            if (!add_judgment(read, name, doc, value))
                return false;
    }
    return true;
}

/* qrels_of_dicts({topic: {document: grade}}, seed): as qrels_of_lines; topics without documents are left out. */
static PyObject *qrels_of_dicts(PyObject *module, PyObject *args)
{
    PyObject *judged;
    Qrels read = {0};
    if (!PyArg_ParseTuple(args, "OK", &judged, &read.seed))
        return NULL;
    return qrels_read(&read, PyDict_Check(judged) && add_judgments(&read, judged));
}

/* qrels_of_tuples([item, ...], type, size, topic, doc, relevance, seed): as qrels_of_lines; for the places of
 * the fields see tuples. */
static PyObject *qrels_of_tuples(PyObject *module, PyObject *args)
{
    PyObject *item;
    Tuples all;
    Text topic;
    Qrels read = {0};
    if (!PyArg_ParseTuple(args, "O!O!nnnnK", &PyList_Type, &all.items, &PyType_Type, &all.type, &all.size,
                          &all.topic, &all.doc, &all.value, &read.seed))
        return NULL;
    bool sure = sound(&all);
    for (Py_ssize_t at = 0, count = PyList_Size(all.items); at < count && sure; at++)
        sure = (item = tuple_at(&all, at)) && id_of(PyTuple_GetItem(item, all.topic), &topic) &&
               add_judgment(&read, topic, PyTuple_GetItem(item, all.doc), PyTuple_GetItem(item, all.value));
    return qrels_read(&read, sure);
}

/* qrels_of_columns(topic_of, topic_offsets, topics, doc_offsets, docs, grades, seed): as qrels_of_lines, of rows
 * in columns; see columns. */
static PyObject *qrels_of_columns(PyObject *module, PyObject *args)
{
    Columns rows;
    Py_buffer *held = rows.held;
    Text topic, doc;
    Qrels read = {0};
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*K", &held[0], &held[1], &held[2], &held[3], &held[4], &held[5],
                          &read.seed))
        return NULL;
    const int64_t *grades = held[5].buf;
    bool sure = columns_fit(&rows);
    Py_BEGIN_ALLOW_THREADS
    for (size_t at = 0; sure && at < rows.docs.count; at++) {
        doc = text_of(&rows.docs, at);
        sure = topic_of(&rows, at, &topic) && text_is_utf8(doc) &&
               qrels_add(&read, topic, doc, (double)grades[at]);
    }
    Py_END_ALLOW_THREADS
    PyObject *found = qrels_read(&read, sure);
    columns_end(&rows);
    return found;
}

PyMethodDef qrels_functions[] = {{"qrels_of_lines", qrels_of_lines, METH_VARARGS, NULL},
                                 {"qrels_of_dicts", qrels_of_dicts, METH_VARARGS, NULL},
                                 {"qrels_of_tuples", qrels_of_tuples, METH_VARARGS, NULL},
                                 {"qrels_of_columns", qrels_of_columns, METH_VARARGS, NULL},
                                 {NULL, NULL, 0, NULL}};
