"""Stand-in for torch.cuda.memory: the history of the allocator, as lists and dictionaries like PyTorch's.

`observers` are called by `torch.standin` users that play an error: `run_out()`.
"""
import time

from .. import _C
from ..features import SINCE

#: What was passed to _record_memory_history, call by call.
recorded = []
observers = []

if SINCE("2.0"):
    _C._cuda_attach_out_of_memory_observer = observers.append


def run_out(size, device=0):
    """The allocator finds no memory: who observes that is told, then the program has the error."""
    for observer in observers:
        observer(device, size, 4 << 30, 0)
    raise RuntimeError("CUDA out of memory. Tried to allocate %d bytes" % size)


if SINCE("2.1"):
    def _record_memory_history(enabled="all", *args, **kwargs):
        recorded.append((enabled, kwargs))
elif SINCE("2.0"):
    def _record_memory_history(enabled, record_context=True, trace_alloc_max_entries=1, trace_alloc_record_context=False,
                               device=None, _enable_expensive_cpp=False):
        recorded.append((enabled, trace_alloc_max_entries))
elif SINCE("1.13"):
    def _record_memory_history(enabled, device=None):
        recorded.append((enabled,))


if SINCE("1.13"):
    def _snapshot(device=None):
        reserved, allocated = _C.reserved(), _C.total()
        frames = [{"filename": "script.py", "line": 3, "name": "<module>"}]
        block = {"address": 1 << 46, "size": allocated, "requested_size": allocated, "state": "active_allocated",
                 "frames": frames}
        segment = {"device": 0, "address": 1 << 46, "total_size": reserved, "allocated_size": allocated, "stream": 0,
                   "segment_type": "large", "blocks": [block]}
        event = {"action": "alloc", "addr": 1 << 46, "size": allocated, "stream": 0, "time_us": int(time.time() * 1e6),
                 "frames": frames}
        return {"segments": [segment], "device_traces": [[event]]}
