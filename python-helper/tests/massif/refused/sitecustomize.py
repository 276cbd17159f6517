"""Stands before boot/ on PYTHONPATH and spoils what the landing pads rest on, as an unknown interpreter would.

JETSON_MEMPROF_SPOILT: `layout` (where a frame has its code), `lines` (where it has its position's frame), `memory`
(pages may not be made executable).
"""
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_HELPER = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))

sys.path.insert(0, _HELPER)
from jetson_memprof.massif import guard, machine, probe, requests, session  # noqa: E402
sys.path.remove(_HELPER)


def _refuse(*_):
    raise OSError("refused for the test")


_spoilt = os.environ["JETSON_MEMPROF_SPOILT"]
if _spoilt == "layout":
    _found = probe.frame_offsets()
    probe.frame_offsets = lambda: _found._replace(code_at=_found.position_at)
elif _spoilt == "lines":
    machine.TRACE = machine.PADS - 8
elif _spoilt == "memory":
    requests.in_memory = _refuse

sys.path.remove(_HERE)
sys.path_importer_cache.pop(_HERE, None)
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402,F401  the one in boot/
