"""The private folder shared with the profiled process: counters, spec.json, sockets."""
import json
import os
import stat

from .files import replace_file

REPORT = "memory_profiler.txt"
# Before the run's own folder, as massif takes no path with a blank in it.
_PARENTS = ("/dev/shm", "/tmp")


def make(run_folder):
    """A new folder that only this user can enter: in shared memory, else where there is room."""
    for parent in _PARENTS + (run_folder,):
        path = os.path.join(parent, "jmp-%d-%s" % (os.getuid(), os.urandom(4).hex()))
        try:
            os.mkdir(path, 0o700)
            return path
        except OSError as error:
            failed = error
    raise failed


def write_spec(folder, order, report, more):
    """Write spec.json for an order.Order; `report` is where the package's own report goes. Returns its path.

    `more` holds what only the order's engine needs.
    """
    path = os.path.join(folder, "spec.json")
    spec = {
        "schema": 1, "project_root": order.project_root, "engine": order.engine, "exact": order.exact,
        "accelerator": order.accelerator, "counters": folder,
        "statements_socket": os.path.join(folder, "s"), "report": report}
    replace_file(path, json.dumps(dict(spec, **more)).encode("ascii"), sync=False)
    return path


def is_ours(folder, run_folder):
    """Whether the path is one that `make` made: noted in a file, it may say anything."""
    parent, name = os.path.split(folder)
    if parent not in _PARENTS + (run_folder,) or not name.startswith("jmp-%d-" % os.getuid()):
        return False
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def remove(folder, run_folder):
    """Remove a folder that `make` made; any other path is left alone."""
    import shutil
    if is_ours(folder, run_folder):
        shutil.rmtree(folder, ignore_errors=True)
