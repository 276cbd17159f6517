/* What an extension module needs of Python.h: the parts of the stable ABI that CPython 3.6 to 3.15 with a global lock agree on,
 * as https://docs.python.org/3/c-api/stable.html and PEP 384 list them. */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct _object PyObject;
extern void Py_IncRef(PyObject *);
extern void Py_DecRef(PyObject *);
extern PyObject *Py_BuildValue(const char *, ...);
extern int PyArg_ParseTuple(PyObject *, const char *, ...);
extern PyObject *PyObject_CallFunction(PyObject *, const char *, ...);
extern PyObject *PyBool_FromLong(long);
extern long long PyLong_AsLongLong(PyObject *);
extern PyObject *PyBytes_FromStringAndSize(const char *, ptrdiff_t);
extern PyObject *PyErr_NoMemory(void);
extern PyObject *PyObject_GetAttrString(PyObject *, const char *);
extern PyObject *PyObject_Type(PyObject *);
extern uint32_t PyUnicode_ReadChar(PyObject *, ptrdiff_t);
extern void PyErr_Clear(void);
extern void PyErr_WriteUnraisable(PyObject *);

/* Py_buffer */
typedef struct {
    void *bytes;
    PyObject *object;
    ptrdiff_t size, item_size;
    int is_read_only, dimensions;
    char *format;
    ptrdiff_t *shape, *strides, *suboffsets;
    void *internal;
} Buffer;
extern void PyBuffer_Release(Buffer *);

/* PyMethodDef, with its METH_VARARGS and METH_NOARGS */
typedef struct {
    const char *name;
    PyObject *(*function)(PyObject *, PyObject *);
    int flags;
    const char *doc;
} Method;
enum { WITH_ARGUMENTS = 1, WITHOUT_ARGUMENTS = 4 };

/* PyModuleDef; a PyObject is two words, but on builds that trace references or have no global lock. */
typedef struct {
    ptrdiff_t references;
    void *type;
    PyObject *(*initialise)(void);
    ptrdiff_t index;
    PyObject *copy;
    const char *name, *doc;
    ptrdiff_t size;
    Method *methods;
    void *slots, *traverse, *clear, *free;
} Definition;
enum { STABLE_ABI = 3 };
extern PyObject *PyModule_Create2(Definition *, int);
