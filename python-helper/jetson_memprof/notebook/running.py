"""Runs a notebook's cells in order, in one namespace, in a process that looks to them like a script's."""
import __future__
import ast
import builtins
import linecache
import os
import sys
import traceback
import types

from ..board import names
from ..json_text import decoded
from .plain import plain

_FUTURE = [getattr(__future__, name) for name in __future__.all_feature_names]
_AWAIT = getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0)


class _Cell(object):
    """`path` is what its code is called; `parts` are run one after the other."""

    def __init__(self, path, parts):
        self.path = path
        self.parts = parts


def main():
    """`sys.argv` is that of run.py; the specification of the run says where the cells are."""
    with open(os.environ["JETSON_MEMPROF_SPEC"], "rb") as file:
        spec = decoded(file.read())
    sys.argv[:] = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
    try:
        # All of them before the first one runs: what parsing leaves free would hide what the next cell takes.
        cells = _compile(spec["project_root"], spec["notebook"]["sources"], spec["notebook"]["cells"])
    except SyntaxError as error:
        traceback.print_exception(type(error), error, None)
        sys.exit(1)
    before, module = sys.modules["__main__"], types.ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, display=_display)
    module.__dict__.pop("__doc__", None)
    sys.modules["__main__"] = module
    try:
        for cell in cells:
            for part in cell.parts:
                exec(part, module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        _end_with(error)
    finally:
        del before  # it had to live as long as this runs


def _compile(root, sources, paths):
    cells, flags = [], 0
    for relative in paths:
        with open(os.path.join(sources, names.native(relative)), "rb") as file:
            text = file.read().decode("utf-8", "surrogatepass")
        path = os.path.join(root, names.native(relative))
        # Without a time, as of code that comes from no file: then nobody looks whether the file has changed.
        linecache.cache[path] = len(text), None, [line + "\n" for line in text.split("\n")], path
        parts = _parts(text, path, flags)
        for part in parts:
            flags |= sum(feature.compiler_flag for feature in _FUTURE if part.co_flags & feature.compiler_flag)
        cells.append(_Cell(path, parts))
    return cells


def _parts(text, path, flags):
    """A cell's code; the last expression is one of its own, which is displayed."""
    try:
        tree = compile(text, path, "exec", ast.PyCF_ONLY_AST | flags, True)
        shown = []
        if tree.body and isinstance(tree.body[-1], ast.Expr) and plain(text).shows:
            shown = [ast.Interactive([tree.body.pop()])]
        parts = [compile(tree, path, "exec", flags, True)] if tree.body else []
        return parts + [compile(one, path, "single", flags, True) for one in shown]
    except SyntaxError as error:
        error.filename = error.filename or path  # of null bytes Python 3.12 says no place
        if _is_await(error, text, path, flags):
            error.msg = ("a cell that uses await outside a function cannot be run without Jupyter. Put it into an async "
                         "function and call that with asyncio.run(...)")
        raise error
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes, lone surrogates, too much nesting
        raise SyntaxError("Python cannot compile this cell: %s" % (str(error) or type(error).__name__),
                          (path, 1, None, None)) from None


def _is_await(error, text, path, flags):
    if not _AWAIT:
        return "await" in (error.text or error.msg)  # 3.7 has no text of code that is in no file
    try:
        compile(text, path, "exec", flags | _AWAIT, True)
    except SyntaxError:
        return False
    return True


def _display(*objects, **_):
    """In place of Jupyter's function of this name: prints what a terminal can show."""
    for value in objects:
        print(repr(value))


def _end_with(error):
    """As Python ends a script, without the frames that ran the cells."""
    trace = error.__traceback__.tb_next
    error = error.with_traceback(trace)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    sys.stdout.flush()
    if sys.excepthook is sys.__excepthook__:
        traceback.print_exception(type(error), error, trace)  # Python's own would look for a file of the cell
    else:
        sys.excepthook(type(error), error, trace)
    sys.exit(130 if isinstance(error, KeyboardInterrupt) else 1)
