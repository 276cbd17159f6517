"""Stands before boot/ on PYTHONPATH: the engine then believes what ENGINE_AS_IF says of this machine."""
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_HELPER = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))


def _batches():
    """The kernel counts RSS in batches, as Linux 6.1 and earlier."""
    from jetson_memprof.engine import meter
    meter.Meter._how_it_counts = lambda self: meter.BY_THREAD


def _short_lines():
    """The processor is so fast that thousands of lines fit between two readings."""
    from jetson_memprof.engine import readings
    readings.GATE_SECONDS *= 20
    readings.PRICE_SECONDS *= 20


def _newer():
    """This Python came after all that were tried."""
    from jetson_memprof import tried
    tried.NEWEST = (3, 5)


def _no_global_lock():
    """This Python was built to run without one."""
    from jetson_memprof import tried
    tried.has_global_lock = lambda: False


sys.path.insert(0, _HELPER)
{"batches": _batches, "short-lines": _short_lines, "newer": _newer, "no-global-lock": _no_global_lock}[os.environ["ENGINE_AS_IF"]]()
sys.path.remove(_HELPER)

sys.path.remove(_HERE)
sys.path_importer_cache.pop(_HERE, None)
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402,F401  the one in boot/
