/* The lists of one run from lines, dicts, tuples or columns. */
#include "values.h"

#include "../core/lines.h"
#include "../core/lists.h"

static const char LISTS_NAME[] = "ir_trunc.lists";

/* judged: keeps the qrels alive. */
typedef struct {
    Lists lists;
    PyObject *judged;
    Kept kept;
} ListsHere;

static void end_lists(PyObject *capsule)
{
    ListsHere *here = PyCapsule_GetPointer(capsule, LISTS_NAME);
    lists_free(&here->lists);
    Py_DECREF(here->judged);
    Py_DECREF(here->kept.copies);
    PyMem_Free(here);
}

PyDoc_STRVAR(begin_doc, "begin(judged, order, lower_is_better, keep_scores)\n--\n\n"
                        "The lists of one run, none so far. order: 0 score, 1 score64, 2 rank, 3 file.");

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
    here->kept.copies = PyList_New(0);
    PyObject *capsule = here->kept.copies ? PyCapsule_New(here, LISTS_NAME, NULL) : NULL;
    if (!capsule || !lists_begin(&here->lists, qrels, way)) {
        Py_XDECREF(capsule);
        Py_XDECREF(here->kept.copies);
        PyMem_Free(here);
        return capsule ? PyErr_NoMemory() : NULL;
    }
    here->judged = Py_NewRef(judged);
    PyCapsule_SetDestructor(capsule, end_lists);
    return capsule;
}

PyDoc_STRVAR(lines_doc,
             "lines(lists, block)\n--\n\nAdd lines of a file; False where it is not sure what they mean.");

static PyObject *lines(PyObject *module, PyObject *args)
{
    PyObject *lists;
    Py_buffer block;
    if (!PyArg_ParseTuple(args, "Oy*", &lists, &block))
        return NULL;
    ListsHere *here = PyCapsule_GetPointer(lists, LISTS_NAME);
    bool sure = false;
    if (here && block.len <= MOST_BYTES) {
        Py_BEGIN_ALLOW_THREADS
        sure = lines_of_run(&here->lists, (Text){block.buf, (size_t)block.len});
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&block);
    return here ? PyBool_FromLong(sure) : NULL;
}

/* Lists complete: nobody needs the bytes of their ids any more. */
static bool let_go(ListsHere *here)
{
    PyObject *copies = here->kept.copies;
    return !here->kept.careful || PyList_SetSlice(copies, 0, PyList_Size(copies), NULL) == 0;
}

static bool add_list(ListsHere *here, PyObject *topic, PyObject *docs, PyObject *floats)
{
    Text name, id;
    PyObject *doc, *value;
    Py_ssize_t at = 0;
    double score;
    if (!is_exactly(docs, &PyDict_Type) || !id_of(&here->kept, topic, &name))
        return false;
    if (!PyDict_Size(docs))
        return let_go(here);
    if (!lists_topic(&here->lists, name))
        return false;
    while (PyDict_Next(docs, &at, &doc, &value))
        if (!id_of(&here->kept, doc, &id) || !score_of(value, floats, &score) ||
            !lists_add(&here->lists, id, score, 0))
            return false;
    return lists_complete(&here->lists) && let_go(here);
}

/* The answer to a question that may have failed inside Python: whoever reads the data next will say so. */
static PyObject *answer(bool sure)
{
    PyErr_Clear();
    return PyBool_FromLong(sure);
}

PyDoc_STRVAR(dicts_doc, "dicts(lists, {topic: {document: score}}, floats)\n--\n\n"
                        "Add the lists of a dict; False where it is not sure what they mean.");

static PyObject *dicts(PyObject *module, PyObject *args)
{
    PyObject *lists, *run, *floats, *topic, *docs;
    Py_ssize_t at = 0;
    if (!PyArg_ParseTuple(args, "OOO", &lists, &run, &floats))
        return NULL;
    ListsHere *here = PyCapsule_GetPointer(lists, LISTS_NAME);
    if (!here)
        return NULL;
    if (!PyDict_Check(run))
        return answer(false);
    here->lists.distinct = true;
    while (PyDict_Next(run, &at, &topic, &docs))
        if (!is_exactly(topic, &PyUnicode_Type) || !add_list(here, topic, docs, floats))
            return answer(false);
    return answer(true);
}

