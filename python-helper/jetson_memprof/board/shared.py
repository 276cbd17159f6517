"""The private folder shared with the profiled process: counters, spec.json, sockets."""
import json
import os

from .files import replace_file


def make(run_folder):
    """A new folder that only this user can enter: in shared memory, else inside the run's folder."""
    for parent in ("/dev/shm", run_folder):
        path = os.path.join(parent, "jmp-%d-%s" % (os.getuid(), os.urandom(4).hex()))
        try:
            os.mkdir(path, 0o700)
            return path
        except OSError as error:
            failed = error
    raise failed


def write_spec(folder, project_root, engine, exact, accelerator):
    """Write spec.json; returns its path."""
    path = os.path.join(folder, "spec.json")
    replace_file(path, json.dumps({
        "schema": 1, "project_root": project_root, "engine": engine, "exact": exact,
        "accelerator": accelerator, "counters": folder,
        "statements_socket": os.path.join(folder, "s")}).encode("ascii"), sync=False)
    return path


def remove(folder, run_folder):
    """Remove a folder that `make` made; a path it would not have made is left alone."""
    import shutil
    parent, name = os.path.split(folder)
    if parent in ("/dev/shm", run_folder) and name.startswith("jmp-%d-" % os.getuid()) \
            and not os.path.islink(folder):
        shutil.rmtree(folder, ignore_errors=True)
