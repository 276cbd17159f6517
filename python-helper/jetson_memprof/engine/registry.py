"""The measured files and functions of this process, and where their counters lie."""
import os

from . import layout
from ..exceptions import innermost
from .threads import NewThreads

_OPTIMISED, _GENERATOR_KINDS = 0x1, 0x20 | 0x80 | 0x200
#: `resumes_after` of a class body: its first line goes on with the class statement, which has begun already.
CONTINUES = -2
#: Their memory belongs to the line that holds them.
INLINE_NAMES = frozenset(("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>"))


class SourceFile(object):
    """`cells[line]` is the first word of the line's statement in `words`, negative for a statement that is among
    `resumed` (pure Python only, None until `prepare`); `resumed` as in statements.Analysis; `offset` is where `words` lie in the counters file; `tag` marks the file in a thread slot; `marked` is
    {first word: line} of those that are measured before and after."""
    __slots__ = ("index", "path", "statement_of", "resumed", "resumed_from", "cells", "words", "offset", "tag", "functions",
                 "marked")

    def __init__(self, index, path, statement_of, resumed):
        self.index = index
        self.path = path
        self.statement_of = statement_of
        self.resumed = resumed
        # By what stands in `cells` for a resumed statement: [its first word, from, to, the instruction it began at]
        self.resumed_from = {}
        self.cells = None
        self.tag = (index + 1) << layout.FILE_SHIFT
        self.marked = {}
        self.functions = {}
        self.words = None
        self.offset = 0

    def prepare(self):
        if self.cells is None:
            cell = layout.CELL_WORDS
            for at in range(0, len(self.resumed), 3):
                line, first, last = self.resumed[at:at + 3]
                self.resumed_from[-line * cell] = [line * cell, first * cell, last * cell, -1]
            self.cells = [-line * cell if -line * cell in self.resumed_from else line * cell for line in self.statement_of]


class Function(object):
    """One code object's shape. `number` counts the functions that have totals (-1: a module, class body or lambda),
    `slot` is its first word in `words`, `offset` that word's place in the counters file, `resumes_after` the
    instruction beyond which a call event is a resumption (None: never resumes), `active` how many of its
    activations are open."""
    __slots__ = ("file", "key", "number", "slot", "offset", "words", "resumes_after", "active")

    def __init__(self, file, key, resumes_after):
        self.file = file
        self.key = key
        self.resumes_after = resumes_after
        self.active = 0
        self.forget_totals()

    def forget_totals(self):
        self.number = self.slot = self.offset = -1
        self.words = None


def _not_measured(filename):
    return False


class Registry(object):
    """`library_file(co_filename)` is what to keep in `files` for one that is not measured: False, or something false whose
    `enter(code)` is to be called as its functions are first entered, and says whether a phase begins there.

    `new_threads` is a threads.NewThreads, for a tracer that is to be put on each thread; `has_failed` says that a defect
    of the engine ended the measuring. `marked` is a heap.marked.Marked, None where no line is measured before and after."""

    def __init__(self, counters, scope, client, new_lock, library_file=_not_measured, marked=None):
        self.counters = counters
        self.scope = scope
        self.client = client
        self.files = {}  # co_filename -> SourceFile, or false where it is not measured
        self._by_path = {}
        self._functions = []
        self._function_words = None
        self._function_offset = 0
        self.new_threads = NewThreads()
        self.has_failed = False
        self.marked = marked
        self._library_file = library_file
        self._new_lock = new_lock
        self._lock = new_lock()

    def fail(self, error):
        """The engine has a defect, which the run is to tell of, once."""
        if self.has_failed:
            return
        self.has_failed = True
        at = innermost(error)
        self.counters.warn("measuring-stopped", "A defect of the profiler itself (%s: %s, line %d of its %s) ended the measuring "
                           "of process %d. The program went on; what it did from there on was not measured. Please "
                           "report this." % (type(error).__name__, error, at.tb_lineno,
                                             os.path.basename(at.tb_frame.f_code.co_filename), os.getpid()))

    def source_file(self, filename):
        """The SourceFile of a code object's file name, made known if it is new; false where it is not measured."""
        with self._lock:
            known = self.files.get(filename)
            if known is None:
                known = self.files[filename] = self._classify(filename)
            return known

    def _classify(self, filename):
        path = self.scope.measured(filename)
        if path is None:
            threading_file = self.new_threads.file(filename)
            return self._library_file(filename) if threading_file is None else threading_file
        known = self._by_path.get(path)
        if known is not None:
            return known
        try:
            statement_of, resumed, warning = self.client.statements_of(path)
            if len(statement_of) > layout.MAX_LINES:
                raise OSError("it has more than %d lines" % layout.MAX_LINES)
            source = SourceFile(len(self._by_path), path, statement_of, resumed)
            self._give_cells(source)
            if self.marked is not None:
                source.marked = self.marked.of(path, statement_of)
        except (OSError, MemoryError) as error:
            self.counters.warn("file-not-measured", "%s is not measured: %s." % (path, error))
            return False
        if warning:
            self.counters.warn("parsed-in-process", warning)
        self._by_path[path] = source
        return source

    def _give_cells(self, source):
        source.offset, source.words = self.counters.segment(len(source.statement_of) * layout.CELL_WORDS)
        self.counters.note({"record": "file", "file": source.index, "path": source.path,
                            "offset": source.offset, "lines": len(source.statement_of) - 1})

    def function(self, source, code, at):
        """The Function of `code`; `at` is the instruction of its first call event seen."""
        key = (code.co_firstlineno, code.co_name)
        with self._lock:
            known = source.functions.get(key)
            if known is None:
                resumes_after = at if code.co_flags & _GENERATOR_KINDS else None
                    # IPython calls the code of a cell's statement <cell line: 3>.
                if not code.co_flags & _OPTIMISED and not code.co_name.startswith("<"):
                    resumes_after = CONTINUES
                known = Function(source.index, code.co_firstlineno, resumes_after)
                if code.co_flags & _OPTIMISED and code.co_name != "<lambda>":
                    self._give_slot(known)
                source.functions[key] = known
            return known

    def _give_slot(self, function):
        used = len(self._functions) % layout.FUNCTIONS_PER_SEGMENT
        if used == 0:
            try:
                count = layout.FUNCTIONS_PER_SEGMENT
                self._function_offset, self._function_words = self.counters.segment(count * layout.FUNCTION_WORDS)
            except OSError as error:
                self.counters.warn("function-not-measured", "Some functions have no totals: %s." % error)
                return
            self.counters.note({"record": "functions", "offset": self._function_offset, "count": count})
        function.number = len(self._functions)
        self._functions.append(function)
        function.slot, function.words = used * layout.FUNCTION_WORDS, self._function_words
        function.offset = self._function_offset + function.slot * 8
        function.words[function.slot + layout.F_KEY] = function.key
        function.words[function.slot + layout.F_FILE] = function.file + 1  # last: 0 is an unused slot

    def sources(self):
        return self._by_path.values()

    def functions(self):
        """Those with totals, by their number."""
        return self._functions

    def reopen_in_child(self):
        """After a fork: zeroed counters of this process's own for everything known so far."""
        self._lock = self._new_lock()
        self.counters.reopen_in_child()
        if self.marked is not None:
            self.marked.forget()
        for source in self.sources():
            self._give_cells(source)
            if self.marked is not None:
                source.marked = self.marked.of(source.path, source.statement_of)
        functions, self._functions = self._functions, []
        for function in functions:
            function.active = 0
            function.forget_totals()
            self._give_slot(function)
