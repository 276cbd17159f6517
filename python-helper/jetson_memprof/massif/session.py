"""Puts the parts together for one process of a run under valgrind massif."""
import atexit
import ctypes
import os
import sys
import types
from _thread import allocate_lock

from ..engine import layout
from ..engine.registry import INLINE_NAMES, Registry
from ..engine.scope import Scope
from ..engine.statement_client import StatementClient
from . import fork_warning, guard, lines, machine, pads, probe, requests
from .checkpoints import Checkpoints
from .names import FrameNames
from .snapshots import ChosenLine, LineSnapshots

_OPTIMISED = 0x1
#: Written in Python, too deep to be shown (five functions for each import in an import), and no part of the program.
_IMPORT_SYSTEM = frozenset(("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>"))
#: How far the Python frames go, from the best to none, as `processes[].implementation` says it.
LINES, FUNCTIONS, PLAIN = "massif-lines", "massif-functions", "massif-plain"
_NOT_UNDER_VALGRIND = ("Process %d does not run under valgrind, so its heap was not measured. Programs that were started by "
                       "another program than Python may be left out.")
_STOPPED = ("The program put another tracer in place (a debugger, a coverage tool, memory_profiler's @profile); what the "
            "main thread did from there on is shown at the line that it had reached in each function.")


class Settings(object):
    """The specification's `massif`. Raises ValueError where it makes no sense."""

    def __init__(self, spec):
        found = spec.get("massif")
        if not isinstance(found, dict):
            raise ValueError("the specification of engine massif lacks `massif`")
        self.folder = found.get("folder")
        self.frames = found.get("frames")
        self.checkpoint_seconds = found.get("checkpoint_s")
        self.max_hits = found.get("max_hits")
        self.lines = found.get("lines")
        numbers = (self.checkpoint_seconds, self.max_hits)
        if (not isinstance(self.folder, str) or not os.path.isabs(self.folder) or not isinstance(self.frames, bool)
                or not all(isinstance(number, (int, float)) and number >= 0 for number in numbers)
                or not isinstance(self.lines, list)
                or not all(isinstance(line, list) and len(line) == 2 and isinstance(line[0], str)
                           and isinstance(line[1], int) for line in self.lines)):
            raise ValueError("the specification's `massif` makes no sense")
        if any(character in self.folder for character in " \t\r\n%"):
            raise ValueError("the folder %r has a blank or a %% in its name" % self.folder)


def start(spec, counters, after_fork):
    """Measure from here on. `after_fork(function)` has `function` called in each forked child.

    What cannot be done becomes a warning of the run. Raises ValueError where the specification makes no sense, OSError
    where the run's folder cannot be written.
    """
    settings = Settings(spec)
    folders = (spec["counters"], settings.folder)
    try:
        valgrind = _requests(folders)
    except (machine.Unsupported, OSError) as error:
        counters.warn("massif-frames-refused", "The native stacks show no Python frames and nothing is saved before the "
                      "program ends: %s." % error)
        atexit.register(counters.finish)
        return
    if not valgrind.under_valgrind():
        counters.warn("massif-not-under-valgrind", _NOT_UNDER_VALGRIND % os.getpid())
        atexit.register(counters.finish)
        return
    session = _Session(spec, settings, counters, valgrind, folders)
    after_fork(session.in_child)
    fork_warning.leave_out()
    atexit.register(session.at_exit)
    session.start()


def _requests(folders):
    try:
        return requests.in_memory()
    except OSError:
        return requests.in_library(pads.load_library(folders))


