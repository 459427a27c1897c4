/* The lists of one run from lines, dicts, tuples or columns. */
#include "values.h"

#include "../core/lines.h"
#include "../core/lists.h"

static const char LISTS_NAME[] = "ir_trunc.lists";

/* judged: keeps the qrels alive. */
typedef struct {
    Lists lists;
    PyObject *judged;
} ListsHere;

/* For PyArg_ParseTuple: what `begin` returned, or an error. */
static int lists_in(PyObject *capsule, void *to)
{
    *(ListsHere **)to = PyCapsule_GetPointer(capsule, LISTS_NAME);
    return *(ListsHere **)to != NULL;
}

static void end_lists(PyObject *capsule)
{
    ListsHere *here = PyCapsule_GetPointer(capsule, LISTS_NAME);
    lists_free(&here->lists);
    Py_DECREF(here->judged);
    PyMem_Free(here);
}

/* begin(judged, order, lower_is_better, keep_scores): the lists of one run, none so far. order: 0 score,
 * 1 score64, 2 rank, 3 file. */
static PyObject *begin(PyObject *module, PyObject *args)
{
    PyObject *judged;
    int order, lower_is_better, keep_scores;
    if (!PyArg_ParseTuple(args, "Oipp", &judged, &order, &lower_is_better, &keep_scores))
        return NULL;
    const Judged *qrels = judged_in(judged);
    ListsHere *here = qrels ? PyMem_Calloc(1, sizeof *here) : NULL;
    if (!here)
        return qrels ? PyErr_NoMemory() : NULL;
    Way way = {(Order)order, lower_is_better, keep_scores};
    PyObject *capsule = PyCapsule_New(here, LISTS_NAME, NULL);
    if (!capsule || !lists_begin(&here->lists, qrels, way)) {
        Py_XDECREF(capsule);
        PyMem_Free(here);
        return capsule ? PyErr_NoMemory() : NULL;
    }
    here->judged = Py_NewRef(judged);
    PyCapsule_SetDestructor(capsule, end_lists);
    return capsule;
}

/* lines(lists, block): adds lines of a file; False where it is not sure what they mean. So do the next four. */
static PyObject *lines(PyObject *module, PyObject *args)
{
    ListsHere *here;
    Py_buffer block;
    if (!PyArg_ParseTuple(args, "O&y*", lists_in, &here, &block))
        return NULL;
    bool sure = false;
    if (block.len <= MOST_BYTES) {
        Py_BEGIN_ALLOW_THREADS
        sure = lines_of_run(&here->lists, (Text){block.buf, (size_t)block.len});
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&block);
    return PyBool_FromLong(sure);
}

static bool add_list(ListsHere *here, PyObject *topic, PyObject *docs, PyObject *floats)
{
    Text name, id;
    PyObject *doc, *value;
    Py_ssize_t at = 0;
    double score;
    if (!is_exactly(docs, &PyDict_Type) || !id_of(topic, &name))
        return false;
    if (!PyDict_Size(docs))
        return true;
    if (!lists_topic(&here->lists, name))
        return false;
    while (PyDict_Next(docs, &at, &doc, &value))
        if (!id_of(doc, &id) || !score_of(value, floats, &score) || !lists_add(&here->lists, id, score, 0))
            return false;
    return lists_complete(&here->lists);
}

/* The answer to a question that may have failed inside Python: whoever reads the data next will say so. */
static PyObject *answer(bool sure)
{
    PyErr_Clear();
    return PyBool_FromLong(sure);
}

/* dicts(lists, {topic: {document: score}}, floats) */
static PyObject *dicts(PyObject *module, PyObject *args)
{
    ListsHere *here;
    PyObject *run, *floats, *topic, *docs;
    Py_ssize_t at = 0;
    if (!PyArg_ParseTuple(args, "O&OO", lists_in, &here, &run, &floats))
        return NULL;
    if (!PyDict_Check(run))
        return answer(false);
    here->lists.distinct = true;
    while (PyDict_Next(run, &at, &topic, &docs))
        if (!is_exactly(topic, &PyUnicode_Type) || !add_list(here, topic, docs, floats))
            return answer(false);
    return answer(true);
}

/* A topic that is another object may be the same text. */
static bool add_row(ListsHere *here, PyObject *own, PyObject *doc, double score, PyObject **topic)
{
    Text name, id;
    if (own != *topic && !(id_of(own, &name) && lists_of(&here->lists, name)))
        return false;
    *topic = own;
    return id_of(doc, &id) && lists_add(&here->lists, id, score, 0);
}

/* tuples(lists, [item, ...], type, size, topic, doc, score, floats): tuples of one type and size, with the places
 * of their fields. */
static PyObject *tuples(PyObject *module, PyObject *args)
{
    ListsHere *here;
    PyObject *floats, *item, *topic = NULL;
    double score;
    Tuples all;
    if (!PyArg_ParseTuple(args, "O&O!O!nnnnO", lists_in, &here, &PyList_Type, &all.items, &PyType_Type,
                          &all.type, &all.size, &all.topic, &all.doc, &all.value, &floats))
        return NULL;
    bool sure = sound(&all);
    for (Py_ssize_t at = 0, count = PyList_Size(all.items); at < count && sure; at++)
        sure = (item = tuple_at(&all, at)) && score_of(PyTuple_GetItem(item, all.value), floats, &score) &&
               add_row(here, PyTuple_GetItem(item, all.topic), PyTuple_GetItem(item, all.doc), score, &topic);
    return answer(sure && lists_complete(&here->lists));
}

