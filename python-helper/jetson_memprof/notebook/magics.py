"""%memprof and %%memprof. IPython runs a measured cell itself, as always: its first line is replaced by a call that begins
the measuring, and what IPython tells after the cell ends it. So its results, errors and `await` are those of any cell."""
import ast
import os
import sys

from IPython.core.error import UsageError
from IPython.display import display

from ..engine.scope import Scope
from . import options as option_words
from .cells import Cells, CellScope, CellStatements, begin_line
from .reporting import Reporting
from .session import Session, SessionError

_NESTED = "%%%%memprof measures the lines of a cell itself, so it cannot be put around or into another cell magic (%s)."


class Magics(object):
    """Of one shell."""

    def __init__(self, shell):
        self._shell = shell
        self._cells = Cells(shell)
        self._runs = []  # of each cell that runs: a _Run

    def register(self):
        shell = self._shell
        shell.input_transformers_cleanup.append(transform)
        shell.register_magic_function(self.line, "line", "memprof")
        shell.register_magic_function(self.cell, "cell", "memprof")
        shell.register_magic_function(self.begin, "line", "memprof_begin")
        shell.events.register("pre_run_cell", self.before_cell)
        shell.events.register("post_run_cell", self.after_cell)

    def unregister(self):
        shell = self._shell
        shell.input_transformers_cleanup.remove(transform)
        for kind, name in (("line", "memprof"), ("cell", "memprof"), ("line", "memprof_begin")):
            shell.magics_manager.magics[kind].pop(name, None)
        shell.events.unregister("pre_run_cell", self.before_cell)
        shell.events.unregister("post_run_cell", self.after_cell)
        for run in self._runs:
            self._end(run, False)

    def cell(self, line, cell):
        """Reached only where `transform` left the cell alone, or where a program calls this magic."""
        first = cell.lstrip().split("\n", 1)[0]
        if first.startswith("%%"):
            raise UsageError(_NESTED % first.split()[0])
        done = self._shell.run_cell("%%memprof " + line + "\n" + cell)
        done.raise_error()
        return done.result

    cell.__doc__ = option_words.HELP

    def begin(self, line):
        """The first line of a cell that is to be measured."""
        chosen = _options(line)[0]
        if not self._runs:
            raise UsageError("A cell that runs silently, or that loaded this extension, cannot be measured.")
        name = _caller().f_code.co_filename
        if not self._cells.is_one(name):
            raise UsageError(_NESTED % "%%time or the like")
        session = self._session(chosen)
        self._runs[-1].begun = session, chosen, name
        session.start()

    def before_cell(self, info):
        self._runs.append(_Run(info.raw_cell))

    def after_cell(self, result):
        """IPython tells the end of empty cells, and of those that ran when this was loaded, without a beginning."""
        if not any(run.text == result.info.raw_cell for run in self._runs):
            return
        run = None
        while run is None or run.text != result.info.raw_cell:
            run = self._runs.pop()
            self._end(run, result.error_in_exec is not None)

    def _end(self, run, failed):
        if run.begun is not None:
            (session, chosen, name), run.begun = run.begun, None
            self._show(session.stop(), chosen, name, failed)

    def line(self, line):
        chosen, statement = _options(line)
        if not statement:
            raise UsageError("Give %memprof a statement, or put %%memprof at the top of a cell.\n" + option_words.HELP)
        text = self._shell.transform_cell(statement)
        name = self._cells.add(text)
        tree = ast.parse(text, name)
        is_value = len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)
        code = compile(ast.Expression(tree.body[0].value) if is_value else tree, name, "eval" if is_value else "exec")
        session = self._session(chosen)
        failed = True
        session.start()
        try:
            value = eval(code, self._shell.user_ns)
            failed = False
            return value
        finally:
            self._show(session.stop(), chosen, name, failed)

    line.__doc__ = option_words.HELP

    def _session(self, chosen):
        files = Scope(os.getcwd()) if chosen.files else None
        try:
            return Session(CellScope(self._cells, files), CellStatements(self._cells), chosen.exact)
        except SessionError as error:
            raise UsageError(str(error))

    def _show(self, measured, chosen, name, failed):
        try:
            report = Reporting(self._cells, measured, chosen, name)
            display(report.bundle(), raw=True)
            if chosen.save is not None:
                from .saving import save
                print(save(report, chosen, self._shell, failed))
        except OSError as error:
            sys.stderr.write("The figures could not be kept: %s.\n" % error)


class _Run(object):
    """A cell that runs; `begun` is (session, options, name of its code) while it is measured."""

    def __init__(self, text):
        self.text = text
        self.begun = None


def transform(lines):
    """For IPython's input_transformers_cleanup."""
    begun = begin_line(lines[0]) if lines else None
    following = next((line for line in lines[1:] if line.strip()), "")
    if begun is None or following.lstrip().startswith("%%"):
        return lines
    return [begun + ("\n" if lines[0].endswith("\n") else "")] + lines[1:]


def _options(line):
    try:
        return option_words.split(line)
    except option_words.OptionError as error:
        raise UsageError(str(error))


def _caller():
    """The frame that a line magic was called from."""
    frame = sys._getframe(2)
    while frame.f_code.co_name == "run_line_magic" or frame.f_globals.get("__name__", "").startswith(("IPython.", "decorator")):
        frame = frame.f_back
    return frame


_loaded = {}


def load(shell):
    if not hasattr(shell, "input_transformers_cleanup"):
        raise UsageError("%load_ext jetson_memprof needs IPython 7 or newer.")
    if id(shell) not in _loaded:
        _loaded[id(shell)] = Magics(shell)
        _loaded[id(shell)].register()


def unload(shell):
    magics = _loaded.pop(id(shell), None)
    if magics is not None:
        magics.unregister()
