"""The `snapshot` command: asks a run's processes for a snapshot of PyTorch's CUDA allocator."""
import os
import time

from ... import lean_json
from ...engine import layout
from ..errors import BoardError
from ..files import read_file
from ..run.runs import open_run, state_of
from ..system import proc

_WORD = 8
_PATIENCE_S = 30.0


def snapshot(request):
    """How many processes were asked: those that record the allocator's history now."""
    folder = open_run(request)
    from ..container.inside import of_folder
    inside = of_folder(folder)
    if inside is not None:
        if not folder.is_held():
            raise _not_running(folder)
        return inside.call("snapshot", {"root": inside.root, "id": folder.id}, _PATIENCE_S)
    try:
        return {"asked": _ask_all(folder)}
    except FileNotFoundError:  # what the run shares is taken away between its last record and the lock's release
        raise _not_running(folder)


def _not_running(folder):
    return BoardError("not-running", "The run %s has ended, so no snapshot can be taken of it." % folder.id,
                      "Start it again with allocator snapshots on.")


def _ask_all(folder):
    shared = folder.shared_folder() if folder.is_held() else None
    if shared is None or state_of(folder.run_record() or {}) != "running":
        raise _not_running(folder)
    spec = lean_json.loads(read_file(os.path.join(shared, "spec.json"), 1 << 20).decode("utf-8"))
    if not (spec.get("torch") or {}).get("snapshots"):
        raise BoardError("no-snapshots", "The run %s was started without allocator snapshots." % folder.id,
                         "Start it again with allocator snapshots on (setting torch.snapshots, option --snapshots).")
    return sum(_ask(os.path.join(shared, name)) for name in os.listdir(shared) if name.endswith(".cnt"))


def _ask(path):
    """Whether the process of a counters file takes snapshots, and was asked for one."""
    fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        words = memoryview(os.pread(fd, layout.HEADER_BYTES, 0))
        if len(words) < layout.HEADER_BYTES:
            return False
        head = words.cast("q")
        if head[layout.H_MAGIC] != layout.MAGIC or head[layout.H_STATE] != layout.STATE_RUNNING \
                or not head[layout.H_SNAPSHOTS] or not proc.runs(head[layout.H_PID]):
            return False
        os.pwrite(fd, int(time.monotonic() * 1e9).to_bytes(_WORD, "little"), layout.H_ASKED * _WORD)
        return True
    finally:
        os.close(fd)
