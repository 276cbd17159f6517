import { expect, it } from "vitest";
import { isCallMechanism, isImportSystem, isInterpreter } from "./interpreterFrames.ts";

const PYTHON = "/usr/bin/python3.11";

it.each([
  "_PyEval_EvalFrameDefault",
  "_PyEval_EvalCodeWithName",
  "_PyEval_Vector",
  "PyEval_EvalCodeEx",
  "_PyFunction_FastCallDict",
  "_PyFunction_Vectorcall",
  "_PyCFunction_FastCallKeywords",
  "PyCFunction_Call",
  "_PyMethodDef_RawFastCallKeywords",
  "_PyMethodDescr_FastCallKeywords",
  "_PyObject_FastCallDictTstate",
  "_PyObject_Call_Prepend",
  "_PyObject_CallMethodIdObjArgs",
  "_PyObject_MakeTpCall",
  "PyObject_Vectorcall",
  "PyObject_VectorcallMethod",
  "PyVectorcall_Call",
  "object_vacall",
  "cfunction_vectorcall_FASTCALL_KEYWORDS",
  "cfunction_call",
  "method_vectorcall",
  "method_call",
  "type_call",
  "slot_tp_call",
  "slot_tp_init",
  "function_code_fastcall.constprop.0",
  "call_function",
  "do_call_core",
  "gen_send_ex2",
  "gen_iternext",
  "builtin___build_class__",
  "builtin_exec",
  "PyImport_ImportModuleLevelObject",
  "import_find_and_load",
  "run_eval_code_obj",
  "run_mod.part.0",
  "pyrun_file",
  "_PyRun_SimpleFileObject",
  "pymain_run_python",
  "Py_BytesMain",
  "main",
  "_Py_call_instrumentation_line",
  "py_00042",
  "run_file",
  "PyNumber_Add",
  "binary_op1",
  "_PyObject_GenericGetAttrWithDict",
  "property_descr_get",
  "_Py_slot_tp_getattr_hook",
  "partial_vectorcall",
  "_TAIL_CALL_BINARY_OP",
  "_Py_VectorCall_StackRefSteal",
  "_PyCallMethodDescriptorFast_StackRef",
])("%s is the interpreter's own call mechanism", (name) => {
  expect(isCallMechanism({ function: name, library: PYTHON })).toBe(true);
  expect(isCallMechanism({ function: name })).toBe(true);
});

it.each(["start_thread", "clone", "(below main)", "__libc_start_main@@GLIBC_2.34"])(
  "%s is where programs begin",
  (name) => {
    expect(isCallMechanism({ function: name, library: "/lib/x86_64-linux-gnu/libc.so.6" })).toBe(true);
  },
);

it.each([
  "PyList_New",
  "list_resize",
  "PyObject_Calloc",
  "_PyObject_Calloc",
  "PyObject_Malloc",
  "_PyObject_GC_New",
  "PyType_GenericAlloc",
  "type_new",
  "dict_resize",
  "PyByteArray_Resize",
  "list_vectorcall",
  "unicode_decode_utf8",
  "PyMarshal_ReadObjectFromString",
  "_PyCode_New",
  "builtin_sorted",
  "map_next",
  "list_extend",
])("%s allocates for the program", (name) => {
  expect(isCallMechanism({ function: name, library: PYTHON })).toBe(false);
});

it("takes functions of other libraries for theirs, whatever their names", () => {
  for (const name of ["main", "run_mod", "call_function", "slot_open"]) {
    expect(isCallMechanism({ function: name, library: "/usr/lib/libtorch_python.so" })).toBe(false);
  }
  expect(isCallMechanism({ library: "/usr/lib/libtorch_python.so" })).toBe(false);
  expect(isCallMechanism({})).toBe(false);
  expect(isCallMechanism({ function: "main", source: "app.cpp:12" })).toBe(false);
  expect(isCallMechanism({ function: "main", source: "python.c:12" })).toBe(true);
  expect(isCallMechanism({ function: "_PyEval_EvalFrameDefault", source: "generated_cases.c.h:813" })).toBe(true);
});

it.each([
  ["/usr/bin/python3.6", true],
  ["/usr/bin/python3.6m", true],
  ["/opt/conda/bin/python3", true],
  ["/usr/lib/aarch64-linux-gnu/libpython3.6m.so.1.0", true],
  ["libpython3.13.so", true],
  ["/usr/lib/libtorch_python.so", false],
  ["/usr/lib/python3/dist-packages/numpy/core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so", false],
  ["/usr/lib/libboost_python3.so", false],
])("%s is the interpreter: %j", (library, expected) => {
  expect(isInterpreter(library)).toBe(expected);
  expect(isCallMechanism({ library })).toBe(expected);
});

it("knows Python's import system", () => {
  expect(isImportSystem("<frozen importlib._bootstrap>")).toBe(true);
  expect(isImportSystem("<frozen importlib._bootstrap_external>")).toBe(true);
  expect(isImportSystem("importlib/_bootstrap.py")).toBe(false);
});
