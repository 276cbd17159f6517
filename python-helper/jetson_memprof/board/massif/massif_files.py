"""Massif's files in a run's folder: their names, and which of them takes the other's place."""
import os
import re

from ..system import proc

OUT_NAME = "massif.out.%s"      # of one process, as everybody reads it
EXIT_NAME = "massif.exit.%s"    # what valgrind writes as the process ends
_EXIT = re.compile(r"massif\.exit\.([1-9][0-9]{0,9})\Z")
_OUT = re.compile(r"massif\.out\.([1-9][0-9]{0,9})\Z")
# A script may fork thousands of short-lived processes, each of which leaves a copy of its parent's heap.
_MOST_PROCESSES = 200
_BLOCK = 1 << 18
_LAST = b"\n#-----------\nsnapshot="
_TIME = re.compile(rb"\ntime=(\d{1,19})\n")
_NODE = re.compile(rb" *n(\d{1,9}): ")


def collect(folder, may_write=proc.runs):
    """Give what valgrind wrote at each process's end its name; the number of files there was no room for.

    `may_write(pid)` says whether a process may still be writing its own.
    One that is cut off does not replace a checkpoint: only the last snapshot of a
    whole file is as late as it can be.
    """
    left_out = 0
    present = os.listdir(folder)
    kept = sum(1 for name in present if _OUT.match(name))
    for name in present:
        match = _EXIT.match(name)
        pid = int(match.group(1)) if match else 0
        if not pid or may_write(pid):
            continue  # another file, or one that is still being written
        path, out = os.path.join(folder, name), os.path.join(folder, OUT_NAME % pid)
        if not _is_later(path, out):
            os.unlink(path)
        elif kept >= _MOST_PROCESSES and not os.path.exists(out):
            left_out += 1
            os.unlink(path)
        else:
            kept += not os.path.exists(out)
            os.rename(path, out)
    return left_out


def _is_later(path, checkpoint):
    """Whether the file shows the process at least as late as the checkpoint does."""
    if not os.path.getsize(path):
        return False
    if not os.path.exists(checkpoint):
        return True  # cut off or not, it is all there is
    ended, checked = last_time(path), last_time(checkpoint)
    return ended is not None and (checked is None or ended >= checked)


def last_time(path):
    """The time of the last snapshot, in the file's unit; None where the file does not end with a whole one."""
    with open(path, "rb") as file:
        start = _last_snapshot(file)
        if start is None:
            return None
        file.seek(start)
        head = file.read(2048)
        time = _TIME.search(head)
        tree = head.find(b"\nheap_tree=")
        if time is None or tree < 0:
            return None
        file.seek(start + tree + 1)
        return int(time.group(1)) if _tree_is_whole(file) else None


def _last_snapshot(file):
    """Where the last snapshot begins, or None."""
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - _BLOCK)
        file.seek(start)
        found = file.read(end - start + len(_LAST)).rfind(_LAST)
        if found >= 0:
            return start + found
        end = start
    return None


def _tree_is_whole(file):
    """Whether the file ends where the tree that begins at its position does."""
    kind = file.readline()
    if kind == b"heap_tree=empty\n":
        return not file.read(1)
    missing = 1
    for line in file:
        node = _NODE.match(line)
        if node is None or not line.endswith(b"\n"):
            return False
        missing += int(node.group(1)) - 1
    return kind.endswith(b"\n") and missing == 0
