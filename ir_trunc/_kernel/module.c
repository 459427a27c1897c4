/* The core for Python: the limited API, so that one build serves every version from 3.11 on.
 *
 * No function words an error about data: where the core is not sure, False comes back, and the caller reads
 * the same data in Python, which either understands them or says what is wrong. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdlib.h>

#include "core/lines.h"
#include "core/lists.h"

static const char JUDGED_NAME[] = "ir_trunc.judged", LISTS_NAME[] = "ir_trunc.lists";

/* Larger blocks, of one topic's lines alone, are left to Python, which says that they are too large. */
static const Py_ssize_t MOST_BYTES = INT32_MAX;

enum { TOPIC_OFFSETS, TOPICS, DOC_OFFSETS, DOCS, ODD_OFFSETS, ODDS, KEYS, GRADES, VIEWS };

/* Judged documents, whose texts and numbers are in buffers of Python. */
typedef struct {
    Judged judged;
    Py_buffer views[VIEWS];
    int held;
} JudgedHere;

/* copies: the bytes of ids, once one is not ASCII, until nobody needs them any more. */
typedef struct {
    PyObject *copies;
    bool careful;
} Kept;

/* judged: keeps the qrels alive. */
typedef struct {
    Lists lists;
    PyObject *judged;
    Kept kept;
} ListsHere;

static void free_judged(JudgedHere *here)
{
    judged_free(&here->judged);
    for (int at = 0; at < here->held; at++)
        PyBuffer_Release(&here->views[at]);
    PyMem_Free(here);
}

static void end_judged(PyObject *capsule)
{
    free_judged(PyCapsule_GetPointer(capsule, JUDGED_NAME));
}

static void end_lists(PyObject *capsule)
{
    ListsHere *here = PyCapsule_GetPointer(capsule, LISTS_NAME);
    lists_free(&here->lists);
    Py_DECREF(here->judged);
    Py_DECREF(here->kept.copies);
    PyMem_Free(here);
}

static Texts texts_in(const Py_buffer *offsets, const Py_buffer *bytes)
{
    size_t count = (size_t)offsets->len / sizeof(int32_t); /* of n texts there are n + 1 */
    return (Texts){offsets->buf, bytes->buf, count ? count - 1 : 0};
}

/* Whether there are offsets, which ascend and stay within the bytes. */
static bool fit(const Py_buffer *offsets, const Py_buffer *bytes)
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

static bool hold(JudgedHere *here, PyObject *const *given)
{
    for (; here->held < VIEWS; here->held++)
        if (PyObject_GetBuffer(given[here->held], &here->views[here->held], PyBUF_SIMPLE) < 0)
            return false;
    return true;
}

static bool make(JudgedHere *here, unsigned long long seed)
{
    const Py_buffer *views = here->views;
    if (!fit(&views[TOPIC_OFFSETS], &views[TOPICS]) || !fit(&views[DOC_OFFSETS], &views[DOCS]) ||
        !fit(&views[ODD_OFFSETS], &views[ODDS]) || views[KEYS].len != views[GRADES].len)
        return false;
    Judgments judgments = {.topics = texts_in(&views[TOPIC_OFFSETS], &views[TOPICS]),
                           .docs = texts_in(&views[DOC_OFFSETS], &views[DOCS]),
                           .odd = texts_in(&views[ODD_OFFSETS], &views[ODDS]),
                           .keys = views[KEYS].buf,
                           .grades = views[GRADES].buf,
                           .count = (size_t)views[KEYS].len / sizeof(int64_t)};
    return judged_make(&here->judged, judgments, seed);
}

PyDoc_STRVAR(judged_doc,
             "judged(topic_offsets, topics, doc_offsets, docs, odd_offsets, odds, keys, grades, seed)\n"
             "--\n\nThe judged documents of every topic, ready for any number of runs; None where the\n"
             "buffers do not fit together.");

static PyObject *judged_of(PyObject *module, PyObject *args)
{
    PyObject *given[VIEWS];
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "OOOOOOOOK", &given[0], &given[1], &given[2], &given[3], &given[4], &given[5],
                          &given[6], &given[7], &seed))
        return NULL;
    JudgedHere *here = PyMem_Calloc(1, sizeof *here);
    if (!here)
        return PyErr_NoMemory();
    bool held = hold(here, given), made = held && make(here, seed);
    PyObject *capsule = made ? PyCapsule_New(here, JUDGED_NAME, end_judged) : NULL;
    if (!capsule)
        free_judged(here);
    return capsule || !held || made ? capsule : Py_NewRef(Py_None);
}

