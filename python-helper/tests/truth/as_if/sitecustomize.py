"""Stands before boot/ on PYTHONPATH: the engine then believes that this kernel counts RSS in batches (Linux 6.1 and earlier)."""
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_HELPER = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))

sys.path.insert(0, _HELPER)
from jetson_memprof.engine import meter  # noqa: E402
sys.path.remove(_HELPER)
meter.counts_in_batches = lambda: True

sys.path.remove(_HERE)
sys.path_importer_cache.pop(_HERE, None)
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402,F401  the one in boot/