/* Whether a topic that is another object is the same text. */
static bool goes_on(ListsHere *here, PyObject *topic)
{
    Text name;
    return here->lists.topic != NO_LIST && id_of(&here->kept, topic, &name) &&
           text_equal(name, here->lists.name);
}

static bool next_list(ListsHere *here, PyObject *topic)
{
    Text name;
    return lists_complete(&here->lists) && let_go(here) && id_of(&here->kept, topic, &name) &&
           lists_topic(&here->lists, name);
}

static bool add_row(ListsHere *here, PyObject *own, PyObject *doc, PyObject *value, PyObject *floats,
                    PyObject **topic)
{
    Text id;
    double score;
    if (own != *topic && !goes_on(here, own) && !next_list(here, own))
        return false;
    *topic = own;
    return id_of(&here->kept, doc, &id) && score_of(value, floats, &score) &&
           lists_add(&here->lists, id, score, 0);
}

static bool add_tuple(ListsHere *here, const Tuples *tuples, PyObject *item, PyObject *floats,
                      PyObject **topic)
{
    return add_row(here, PyTuple_GetItem(item, tuples->topic), PyTuple_GetItem(item, tuples->doc),
                   PyTuple_GetItem(item, tuples->value), floats, topic);
}

PyDoc_STRVAR(tuples_doc,
             "tuples(lists, [item, ...], type, size, topic, doc, score, floats)\n--\n\n"
             "Add tuples of one type and size, with the places of their fields; False where it is not\n"
             "sure what they mean.");

static PyObject *tuples(PyObject *module, PyObject *args)
{
    PyObject *lists, *floats, *item, *topic = NULL;
    Tuples all;
    if (!PyArg_ParseTuple(args, "OO!O!nnnnO", &lists, &PyList_Type, &all.items, &PyType_Type, &all.type,
                          &all.size, &all.topic, &all.doc, &all.value, &floats))
        return NULL;
    ListsHere *here = PyCapsule_GetPointer(lists, LISTS_NAME);
    if (!here)
        return NULL;
    if (!sound(&all))
        return answer(false);
    for (Py_ssize_t at = 0, count = PyList_Size(all.items); at < count; at++)
        if (!(item = tuple_at(&all, at)) || !add_tuple(here, &all, item, floats, &topic))
            return answer(false);
    return answer(lists_complete(&here->lists) && let_go(here));
}

PyDoc_STRVAR(objects_doc, "objects(lists, [topic, ...], [doc, ...], [score, ...], floats)\n--\n\n"
                          "Add rows of objects; False where it is not sure what they mean.");

static PyObject *objects(PyObject *module, PyObject *args)
{
    PyObject *lists, *topics, *docs, *scores, *floats, *topic = NULL;
    if (!PyArg_ParseTuple(args, "OO!O!O!O", &lists, &PyList_Type, &topics, &PyList_Type, &docs, &PyList_Type,
                          &scores, &floats))
        return NULL;
    ListsHere *here = PyCapsule_GetPointer(lists, LISTS_NAME);
    if (!here)
        return NULL;
    Py_ssize_t count = PyList_Size(topics);
    bool sure = PyList_Size(docs) == count && PyList_Size(scores) == count;
    for (Py_ssize_t at = 0; at < count && sure; at++)
        sure = add_row(here, PyList_GetItem(topics, at), PyList_GetItem(docs, at),
                       PyList_GetItem(scores, at), floats, &topic);
    return answer(sure && lists_complete(&here->lists) && let_go(here));
}

/* Of every row the number of its topic's text, the document's text, and the score. */
typedef struct {
    const int32_t *topic_of;
    Texts topics, docs;
    const double *scores;
} Columns;

static bool next_topic(Lists *lists, const Columns *rows, int32_t topic)
{
    if (topic < 0 || (size_t)topic >= rows->topics.count)
        return false;
    Text name = text_of(&rows->topics, (size_t)topic);
    return text_is_utf8(name) && lists_topic(lists, name);
}

