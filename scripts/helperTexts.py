"""What the board's helper words itself for the warnings and notes of a run, as JSON for scripts/words.mjs: [[text, place]].

Every text of its sources that reads as words is one, but for those that are listed here: a new sentence is found wherever
it is made. `%s` and its like become {0}, {1} and so on."""
import ast
import json
import os
import re
import sys

_HELPER = "python-helper/jetson_memprof"
#: What Jupyter shows; what is no sentence at all.
_FILES = re.compile(r"board/(system|wire|servers)/|board/files\.py|heap/(names|tree)\.py|lean_json\.py|notebook/(?!prepared|reporting)")
#: Patterns and names; what nobody but a programmer reads.
_CALLS = {"SpecificationError", "TypeError", "ValueError", "RuntimeError", "FileExistsError", "namedtuple", "compile", "write"}
_TEXTS = re.compile("|".join((
    # A part of a list, a label, a place in a stack, a head of a file, what PyTorch and Python say.
    r"(thread|worker|Valgrind) %[ds]$", r"line %d, %s$", r"memory profiler$", r"[<(]", r"desc: ", r"CUDA out of memory$",
    r"This process \(pid=", r" is multi-threaded, ", r"jetson-memprof: ",
    # The errors of a board without valgrind, and of a start.
    r"JetPack \d", r"Install it on the board: ", r"Valgrind is not installed ", r"starting the script ", r"writing the last ",
    # What programs on the board say; parts of a request, which only another version of ours gets wrong.
    r"password is required$", r"permission denied$", r"daemon running$", r"cannot connect$", r"connection refused$",
    r"no such( file)?$", r"not (found|known|a regular file)$", r"executable file$", r"CUDA Version ",
    r"(size|time) of a file$", r"file frame$", r"The request's ", r"Update the extension and the board's helper ",
    # What stands above a cell in Jupyter.
    r"This (cell|statement)$", r"An earlier cell$", r"Cell %d$", r", at most %s$", r"RSS of this process ")))
_WORDS = re.compile(r"[A-Za-z]{2,}[,.:;)]* \(?([A-Za-z]{2,}|%)|^%s \w+ ")
_PLACE = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])")


def texts_in(source, file):
    tree = ast.parse(source, file)
    passed = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            passed.add(node.value)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None)) in _CALLS:
            passed.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in passed:
            text = node.value
            if "\n" not in text and _WORDS.search(text) and not _TEXTS.match(text):
                yield [_with_places(text), "%s:%d" % (file, node.lineno)]


def _with_places(text):
    numbers = iter(range(100))
    return _PLACE.sub(lambda found: "%" if found.group() == "%%" else "{%d}" % next(numbers), text)


def all_texts(root):
    """Of the package in `root`."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            below = os.path.relpath(path, root).replace(os.sep, "/")
            if name.endswith(".py") and not _FILES.match(below):
                with open(path, encoding="utf-8") as file:
                    for found in texts_in(file.read(), "%s/%s" % (_HELPER, below)):
                        yield found


if __name__ == "__main__":
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
    print(json.dumps(list(all_texts(sys.argv[1] if len(sys.argv) > 1 else os.path.join(top, *_HELPER.split("/"))))))