class _Session(object):
    def __init__(self, spec, settings, counters, valgrind, folders):
        self._counters = counters
        self._lines = self._frames = None
        self._names = None
        self._measuring = True
        if settings.frames:
            self._put_frames(spec, settings, valgrind, folders)
        self._checkpoints = Checkpoints(valgrind, settings.folder, settings.checkpoint_seconds, self._save)

    def _put_frames(self, spec, settings, valgrind, folders):
        counters = self._counters
        level, reason = PLAIN, None
        try:
            probe.check_interpreter()
            offsets = probe.frame_offsets()
            library = pads.load_library(folders)
            guard.try_functions(library, offsets)
            level = FUNCTIONS
            guard.try_lines(library, offsets)
            level = LINES
        except (machine.Unsupported, OSError) as error:
            reason = error
        if reason is not None:
            counters.warn("massif-frames-refused", _refusal(level, reason, settings.lines))
        scope = Scope(spec["project_root"])
        frames = {LINES: "lines", FUNCTIONS: "functions", PLAIN: "none"}[level]
        self._names = FrameNames(settings.folder, frames, scope.root, scope.start_folder, counters.warn)
        if level != PLAIN:
            self._follow(spec, settings, valgrind, library, offsets, scope, level)
        counters.use(level)

    def _follow(self, spec, settings, valgrind, library, offsets, scope, level):
        counters = self._counters
        registry = Registry(counters, scope, StatementClient(spec.get("statements_socket")), allocate_lock)
        self._frames = _Frames(library, offsets, registry, self._names, level == LINES)
        if level == LINES:
            chosen = [(os.path.join(scope.root, path), ChosenLine(path, line)) for path, line in settings.lines]
            snapshots = LineSnapshots(valgrind, settings.folder, [line for _, line in chosen], settings.max_hits,
                                      counters.warn) if chosen else None
            self._lines = _Lines(library, offsets, registry, self._frames, self._names, chosen, snapshots)

    def start(self):
        if self._frames is not None:
            self._frames.start()
        if self._lines is not None:
            self._lines.start()
        self._checkpoints.start()

    def in_child(self):
        if not self._measuring:
            return
        try:
            if self._frames is not None:
                self._frames.reopen_in_child()
            else:
                self._counters.reopen_in_child()
            if self._names is not None:
                self._names.reopen_in_child()
            if self._lines is not None:
                self._lines.reopen_in_child()
            self._checkpoints.start()
        except (OSError, MemoryError) as error:  # the disk is full, or the program has become another user
            self._measuring = False
            self._stop()
            self._counters.warn("process-not-measured", "Process %d, forked from process %d, was not measured: %s."
                                % (os.getpid(), os.getppid(), error))

    def at_exit(self):
        if not self._measuring:
            return
        self._checkpoints.stop()
        if not self._stop():
            self._counters.warn("measuring-stopped", _STOPPED)
        for part in (self._lines, self._names):
            if part is not None:
                part.finish()
        self._counters.finish()

    def _stop(self):
        traced = self._lines is None or self._lines.stop()
        if self._frames is not None:
            self._frames.stop()
        return traced

    def _save(self):
        if self._names is not None:
            self._names.note_mappings()


def _refusal(level, reason, chosen):
    shown = "Python's functions but not their lines" if level == FUNCTIONS else "no Python frames"
    if chosen:
        return "The native stacks show %s: %s. The chosen lines were not measured before and after." % (shown, reason)
    return "The native stacks show %s: %s." % (shown, reason)


class _Frames(object):
    """The landing pads of this process: which name and which lines a code object has."""

    def __init__(self, library, offsets, registry, names, with_lines):
        self._registry = registry
        self._names = names
        self._with_lines = with_lines
        self.pads = pads.Pads(library, offsets, self._describe)

    def start(self):
        self.pads.know_for_good(list(_own_code()), self._names.own())
        self.pads.install()

    def stop(self):
        self.pads.uninstall()
        self.pads.forget_all()

    def reopen_in_child(self):
        self.pads.reopen_in_child()
        self._registry.reopen_in_child()

    def is_followed(self, code):
        return bool(self._registry.files.get(code.co_filename))

    def _describe(self, code):
        self._registry.new_threads.look()
        name = getattr(code, "co_qualname", code.co_name)
        number = self._names.number(code.co_filename, code.co_firstlineno, name, "function")
        if self._with_lines and self._source(code):
            return number, _line_range(code), False
        return number, None, code.co_filename in _IMPORT_SYSTEM

    def _source(self, code):
        files, filename = self._registry.files, code.co_filename
        known = files.get(filename)
        if known is None and os.path.isabs(filename) and not self._names.is_in_project(filename):
            known = files[filename] = False
        return self._registry.source_file(filename) if known is None else known


