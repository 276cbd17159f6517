/**
 * Which frames are the Python interpreter's own way of calling a function, from CPython 3.6 to 3.15: they stand between
 * any two Python frames and say nothing about the program. What allocates (lists, dictionaries, strings…) is not among
 * them.
 */
import { fileName } from "./frameNames.ts";

/** `/usr/bin/python3.6`, `libpython3.8.so.1.0`. */
const INTERPRETER_LIBRARY = /^(?:lib)?python\d(?:\.\d+)?[a-z]*(?:\.so[\d.]*)?$/;

/** What compilers append to the name of a function that they split or specialised. */
const COMPILER_SUFFIX = /(?:\.(?:constprop|isra|part|cold|lto_priv|llvm|localalias)(?:\.\d+)*)+$/;

const CALL_MECHANISM = new RegExp(
  `^(?:${[
    // The evaluation loop and what enters it.
    "_?PyEval_(?:Eval\\w*|Vector|CallObjectWithKeywords|CallFunction|CallMethod)",
    "_TAIL_CALL_\\w+|_?Py_?[Tt]rampoline\\w*|py_trampoline_evaluator|trampoline_evaluator|py_?hook|clear_thread_frame",
    // Calls.
    "_?PyObject_(?:Vectorcall|FastCall|Call(?!oc)|MakeTpCall)\\w*",
    "_Py_?(?:BuiltinCall|Call|VectorCall|LoadAttr)\\w*_StackRef\\w*",
    "_?PyVectorcall_\\w+|object_vacall|vectorcall_\\w+|bounded_vectorcall",
    "(?:cfunction|method|type)_vectorcall\\w*",
    "_?PyStack_\\w+|_PyFunction_\\w*[cC]all\\w*|_?PyCFunction_\\w*[cC]all\\w*|_?PyMethodDe(?:f|scr)_\\w*[cC]all\\w*",
    "cfunction_\\w*call\\w*|(?:classmethod|method|methoddescr|function|wrapper|wrapperdescr|type|instancemethod)_\\w*call",
    "function_code_fastcall|call_function\\w*|callmethod|call_(?:un)?bound\\w*|call_method|call_maybe|fast_function",
    "do_call\\w*|ext_do_call|_?PyFunction_Vectorcall|(?:_Py_)?slot_\\w+|vgetargs\\w*|wrap_(?:init|call|next|\\w+func)",
    "partial_(?:call|fastcall|vectorcall)\\w*|trace_call_function",
    // Operators and attributes: what finds the method to call.
    "_?PyNumber_\\w+|binary_i?op1?|ternary_i?op|call_attribute|property_descr_get|_?PyObject_Generic[GS]etAttr\\w*",
    "_?PyObject_(?:[GS]et(?:Attr|Item)\\w*|GetIter|GetMethod|RichCompare\\w*|IsTrue|Hash|Str|Repr)|do_richcompare|PyIter_Next",
    "builtin___build_class__|builtin_(?:exec|eval|compile)\\w*|builtin___import__\\w*",
    // Generators and coroutines.
    "_?gen_(?:send|throw|close|iternext)\\w*|_?PyGen_Send|_PyGen_yf|PyIter_Send|async_gen_\\w+|coro_wrapper_\\w+",
    // Import.
    "_?PyImport_(?:Import|Exec|Load)\\w*|import_(?:name|from|find_and_load|find_extension|all_from)|exec_code_in_module",
    "_imp_(?:exec|create)_\\w+",
    // Tracing and monitoring.
    "call_(?:trampoline|trace\\w*|instrumentation\\w*|one_instrument\\w*|profile\\w*)|_Py_call_instrumentation\\w*",
    "(?:profile|trace)_trampoline|maybe_call_line_trace|sys_(?:trace|profile)_\\w+|_?PyEval_SetTrace",
    // Where the program and its threads begin.
    "run_(?:mod|eval_code_obj|pyc_file|file|command|module)|pyrun_\\w+|_?PyRun_\\w+|pymain_\\w+|Py_(?:Bytes)?Main|Py_RunMain",
    "main|_start|\\(below main\\)|__libc_start_main\\w*|__libc_start_call_main",
    "thread_run|t_bootstrap|pythread_wrapper|start_thread|thread_start|__?clone3?|clone",
  ].join("|")})$`,
);

/** The pads that stand for Python lines in the stacks; a pad that is still native has no known line. */
const PAD = /^py_\d{5,}$/;

/** Whether a function of that name stands for a Python line that the run recorded beside the file. */
export function isPad(name: string): boolean {
  return PAD.test(name);
}

export interface NativeFunction {
  readonly function?: string;
  /** `file.c:12`. */
  readonly source?: string;
  readonly library?: string;
}

/** Whether a library or program is the Python interpreter, by its path or name. */
export function isInterpreter(library: string): boolean {
  return INTERPRETER_LIBRARY.test(fileName(library));
}

/** Whether it evaluates Python code: a stack with it is that of a Python program. */
export function isEvaluation({ function: name = "" }: NativeFunction): boolean {
  return /^_?PyEval_Eval/.test(name);
}

export function isCallMechanism({ function: name, source, library }: NativeFunction): boolean {
  // Functions without a name in the interpreter are its static ones; they lie between the named ones.
  if (name === undefined) return library !== undefined && isInterpreter(library);
  if (isPad(name)) return true;
  const plain = name.replace(COMPILER_SUFFIX, "").replace(/@.*$/, "");
  // The interpreter is written in C; a function of the same name in C++ is another's.
  if (!CALL_MECHANISM.test(plain) || (source !== undefined && !/\.[chS]:\d+$/.test(source))) return false;
  return library === undefined || isInterpreter(library) || isSystemLibrary(library) || /^py_?hook$/.test(plain);
}

/** The C library and the loader: threads and programs begin in them. */
function isSystemLibrary(library: string): boolean {
  return /^(?:libc|libpthread|ld)[-.]/.test(fileName(library));
}

/** Python's import system is written in Python; its own tracebacks leave it out too. */
export function isImportSystem(path: string): boolean {
  return /^<frozen importlib\._bootstrap(?:_external)?>$/.test(path);
}
