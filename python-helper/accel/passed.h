/* The files that are not measured, which are most code of most programs: known by the addresses of their names, so that
 * their functions are passed by without asking anybody and without anything hung on their code objects. */
#include "module.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST_PASSED = 1 << 13 };

static ptrdiff_t filename_offset; /* of a code object, 0: not known */
/* A table of a power of two places, at most half of them in use. */
static PyObject **passed_by;
static size_t passed_room, passed_count;

static size_t place_of(const PyObject *filename, size_t room) {
    size_t at = (size_t)((uintptr_t)filename >> 4) * 0x9E3779B97F4A7C15u >> 20 & (room - 1);
    while (passed_by[at] && passed_by[at] != filename) at = (at + 1) & (room - 1);
    return at;
}

static inline int is_passed_by(const PyObject *code) {
    if (!passed_count) return 0;
    PyObject *filename = *(PyObject **)((char *)code + filename_offset);
    return passed_by[place_of(filename, passed_room)] == filename;
}

/* Where code objects keep their file's name: the one word of them that is its address. 0 where that is not clear. */
static ptrdiff_t find_filename(PyObject *code, const PyObject *filename) {
    ptrdiff_t found = 0;
    PyObject *type = PyObject_Type(code), *size = PyObject_GetAttrString(type, "__basicsize__");
    long long end = size ? PyLong_AsLongLong(size) : 0;
    Py_DecRef(size);
    Py_DecRef(type);
    for (ptrdiff_t at = 16; at + 8 <= end; at += 8)
        if (*(PyObject **)((char *)code + at) == filename) {
            if (found) return 0;
            found = at;
        }
    return found;
}

static int make_room(void) {
    if (2 * (passed_count + 1) <= passed_room) return 1;
    size_t before = passed_room, room = before ? 2 * before : 256;
    PyObject **old = passed_by, **grown = calloc(room, sizeof *grown);
    if (!grown) return 0;
    passed_by = grown;
    passed_room = room;
    for (size_t i = 0; i < before; i++)
        if (old[i]) passed_by[place_of(old[i], room)] = old[i];
    free(old);
    return 1;
}

/* No code of this one's file is measured: its name is kept, so that its address stays its own. Returns whether it was.
 * Names like <string> are not: programs that compile text have them without end. */
static int pass_by(PyObject *code) {
    PyObject *filename = PyObject_GetAttrString(code, "co_filename");
    if (!filename) {
        PyErr_Clear();
        return 0;
    }
    if (!filename_offset) filename_offset = find_filename(code, filename);
    uint32_t first = PyUnicode_ReadChar(filename, 0);
    PyErr_Clear(); /* it may be empty */
    if (filename_offset && passed_count < MOST_PASSED && first != '<' && make_room()) {
        passed_by[place_of(filename, passed_room)] = filename;
        passed_count++;
        return 1;
    }
    Py_DecRef(filename);
    return 0;
}
