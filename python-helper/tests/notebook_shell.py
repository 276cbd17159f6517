"""A small stand-in for IPython's shell, for Pythons that have none: what jetson_memprof's magics need of it.

As a program it runs the cells that it is given, JSON on standard input, and prints what each of them gave.
"""
import ast
import contextlib
import io
import itertools
import json
import linecache
import os
import signal
import sys
import types

HELPER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class UsageError(Exception):
    pass


def install():
    """Make `import IPython…` find the stand-in."""
    names = ("IPython", "IPython.core", "IPython.core.error", "IPython.display")
    modules = {name: types.ModuleType(name) for name in names}
    modules["IPython.core.error"].UsageError = UsageError
    modules["IPython.display"].display = lambda bundle, raw: Shell.current.shown.append(bundle)
    sys.modules.update(modules)


class _Events(object):
    def __init__(self):
        self.callbacks = {}

    def register(self, name, function):
        self.callbacks.setdefault(name, []).append(function)

    def unregister(self, name, function):
        self.callbacks[name].remove(function)

    def trigger(self, name, *arguments):
        for function in list(self.callbacks.get(name, ())):
            function(*arguments)


class Result(object):
    def __init__(self, raw):
        self.info = types.SimpleNamespace(raw_cell=raw)
        self.error_before_exec = self.error_in_exec = self.result = None

    def raise_error(self):
        for error in (self.error_before_exec, self.error_in_exec):
            if error is not None:
                raise error


def without_leading_blank_lines(lines):
    return list(itertools.dropwhile(str.isspace, lines))


class Shell(object):
    """Runs each statement of a cell as code of its own, the last expression's value being the cell's result."""
    current = None

    def __init__(self):
        Shell.current = self
        self.input_transformers_cleanup = [without_leading_blank_lines]
        self.events = _Events()
        self.compile = types.SimpleNamespace(_filename_map={})
        self.magics_manager = types.SimpleNamespace(magics={"line": {}, "cell": {}})
        self.user_ns = {"__name__": "__main__", "get_ipython": lambda: self}
        self.count = 0
        self.shown = []
        self.parent_header = {"metadata": {"cellId": "id-of-cell"}}

    def register_magic_function(self, function, kind, name):
        self.magics_manager.magics[kind][name] = function

    def run_line_magic(self, name, line):
        return self.magics_manager.magics["line"][name](line)

    def transform_cell(self, cell):
        lines = cell.splitlines(True)
        for transform in self.input_transformers_cleanup:
            lines = transform(lines)
        if lines and lines[0].startswith("%%"):
            name, _, line = lines[0][2:].strip().partition(" ")
            return "get_ipython().magics_manager.magics['cell'][%r](%r, %r)\n" % (name, line, "".join(lines[1:]))
        return "".join("get_ipython().run_line_magic(%r, %r)\n" % (line[1:].split(None, 1)[0], line[1:].split(None, 1)[1].rstrip())
                       if line.startswith("%") else line for line in lines)

    def run_cell(self, raw):
        self.count += 1
        result, name = Result(raw), "<ipython-input-%d-abcdef>" % self.count
        self.events.trigger("pre_run_cell", result.info)
        try:
            text = self.transform_cell(raw)
            self.compile._filename_map[name] = self.count
            linecache.cache[name] = len(text), None, text.splitlines(True), name
            tree = ast.parse(text, name)
        except SyntaxError as error:
            result.error_before_exec = error
        else:
            try:
                self._run(tree.body, name, result)
            except BaseException as error:
                result.error_in_exec = error
        self.events.trigger("post_run_cell", result)
        return result

    def _run(self, body, name, result):
        for number, node in enumerate(body):
            if number == len(body) - 1 and isinstance(node, ast.Expr):
                result.result = eval(compile(ast.Expression(node.value), name, "eval"), self.user_ns)
            else:
                module = ast.parse("")
                module.body = [node]
                exec(compile(module, name, "exec"), self.user_ns)


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as a kernel does: a shell's background job ignores it
    install()
    sys.path.insert(0, HELPER)
    import jetson_memprof
    shell = Shell()
    jetson_memprof.load_ipython_extension(shell)
    answers = []
    for cell in json.load(sys.stdin):
        shell.shown, out, errors = [], io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            done = shell.run_cell(cell)
        error = done.error_before_exec or done.error_in_exec
        answers.append({"out": out.getvalue(), "shown": shell.shown, "error": error and type(error).__name__,
                        "said": errors.getvalue() + str(error or ""),
                        "result": None if done.result is None else repr(done.result)})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
