/* SPDX-License-Identifier: MIT */
#include <Python.h>

static PyObject *count(PyObject *self, PyObject *text)
{
    (void)self;
    return PyLong_FromSsize_t(PyUnicode_GetLength(text));
}

static PyMethodDef methods[] = {{"count", count, METH_O, "The number of characters."}, {0}};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "_count", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__count(void)
{
    return PyModule_Create(&module);
}
