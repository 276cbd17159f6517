"""What a sampled process says to the library: where its lines of Python are, and marks."""
import os

from . import layout

_WHY = {1: "its sampling had not begun", 2: "no log could be made in %s (is it full?)", 3: "the line engine's counters could "
        "not be read"}


def wanted():
    return bool(os.environ.get(layout.FOLDER))


def tell(stem):
    """The counters of this process are <stem>.cnt. Returns None, or why it is not sampled with its lines."""
    try:
        function = _function("jetson_memprof_heap_lines")
    except ImportError as error:
        return "this Python cannot call it (%s)" % error
    except (OSError, AttributeError):
        return "the loader did not take the library into this process"
    failed = function(os.fsencode(stem))
    if not failed:
        return None
    why = _WHY.get(failed, "it answered %d" % failed)
    return why % os.environ.get(layout.FOLDER) if "%s" in why else why


def samplers_pages(page_kib):
    """Functions that tell how many pages of this process's RSS the sampler took while it ran, and how many of them are a file's,
    its log's."""
    import ctypes
    taken = (ctypes.c_int64 * 2).in_dll(ctypes.CDLL(None), "jetson_memprof_heap_taken")
    size = page_kib * 1024
    return lambda: (taken[0] + taken[1]) // size, lambda: taken[0] // size


def mark(label):
    """Keep what lives now, by stack. False where this process is not sampled, or has no room for more marks."""
    try:
        return bool(_function("jetson_memprof_heap_mark")(os.fsencode(label)))
    except (ImportError, OSError, AttributeError):
        return False


def _function(name):
    import ctypes
    return getattr(ctypes.CDLL(None), name)