static bool add_columns(Lists *lists, const Columns *rows)
{
    for (size_t at = 0; at < rows->docs.count; at++) {
        int32_t topic = rows->topic_of[at];
        double score = rows->scores[at];
        if ((!at || topic != rows->topic_of[at - 1]) && !next_topic(lists, rows, topic))
            return false;
        Text id = text_of(&rows->docs, at);
        if (score - score != 0 || !text_is_utf8(id) || !lists_add(lists, id, score, 0))
            return false;
    }
    return lists_complete(lists);
}

PyDoc_STRVAR(columns_doc, "columns(lists, topic_of, topic_offsets, topics, doc_offsets, docs, scores)\n--\n\n"
                          "Add the lists of rows in columns; False where it is not sure what they mean.");

static PyObject *columns(PyObject *module, PyObject *args)
{
    PyObject *lists;
    Py_buffer topic_of, topic_offsets, topics, doc_offsets, docs, scores;
    if (!PyArg_ParseTuple(args, "Oy*y*y*y*y*y*", &lists, &topic_of, &topic_offsets, &topics, &doc_offsets,
                          &docs, &scores))
        return NULL;
    ListsHere *here = PyCapsule_GetPointer(lists, LISTS_NAME);
    Columns rows = {topic_of.buf, texts_in(&topic_offsets, &topics), texts_in(&doc_offsets, &docs),
                    scores.buf};
    bool sure = here && fit(&topic_offsets, &topics) && fit(&doc_offsets, &docs) &&
                (size_t)topic_of.len == rows.docs.count * sizeof(int32_t) &&
                (size_t)scores.len == rows.docs.count * sizeof(double);
    if (sure) {
        Py_BEGIN_ALLOW_THREADS
        sure = add_columns(&here->lists, &rows);
        Py_END_ALLOW_THREADS
    }
    Py_buffer *held[] = {&topic_of, &topic_offsets, &topics, &doc_offsets, &docs, &scores};
    for (size_t at = 0; at < sizeof held / sizeof *held; at++)
        PyBuffer_Release(held[at]);
    return here ? PyBool_FromLong(sure) : NULL;
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

PyDoc_STRVAR(found_doc,
             "found(lists, all)\n--\n\n"
             "Lists in the order of the qrels' topics, with the empty ones where all is true: topics,\n"
             "lengths, offsets of judged documents, their ranks, their grades, starts in the scores; the\n"
             "scores that were kept; first scores; rows, lists of several documents, tied ones, those with\n"
             "scores that differ but have the same key, ignored topics, and the first of these.");

enum { TOPIC, LENGTH, OFFSET, RANK, GRADE, START, FIRST, COLUMNS };

static PyObject *found(PyObject *module, PyObject *args)
{
    PyObject *capsule, *columns[COLUMNS];
    int all;
    if (!PyArg_ParseTuple(args, "Op", &capsule, &all))
        return NULL;
    ListsHere *here = PyCapsule_GetPointer(capsule, LISTS_NAME);
    if (!here)
        return NULL;
    const Lists *lists = &here->lists;
    size_t count = lists_count(lists, all), judged = lists_judged(lists);
    const size_t sizes[COLUMNS] = {count, count, count + 1, judged, judged, count, count};
    void *to[COLUMNS];
    bool made = true;
    for (int at = 0; at < COLUMNS; at++) {
        columns[at] = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(sizes[at] * sizeof(int64_t)));
        to[at] = columns[at] ? PyByteArray_AsString(columns[at]) : NULL;
        made = made && to[at];
    }
    Ordered ordered = {to[TOPIC], to[LENGTH], to[OFFSET], to[RANK], to[GRADE], to[START], to[FIRST]};
    if (!made || !lists_ordered(lists, all, ordered)) {
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

PyMethodDef run_functions[] = {{"begin", begin, METH_VARARGS, begin_doc},
                               {"lines", lines, METH_VARARGS, lines_doc},
                               {"dicts", dicts, METH_VARARGS, dicts_doc},
                               {"tuples", tuples, METH_VARARGS, tuples_doc},
                               {"objects", objects, METH_VARARGS, objects_doc},
                               {"columns", columns, METH_VARARGS, columns_doc},
                               {"found", found, METH_VARARGS, found_doc},
                               {NULL, NULL, 0, NULL}};
