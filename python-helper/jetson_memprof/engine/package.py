"""The other engine: the real memory_profiler package, its report and its figures brought into the counters."""
import atexit
import builtins
import os
import sys

from . import layout

_MIB = 1024 * 1024


def start(spec, counters):
    """Give the script its `profile` decorator; at exit write the package's report to `spec["report"]`.

    Without the package the script runs unmeasured, and a warning says how to install it. Only the main process is
    measured: the package keeps its figures in the memory of the process that it is in.
    """
    if layout.KINDS[counters.head[layout.H_KIND]] != "main":
        builtins.profile = _unmeasured
        return
    if not isinstance(spec.get("report"), str):
        raise ValueError("the specification of engine memory_profiler lacks `report`, the path of its text report")
    try:
        import memory_profiler
    except ImportError as error:
        builtins.profile = _unmeasured
        counters.warn("memory-profiler-missing", "%s has no memory_profiler package (%s), so nothing was measured. "
                      "Install it with: %s -m pip install memory_profiler" % (sys.executable, error, sys.executable))
        return
    profiler = memory_profiler.LineProfiler()
    # The second is what `from memory_profiler import profile` finds.
    builtins.profile = memory_profiler.profile = _decorator(profiler)
    me = os.getpid()

    def at_exit():
        if os.getpid() != me:
            return
        try:
            _finish(memory_profiler, profiler, spec["report"], counters)
        except Exception as error:
            counters.warn("memory-profiler-failed", "memory_profiler's figures could not be written to %s: %s: %s"
                          % (spec["report"], type(error).__name__, error))
        counters.finish()

    atexit.register(at_exit)


def _decorator(profiler):
    def profile(func=None, stream=None, precision=1, backend="psutil"):
        """The package's own signature. There is one report for all, so `stream` stays empty."""
        return profiler if func is None else profiler(func)
    return profile


def _unmeasured(function=None, precision=1):
    return function if function is not None else _unmeasured


def _finish(memory_profiler, profiler, report, counters):
    with open(report, "w", encoding="utf-8", errors="surrogateescape") as stream:
        memory_profiler.show_results(profiler, stream=stream, precision=3)
    measured = {}
    for filename, lines in profiler.code_map.items():
        found = measured.setdefault(os.path.realpath(filename), {})
        found.update((line, figures) for line, figures in lines if figures)
    if not measured:
        counters.warn("nothing-decorated", "memory_profiler measures only functions that carry @profile, and none "
                      "that does was run. Add @profile, or use the line engine, which measures every line.")
    for number, path in enumerate(sorted(measured)):
        _give(counters, number, path, measured[path])


def _give(counters, number, path, lines):
    page = counters.head[layout.H_PAGE]
    last = max(lines)
    offset, words = counters.segment((last + 1) * layout.CELL_WORDS)
    for line, (increment, usage, occurrences) in lines.items():
        cell = line * layout.CELL_WORDS
        words[cell + layout.C_HITS] = occurrences
        words[cell + layout.C_NET] = round(increment * _MIB / page)
        words[cell + layout.C_USAGE] = round(usage * _MIB / page)
    counters.note({"record": "file", "file": number, "path": path, "offset": offset, "lines": last})
