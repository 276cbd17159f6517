"""Starts the engine inside a process that inherited `JETSON_MEMPROF_SPEC`. Never breaks the user's program."""
import atexit
import os
import sys

from .. import tried
from ..json_text import decoded
from . import layout
from .mapped import Counters

SCHEMA = 1
_INTERRUPTED = ("The program used another tracer for a while (memory_profiler's @profile, a debugger, a coverage tool); what "
                "ran under it was not measured. Take the decorator or the tool away, or use the memory_profiler engine.")


class SpecificationError(Exception):
    pass


def start(path):
    """Read the specification at `path` and measure from here on. What goes wrong becomes a warning of the run."""
    counters = None
    try:
        spec = _read(path)
        if spec["engine"] == "massif" and not _is_main_interpreter():
            return  # its machine code and its files are one for the process
        counters = Counters(spec["counters"], _kind(spec["counters"]), _FIRST[spec["engine"]], spec["engine"])
        if spec["engine"] == "memory_profiler":
            from . import package
            package.start(spec, counters)
        elif spec["engine"] == "massif":
            _start_massif(spec, counters)
        else:
            _start_lines(spec, counters)
    except Exception as error:
        message = "Measuring did not start in process %d: %s: %s" % (os.getpid(), type(error).__name__, error)
        if counters is not None:
            counters.warn("engine-not-started", message)
        else:
            sys.stderr.write("jetson-memprof: %s\n" % message)


def _read(path):
    with open(path, "rb") as file:
        spec = decoded(file.read())
    if not isinstance(spec, dict) or not isinstance(spec.get("schema"), int):
        raise SpecificationError("%s is no specification of a run" % path)
    if spec["schema"] > SCHEMA:
        raise SpecificationError("%s has schema %d, this helper knows %d; update the helper" % (path, spec["schema"], SCHEMA))
    for name, kind in (("project_root", str), ("counters", str), ("exact", bool), ("accelerator", bool)):
        if not isinstance(spec.get(name), kind):
            raise SpecificationError("%s: %s is missing or of the wrong type" % (path, name))
    if spec.get("engine") not in layout.ENGINES:
        raise SpecificationError("%s: engine must be one of %s" % (path, ", ".join(layout.ENGINES)))
    return spec


#: What measures until something better is known to work.
_FIRST = {"line": "pure", "memory_profiler": "memory_profiler", "massif": "massif-plain"}


def _is_main_interpreter():
    """False in one that the program has made in this process; Python 3.6 has no way to tell."""
    try:
        import _interpreters as interpreters
    except ImportError:
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            return True
    return interpreters.get_current() == interpreters.get_main()


