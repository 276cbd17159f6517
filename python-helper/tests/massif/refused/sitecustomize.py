"""Stands before boot/ on PYTHONPATH and spoils what the landing pads rest on, as an unknown interpreter would.

JETSON_MEMPROF_SPOILT: `layout` (its frames hold something else), `lines` (its lines come out as others), `memory` (pages
may not be made executable).
"""
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_HELPER = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))

sys.path.insert(0, _HELPER)
from jetson_memprof.massif import guard, probe, requests  # noqa: E402
sys.path.remove(_HELPER)


def _refuse(*_):
    raise OSError("refused for the test")


_spoilt = os.environ["JETSON_MEMPROF_SPOILT"]
if _spoilt == "layout":
    probe._number = lambda memory, at, width: 0
elif _spoilt == "lines":
    _line = guard._Trial._line
    guard._Trial._line = lambda self, code, number: _line(self, code, number + 1)
elif _spoilt == "memory":
    requests.in_memory = _refuse

sys.path.remove(_HERE)
sys.path_importer_cache.pop(_HERE, None)
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402,F401  the one in boot/
