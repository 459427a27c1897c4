/* Judged documents, ready for any number of runs. */
#include "values.h"

static const char JUDGED_NAME[] = "ir_trunc.judged";

enum { TOPIC_OFFSETS, TOPICS, DOC_OFFSETS, DOCS, ODD_OFFSETS, ODDS, KEYS, GRADES, VIEWS };

/* Judged documents, whose texts and numbers are in buffers of Python. */
typedef struct {
    Judged judged;
    Py_buffer views[VIEWS];
    int held;
} JudgedHere;

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

const Judged *judged_in(PyObject *capsule)
{
    JudgedHere *here = PyCapsule_GetPointer(capsule, JUDGED_NAME);
    return here ? &here->judged : NULL;
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

PyMethodDef judged_functions[] = {{"judged", judged_of, METH_VARARGS, judged_doc}, {NULL, NULL, 0, NULL}};