def _kind(folder):
    """The first process of a run is the main one; whoever starts later with the same environment was spawned."""
    try:
        os.close(os.open(os.path.join(folder, "main"), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return "spawn"
    return "main"


def _start_massif(spec, counters):
    try:
        from ..massif import session
    except (ImportError, MemoryError) as error:  # without ctypes, or where it may make no machine code
        counters.warn("massif-frames-refused", "The native stacks show no Python frames and nothing is saved before the "
                      "program ends: this Python cannot call machine code (%s)." % _reason(error))
        atexit.register(counters.finish)
        return
    session.start(spec, counters, after_fork)


def _reason(error):
    return str(error) or type(error).__name__


def _start_lines(spec, counters):
    from _thread import allocate_lock
    from ..cuda.beside import Beside
    from .meter import Meter
    from .registry import Registry
    from .scope import Scope
    from .statement_client import StatementClient
    meter = Meter()
    beside = Beside(counters, meter, spec.get("torch") or {})
    scope = Scope(spec["project_root"])
    registry = Registry(counters, scope, StatementClient(spec.get("statements_socket")), allocate_lock, beside.library_file,
                        _marked(scope.root, spec.get("heap") or {}))
    counters.head[layout.H_PEAK] = int(meter.peak)
    tracer = _tracer(spec, counters, registry, meter, beside)

    measuring = True

    def leave_child(why):
        nonlocal measuring
        measuring = False  # the counters at hand may be the parent's
        tracer.stop()
        counters.warn("process-not-measured", "Process %d, forked from process %d, was not measured: %s."
                      % (os.getpid(), os.getppid(), why))

    def in_child():
        if not measuring:
            return
        if registry.has_failed:
            leave_child("measuring had ended in that one")
            return
        try:
            registry.reopen_in_child()
            meter.reopen()
            counters.head[layout.H_PEAK] = int(meter.peak)
            beside.reopen_in_child()
            _tell_sampler(counters, meter)
            tracer.reopen_in_child()
        except (OSError, MemoryError) as error:  # the disk is full, or the program has become another user
            leave_child(error)

    def at_exit():
        if not measuring:
            return
        is_whole = tracer.stop()
        if registry.has_failed:
            pass  # it has been said
        elif not is_whole:
            counters.warn("measuring-stopped", _where_it_stopped(counters, registry))
        elif tracer.interrupted():
            counters.warn("measuring-interrupted", _INTERRUPTED)
        beside.finish()
        counters.finish()

    after_fork(in_child)
    atexit.register(at_exit)
    _tell_sampler(counters, meter)
    tracer.start()
    torch = spec.get("torch") or {}
    if torch.get("model"):
        from ..model import session
        session.start(torch, counters, meter, registry.scope, after_fork)


def _tell_sampler(counters, meter):
    """Where this process's allocations are sampled, the sampler is to know its lines of Python."""
    if not os.environ.get("JETSON_MEMPROF_HEAP"):
        return
    from ..heap import lines
    why = lines.tell(counters.stem)
    if why is not None:
        counters.warn("heap-not-loaded", "The native stacks of process %d are missing, or have no lines of Python: %s."
                      % (os.getpid(), why))
    else:
        meter.samplers_pages, meter.samplers_files = lines.samplers_pages(meter.page_kib)


def _marked(root, heap):
    """What measures lines before and after, where this process's allocations are sampled; else None."""
    if not heap.get("lines") or not os.environ.get("JETSON_MEMPROF_HEAP"):
        return None
    try:
        from ..heap import marked
    except (ImportError, MemoryError):  # as _tell_sampler() says
        return None
    return marked.made(root, heap)


def _tracer(spec, counters, registry, meter, beside):
    if spec["accelerator"] and not tried.is_newer():
        try:
            from . import accelerator
        except (ImportError, MemoryError) as error:
            counters.warn("accelerator-refused", "The pure Python engine was used: this Python cannot load the accelerator "
                          "(%s)." % _reason(error))
        else:
            try:
                tracer = accelerator.AcceleratedTracer(registry, meter, spec["exact"], beside)
                counters.use("accelerator")
                return tracer
            except accelerator.Refused as refusal:
                counters.warn("accelerator-refused", "The pure Python engine was used: %s" % refusal)
    if hasattr(sys, "monitoring"):
        from . import monitoring
        if monitoring.available():
            return monitoring.MonitoringTracer(registry, meter, spec["exact"], beside)
    from .settrace import SettraceTracer
    return SettraceTracer(registry, meter, spec["exact"], beside)


def after_fork(in_child):
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=in_child)
        return
    for name in ("fork", "forkpty"):  # 3.6
        setattr(os, name, _wrapped_fork(getattr(os, name), in_child))


def _wrapped_fork(fork, in_child):
    def wrapper():
        result = fork()
        if (result if isinstance(result, int) else result[0]) == 0:
            in_child()
        return result
    wrapper.__name__ = wrapper.__qualname__ = fork.__name__
    wrapper.__doc__ = fork.__doc__
    return wrapper


def _where_it_stopped(counters, registry):
    word = counters.head[layout.SLOTS_AT + layout.S_AT]
    place = ""
    for source in registry.files.values():
        if source and source.index == (word >> layout.FILE_SHIFT) - 1:
            place = " at or after line %d of %s" % ((word & layout.CELL_MASK) // layout.CELL_WORDS, source.path)
            break
    return ("The program put another tracer in place of the engine's (a debugger, a coverage tool, or an exception "
            "raised by a signal handler)%s; what the main thread did from there on was not measured." % place)