/* objects(lists, [topic, ...], [doc, ...], scores): a row for each place; scores as doubles in a buffer. */
static PyObject *objects(PyObject *module, PyObject *args)
{
    ListsHere *here;
    PyObject *topics, *docs, *topic = NULL;
    Py_buffer scores;
    if (!PyArg_ParseTuple(args, "O&O!O!y*", lists_in, &here, &PyList_Type, &topics, &PyList_Type, &docs,
                          &scores))
        return NULL;
    const double *score = scores.buf;
    Py_ssize_t count = PyList_Size(topics);
    bool sure = PyList_Size(docs) == count && scores.len == count * (Py_ssize_t)sizeof *score;
    for (Py_ssize_t at = 0; at < count && sure; at++)
        sure = score[at] - score[at] == 0 && /* finite */
               add_row(here, PyList_GetItem(topics, at), PyList_GetItem(docs, at), score[at], &topic);
    PyBuffer_Release(&scores);
    return answer(sure && lists_complete(&here->lists));
}

static bool add_columns(Lists *lists, const Columns *rows)
{
    const double *scores = rows->held[5].buf;
    for (size_t at = 0; at < rows->docs.count; at++) {
        Text topic, id = text_of(&rows->docs, at);
        bool goes_on = at && topic_number(rows, at) == topic_number(rows, at - 1);
        if (!goes_on && !(topic_of(rows, at, &topic) && lists_topic(lists, topic)))
            return false;
        if (scores[at] - scores[at] != 0 || !text_is_utf8(id) || !lists_add(lists, id, scores[at], 0))
            return false;
    }
    return lists_complete(lists);
}

/* columns(lists, topic_of, topic_offsets, topics, doc_offsets, docs, scores): see Columns. */
static PyObject *columns(PyObject *module, PyObject *args)
{
    ListsHere *here;
    Columns rows;
    Py_buffer *held = rows.held;
    if (!PyArg_ParseTuple(args, "O&y*y*y*y*y*y*", lists_in, &here, &held[0], &held[1], &held[2], &held[3],
                          &held[4], &held[5]))
        return NULL;
    bool sure = columns_fit(&rows);
    Py_BEGIN_ALLOW_THREADS
    sure = sure && add_columns(&here->lists, &rows);
    Py_END_ALLOW_THREADS
    columns_end(&rows);
    return PyBool_FromLong(sure);
}

/* The first ignored topic by its bytes. */
static PyObject *first_ignored(const Ids *ignored)
{
    if (!ignored->count)
        Py_RETURN_NONE;
    Text first = ignored->texts[0];
    for (size_t at = 1; at < ignored->count; at++)
        if (text_compare(ignored->texts[at], first) < 0)
            first = ignored->texts[at];
    return PyUnicode_DecodeUTF8(first.at, (Py_ssize_t)first.size, "strict");
}

/* found(lists, all): lists in the order of the qrels' topics, with the empty ones where all is true: topics,
 * lengths, offsets of judged documents, their ranks, their grades, starts in the scores; the scores that were
 * kept; first scores; rows, lists of several documents, tied ones, those with scores that differ but have the
 * same key, ignored topics, and the first of these. */
static PyObject *found(PyObject *module, PyObject *args)
{
    ListsHere *here;
    PyObject *columns[COLUMNS];
    int all;
    if (!PyArg_ParseTuple(args, "O&p", lists_in, &here, &all))
        return NULL;
    const Lists *lists = &here->lists;
    size_t sizes[COLUMNS];
    void *to[COLUMNS];
    bool made = true;
    lists_sizes(lists, all, sizes);
    for (int at = 0; at < COLUMNS; at++) {
        columns[at] = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(sizes[at] * sizeof(int64_t)));
        to[at] = columns[at] ? PyByteArray_AsString(columns[at]) : NULL;
        made = made && to[at];
    }
    if (!made || !lists_ordered(lists, all, to)) {
        for (int at = 0; at < COLUMNS; at++)
            Py_XDECREF(columns[at]);
        return PyErr_NoMemory();
    }
    const Found *of_run = &lists->found;
    PyObject *scores = PyByteArray_FromStringAndSize(of_run->scores.at, (Py_ssize_t)of_run->scores.size);
    return Py_BuildValue("((NNNNNN)NNLLLLnN)", columns[TOPIC], columns[LENGTH], columns[OFFSET],
                         columns[RANK], columns[GRADE], columns[START], scores, columns[FIRST],
                         (long long)of_run->rows, (long long)of_run->several, (long long)of_run->tied,
                         (long long)of_run->rounded, (Py_ssize_t)lists->ignored.count, first_ignored(&lists->ignored));
}

PyMethodDef run_functions[] = {{"begin", begin, METH_VARARGS, NULL},
                               {"lines", lines, METH_VARARGS, NULL},
                               {"dicts", dicts, METH_VARARGS, NULL},
                               {"tuples", tuples, METH_VARARGS, NULL},
                               {"objects", objects, METH_VARARGS, NULL},
                               {"columns", columns, METH_VARARGS, NULL},
                               {"found", found, METH_VARARGS, NULL},
                               {NULL, NULL, 0, NULL}};
