/* The core for Python. */
#include "values.h"

#ifndef IR_TRUNC_SOURCES /* the fingerprint of build.py; _kernel/__init__.py compares it */
#define IR_TRUNC_SOURCES ""
#endif

static int add_functions(PyObject *module)
{
    PyMethodDef *of_files[] = {judged_functions, run_functions, qrels_functions};
    for (size_t at = 0; at < sizeof of_files / sizeof *of_files; at++)
        if (PyModule_AddFunctions(module, of_files[at]) < 0)
            return -1;
    return PyModule_AddStringConstant(module, "sources", IR_TRUNC_SOURCES);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, add_functions}, {0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_core", .m_size = 0,
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