PyDoc_STRVAR(begin_doc, "begin(judged, order, lower_is_better, keep_scores)\n--\n\n"
                        "The lists of one run, none so far. order: 0 score, 1 score64, 2 rank, 3 file.");

static PyObject *begin(PyObject *module, PyObject *args)
{
    PyObject *judged;
    int order, lower_is_better, keep_scores;
    if (!PyArg_ParseTuple(args, "Oipp", &judged, &order, &lower_is_better, &keep_scores))
        return NULL;
    JudgedHere *qrels = PyCapsule_GetPointer(judged, JUDGED_NAME);
    ListsHere *here = qrels ? PyMem_Calloc(1, sizeof *here) : NULL;
    if (!here)
        return qrels ? PyErr_NoMemory() : NULL;
    Way way = {(Order)order, lower_is_better, keep_scores};
    here->kept.copies = PyList_New(0);
    PyObject *capsule = here->kept.copies ? PyCapsule_New(here, LISTS_NAME, NULL) : NULL;
    if (!capsule || !lists_begin(&here->lists, &qrels->judged, way)) {
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

static bool is_exactly(PyObject *object, PyTypeObject *type)
{
    return Py_TYPE(object) == type;
}

/* The UTF-8 of a text in bytes of our own. */
static bool copied(Kept *ours, PyObject *text, Text *id)
{
    PyObject *copy = PyUnicode_AsUTF8String(text);
    bool kept = copy && PyList_Append(ours->copies, copy) == 0;
    Py_XDECREF(copy);
    if (kept)
        *id = (Text){PyBytes_AsString(copy), (size_t)PyBytes_Size(copy)};
    return kept;
}

/* The UTF-8 of a text. One that is not ASCII keeps the bytes that Python makes of it, in the user's own
 * object: from the first of them on, the bytes are ours. */
static bool id_of(Kept *ours, PyObject *object, Text *id)
{
    Py_ssize_t size = 0;
    if (!is_exactly(object, &PyUnicode_Type))
        return false;
    if (ours->careful)
        return copied(ours, object, id);
    const char *bytes = PyUnicode_AsUTF8AndSize(object, &size);
    if (!bytes)
        return false;
    *id = (Text){bytes, (size_t)size};
    ours->careful = !is_ascii(*id);
    return true;
}

/* Python's own numbers, and those of `floats`, a type whose values are floats in memory. */
static bool score_of(PyObject *object, PyObject *floats, double *score)
{
    if (is_exactly(object, &PyFloat_Type) || (PyObject *)Py_TYPE(object) == floats)
        *score = PyFloat_AsDouble(object);
    else if (is_exactly(object, &PyLong_Type))
        *score = PyLong_AsDouble(object);
    else
        return false;
    return *score - *score == 0 && !(*score == -1.0 && PyErr_Occurred()); /* finite, and no error */
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
    if (!is_exactly(docs, &PyDict_Type))
        return false;
    if (!PyDict_Size(docs))
        return true;
    if (!id_of(&here->kept, topic, &name) || !lists_topic(&here->lists, name))
        return false;
    while (PyDict_Next(docs, &at, &doc, &value))
        if (!id_of(&here->kept, doc, &id) || !score_of(value, floats, &score) ||
            !lists_add(&here->lists, id, score, 0, false))
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
    while (PyDict_Next(run, &at, &topic, &docs))
        if (!is_exactly(topic, &PyUnicode_Type) || !add_list(here, topic, docs, floats))
            return answer(false);
    return answer(true);
}

/* Of which type and size all tuples are, and which places hold topic, document and value. */
typedef struct {
    PyObject *items, *type;
    Py_ssize_t size, topic, doc, value;
} Tuples;

static bool inside(const Tuples *tuples, Py_ssize_t at)
{
    return at >= 0 && at < tuples->size;
}

static bool sound(const Tuples *tuples)
{
    return inside(tuples, tuples->topic) && inside(tuples, tuples->doc) && inside(tuples, tuples->value) &&
           PyType_IsSubtype((PyTypeObject *)tuples->type, &PyTuple_Type);
}

/* One of the tuples, or NULL where it is of another type or size. */
static PyObject *tuple_at(const Tuples *tuples, Py_ssize_t at)
{
    PyObject *item = PyList_GetItem(tuples->items, at);
    return (PyObject *)Py_TYPE(item) == tuples->type && PyTuple_Size(item) == tuples->size ? item : NULL;
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

static bool add_tuple(ListsHere *here, const Tuples *tuples, PyObject *item, PyObject *floats,
                      PyObject **topic)
{
    Text id;
    double score;
    PyObject *own = PyTuple_GetItem(item, tuples->topic);
    if (own != *topic && !goes_on(here, own) && !next_list(here, own))
        return false;
    *topic = own;
    return id_of(&here->kept, PyTuple_GetItem(item, tuples->doc), &id) &&
           score_of(PyTuple_GetItem(item, tuples->value), floats, &score) &&
           lists_add(&here->lists, id, score, 0, true);
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

/* Of every row the number of its topic's text, the document's text, and the score. */
typedef struct {
    const int32_t *topic_of;
    Texts topics, docs;
    const double *scores;
} Columns;

static bool add_columns(Lists *lists, const Columns *rows)
{
    for (size_t at = 0; at < rows->docs.count; at++) {
        int32_t topic = rows->topic_of[at];
        double score = rows->scores[at];
        if (!at || topic != rows->topic_of[at - 1])
            if (topic < 0 || (size_t)topic >= rows->topics.count ||
                !lists_topic(lists, text_of(&rows->topics, (size_t)topic)))
                return false;
        if (score - score != 0 || !lists_add(lists, text_of(&rows->docs, at), score, 0, true))
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

static PyObject *column(const Bytes *bytes)
{
    return PyBytes_FromStringAndSize(bytes->at, (Py_ssize_t)bytes->size);
}

/* The first stranger by its bytes. */
static PyObject *first_stranger(const Ids *strangers)
{
    if (!strangers->count)
        Py_RETURN_NONE;
    Text first = strangers->texts[0];
    for (size_t at = 1; at < strangers->count; at++)
        if (text_compare(strangers->texts[at], first) < 0)
            first = strangers->texts[at];
    return PyUnicode_DecodeUTF8(first.at, (Py_ssize_t)first.size, "strict");
}

PyDoc_STRVAR(found_doc,
             "found(lists, all)\n--\n\n"
             "Lists in the order of the qrels' topics, with the empty ones where all is true: topics,\n"
             "lengths, offsets of judged documents, their ranks, their grades, starts in the scores; the\n"
             "scores that were kept; first scores; rows, lists of several documents, tied ones, strangers,\n"
             "and the first of these.");

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
    return Py_BuildValue("((NNNNNN)NNLLLnN)", columns[TOPIC], columns[LENGTH], columns[OFFSET],
                         columns[RANK], columns[GRADE], columns[START], scores, columns[FIRST],
                         (long long)of_run->rows, (long long)of_run->several, (long long)of_run->tied,
                         (Py_ssize_t)lists->strangers.count, first_stranger(&lists->strangers));
}

/* Ids as offsets and bytes, or NULL. */
static PyObject *texts(const Ids *ids)
{
    Bytes offsets = {0}, bytes = {0};
    bool all = ids_in_one(ids, &offsets, &bytes);
    PyObject *both = all ? Py_BuildValue("(NN)", column(&offsets), column(&bytes)) : PyErr_NoMemory();
    free(offsets.at);
    free(bytes.at);
    return both;
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
        if (!id_of(ours, topic, &name) || !text_is_utf8(name) || !is_exactly(docs, &PyDict_Type))
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

static PyMethodDef functions[] = {{"judged", judged_of, METH_VARARGS, judged_doc},
                                  {"begin", begin, METH_VARARGS, begin_doc},
                                  {"lines", lines, METH_VARARGS, lines_doc},
                                  {"dicts", dicts, METH_VARARGS, dicts_doc},
                                  {"tuples", tuples, METH_VARARGS, tuples_doc},
                                  {"columns", columns, METH_VARARGS, columns_doc},
                                  {"found", found, METH_VARARGS, found_doc},
                                  {"qrels_of_lines", qrels_of_lines, METH_VARARGS, qrels_doc},
                                  {"qrels_of_dicts", qrels_of_dicts, METH_VARARGS, qrels_of_dicts_doc},
                                  {"qrels_of_tuples", qrels_of_tuples, METH_VARARGS, qrels_of_tuples_doc},
                                  {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_core", .m_size = 0,
                                        .m_methods = functions};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
