"""The private folder shared with the profiled process: counters, spec.json, sockets."""
import os
import stat

from ... import lean_json
from ...json_text import encoded
from ..errors import is_full
from ..files import read_file, replace_file

_LAST_WORD = "run.json"
_CANCEL = "cancel"
REPORT = "memory_profiler.txt"
# Before the run's own folder, as massif takes no path with a blank in it.
_PARENTS = ("/dev/shm", "/tmp")
# Counters of some processes with some thousand lines each.
_ROOM = 4 << 20


def make(run_folder):
    """A new folder that only this user can enter: in shared memory, else where there is room for the counters."""
    for parent in _PARENTS + (run_folder,):
        path = os.path.join(parent, "jmp-%d-%s" % (os.getuid(), os.urandom(4).hex()))
        try:
            os.mkdir(path, 0o700)
        except OSError as error:
            failed = error
            continue
        try:
            _try_room(path)
            return path
        except OSError as error:
            failed = error
            os.rmdir(path)
    raise failed


def _try_room(folder):
    """Raises OSError where the file system is full, as shared memory in a container often is."""
    path = os.path.join(folder, "room")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.posix_fallocate(fd, 0, _ROOM)
    except OSError as error:
        if is_full(error):
            raise
    finally:
        os.close(fd)
        os.unlink(path)


def engine_began(folder):
    """Whether the engine began in any process of the run; without counters it could not go on."""
    return os.path.exists(os.path.join(folder, "main"))


def write_spec(folder, order, report, more):
    """Write spec.json for an order.Order; `report` is where the package's own report goes. Returns its path.

    `more` holds what only the order's engine needs.
    """
    path = os.path.join(folder, "spec.json")
    spec = {
        "schema": 1, "project_root": order.project_root, "engine": order.engine, "exact": order.exact,
        "accelerator": order.accelerator, "counters": folder,
        "statements_socket": os.path.join(folder, "s"), "report": report}
    replace_file(path, encoded(dict(spec, **more)), sync=False)
    return path


def leave_main(folder):
    """The main process is none that measures itself: those that do were spawned by it."""
    os.close(os.open(os.path.join(folder, "main"), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))


def leave_last_word(folder, text):
    """Keep a run.json (bytes) that the disk does not take, where there is room; without it the run counts as lost."""
    try:
        replace_file(os.path.join(folder, _LAST_WORD), text, sync=False)
    except OSError:
        pass


def last_word(folder, run):
    """The run.json that was left here, as a dict; None where there is none of that run."""
    try:
        value = lean_json.loads(read_file(os.path.join(folder, _LAST_WORD), 64 << 20).decode("utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) and value.get("id") == run and value.get("state") == "finished" else None


def note_cancel(folder):
    """Say, before the supervisor is told to end the run, that somebody cancelled it."""
    try:
        os.close(os.open(os.path.join(folder, _CANCEL), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
    except OSError:
        pass  # the run is ended all the same


#: Code and words of the warning where a supervisor was told to end and no cancel was asked for.
ENDED_FROM_OUTSIDE = ("ended-from-outside", "The helper's process on the board was told to end (SIGTERM) by something other than a "
                      "cancel, as when the board is shut down, and so it ended the run.")


def cancel_was_asked(folder):
    return os.path.exists(os.path.join(folder, _CANCEL))


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
    """Remove a folder that `make` made; any other path is left alone. What cannot be removed stays."""
    if not is_ours(folder, run_folder):
        return
    # shutil would bring `re` into the supervisor: a MiB, and more time than all the rest of a run's end.
    for parent, folders, files in os.walk(folder, topdown=False):
        for name in files + folders:
            _take_away(os.path.join(parent, name))
    _take_away(folder)


def _take_away(path):
    for remove_one in (os.unlink, os.rmdir):  # links to folders are unlinked, too
        try:
            return remove_one(path)
        except OSError:
            pass