class _Lines(object):
    """The lines of the project's code: counted, put into the stacks, the chosen ones measured."""

    def __init__(self, library, offsets, registry, frames, names, chosen, snapshots):
        self._registry = registry
        self._names = names
        self._chosen = chosen
        self._by_statement = {}
        self._resumed = {}  # path -> {first line of a statement: (first line, last line) from which it goes on}
        self._snapshots = snapshots
        self._frames = frames
        self._uncounted = ctypes.c_uint64()
        self._words = lines.ThreadWords(registry.counters)
        self._view = ctypes.c_char.from_buffer(registry.counters.view)
        tracker = lines.LineTracker(library, frames.pads, offsets, self._find, snapshots)
        if hasattr(sys, "monitoring"):
            self._tracer = lines.MonitoringTracer(tracker, self._words, frames.is_followed)
        else:
            self._tracer = lines.SettraceTracer(tracker, self._words, registry.new_threads)

    def start(self):
        self._tracer.start()

    def stop(self):
        return self._tracer.stop()

    def finish(self):
        if self._snapshots is not None:
            self._snapshots.finish()

    def reopen_in_child(self):
        self._view = ctypes.c_char.from_buffer(self._registry.counters.view)
        self._words.reopen_in_child()
        self._tracer.reopen_in_child()
        if self._snapshots is not None:
            self._snapshots.reopen_in_child()

    def _find(self, code, number):
        """The lines.Line for line `number` of `code`: that of its statement."""
        source = self._registry.files[code.co_filename]
        statement_of = source.statement_of
        known = 0 < number < len(statement_of)  # else the file on disk is not the one that was compiled
        statement = statement_of[number] if known else number
        name = getattr(code, "co_qualname", code.co_name)
        pad = self._frames.pads.address(self._names.number(code.co_filename, statement, name, "line"))
        cell = statement * layout.CELL_WORDS if known else 0
        # A comprehension and a class's first line go on with a statement that has begun already.
        begins = code.co_name not in INLINE_NAMES and (
            code.co_flags & _OPTIMISED or code.co_name == "<module>" or number != code.co_firstlineno)
        if not begins:
            return lines.Line(pad, ctypes.addressof(self._uncounted), source.tag + cell, statement, None, None)
        chosen = self._chosen_in(source).get(statement)
        if chosen is not None:
            chosen.function = name
        hits = ctypes.addressof(self._view) + source.offset + (cell + layout.C_HITS) * 8
        resumed = self._resumed_in(source).get(statement)
        return lines.Line(pad, hits, source.tag + cell, statement, chosen, resumed)

    def _resumed_in(self, source):
        found = self._resumed.get(source.path)
        if found is None:
            threes = source.resumed
            found = self._resumed[source.path] = dict(
                (threes[at], (threes[at + 1], threes[at + 2])) for at in range(0, len(threes), 3))
        return found

    def _chosen_in(self, source):
        found = self._by_statement.get(source.path)
        if found is None:
            last = len(source.statement_of) - 1
            found = self._by_statement[source.path] = dict(
                (source.statement_of[chosen.line], chosen) for path, chosen in self._chosen
                if path == source.path and 0 < chosen.line <= last)
        return found


def _line_range(code):
    """(first, count) of the lines that `code` has."""
    if hasattr(code, "co_lines"):
        numbers = [line for _, _, line in code.co_lines() if line is not None] or [code.co_firstlineno]
    else:
        numbers = [code.co_firstlineno]
        for step in code.co_lnotab[1::2]:
            numbers.append(numbers[-1] + (step if step < 128 else step - 256))
    first = min(numbers)
    return first, max(numbers) - first + 1


def _own_code():
    """The code objects of this package's functions and of those of the engine that it calls for each new function."""
    for name in [name for name in sys.modules if name.startswith("jetson_memprof.")]:
        scope = vars(sys.modules[name])
        classes = [value for value in scope.values() if isinstance(value, type) and value.__module__ == name]
        for value in [value for holder in [scope] + [vars(each) for each in classes] for value in holder.values()]:
            if isinstance(value, types.FunctionType) and value.__module__ == name:
                yield value.__code__
