/* Judged documents, ready for any number of runs. */
#include "values.h"

static const char JUDGED_NAME[] = "ir_trunc.judged";

enum { TOPIC_OFFSETS, TOPICS, DOC_OFFSETS, DOCS, ODD_OFFSETS, ODDS, KEYS, GRADES, VIEWS };

/* Judged documents, whose texts and numbers are in buffers of Python. */
typedef struct {
    Judged judged;
    Py_buffer views[VIEWS];
} JudgedHere;

static void free_judged(JudgedHere *here)
{
    judged_free(&here->judged);
    for (int at = 0; at < VIEWS; at++)
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

/* judged(topic_offsets, topics, doc_offsets, docs, odd_offsets, odds, keys, grades, seed): the judged documents
 * of every topic; None where the buffers do not fit together. */
static PyObject *judged_of(PyObject *module, PyObject *args)
{
    unsigned long long seed;
    JudgedHere *here = PyMem_Calloc(1, sizeof *here);
    if (!here)
        return PyErr_NoMemory();
    Py_buffer *views = here->views;
    bool held = PyArg_ParseTuple(args, "y*y*y*y*y*y*y*y*K", &views[0], &views[1], &views[2], &views[3],
                                 &views[4], &views[5], &views[6], &views[7], &seed);
    bool made = held && make(here, seed);
    PyObject *capsule = made ? PyCapsule_New(here, JUDGED_NAME, end_judged) : NULL;
    if (!capsule)
        free_judged(here);
    return capsule || !held || made ? capsule : Py_NewRef(Py_None);
}

PyMethodDef judged_functions[] = {{"judged", judged_of, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
