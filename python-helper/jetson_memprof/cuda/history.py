"""PyTorch's own record of what its CUDA allocator did, started and read by what is there: PyTorch 1.13 to 2.x."""
import sys

#: Native stacks are wrong or crash on some boards, and Python's say what a reader wants to know.
_STACKS = "python"
#: For each event and block, with its share of the stacks, while it is pickled: 850 and 1,190 in two training scripts.
_EVENT_BYTES = 1200


class Unsupported(Exception):
    """Says, for people, why there can be no history."""


def start(entries):
    """Have at most `entries` events recorded from now on; 'all', or 'state' where only what is live has its stacks.

    A history that the program records itself stays as it is, where PyTorch tells that there is one (2.1 and newer).
    """
    record = _memory().get("_record_memory_history")
    if record is None or "_snapshot" not in _memory():
        raise Unsupported("This PyTorch (%s) cannot record what its CUDA allocator does; that needs 1.13 or newer. "
                          "There are no allocator snapshots." % _version())
    is_recorded = _core().get("_cuda_isHistoryEnabled")
    if is_recorded is not None and is_recorded():
        return "all"
    if (record.__defaults__ or (None,))[0] == "all":  # 2.1 and newer
        record(enabled="all", context="all", stacks=_STACKS, max_entries=entries)
        return "all"
    code = record.__code__
    if "trace_alloc_max_entries" in code.co_varnames[:code.co_argcount]:  # 2.0
        record(True, trace_alloc_max_entries=entries, trace_alloc_record_context=True)
        return "all"
    record(True)  # 1.13
    return "state"


def snapshot():
    """Everything that is known now, as lists, dictionaries, texts and numbers."""
    return _memory()["_snapshot"]()


def expected_bytes(entries, has_timeline):
    """What a snapshot takes for the moment in this process, roughly: from what PyTorch's allocator has counted."""
    core = _core()
    events = 0
    for device in range(core["_cuda_getDeviceCount"]()):
        stats = core["_cuda_memoryStats"](device)
        blocks, segments = stats["allocation"]["all"], stats["segment"]["all"]
        events += blocks["current"] + segments["current"]
        if has_timeline:
            # A block is given back in two steps.
            happened = blocks["allocated"] + 2 * blocks["freed"] + segments["allocated"] + segments["freed"]
            events += min(entries, happened)
    return events * _EVENT_BYTES


def watch_out_of_memory(call):
    """Whether PyTorch will call `call()` when its allocator finds no memory, before anything is given back."""
    attach = _core().get("_cuda_attach_out_of_memory_observer")  # 2.0 and newer
    if attach is None:
        return False
    attach(lambda *_: call())
    return True


def is_out_of_memory(error):
    """Whether an exception says that PyTorch's CUDA allocator found no memory."""
    if error is None:
        return False
    return type(error).__name__ == "OutOfMemoryError" or (
        isinstance(error, RuntimeError) and "CUDA out of memory" in str(error))


def _memory():
    module = sys.modules.get("torch.cuda.memory")
    return vars(module) if module is not None else {}


def _core():
    return vars(sys.modules["torch._C"])


def _version():
    return str(vars(sys.modules["torch"]).get("__version__"))[:100]
