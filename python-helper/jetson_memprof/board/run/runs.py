"""The run folders on the board: which there are, which live, and taking one away.

A run lives while its supervisor holds the lock on `lock`; the kernel lets it
go however the supervisor ends, so neither a reused pid nor a restart of the
board can make a dead run look alive.
"""
import os
import stat
import time

from ... import lean_json
from .. import names
from ..errors import BoardError, from_os_error
from ..files import read_file, take_lock
from ..system import proc
from . import shared

_TIDYING_S = 5.0


class RunFolder(object):
    """The paths of one run and what its files say."""

    def __init__(self, root, run):
        self.id = run
        self.path = os.path.join(root, "runs", run)

    def file(self, name):
        return os.path.join(self.path, name)

    def is_ours(self):
        """Whether this user made it: what it says of processes and folders is acted upon."""
        try:
            found = os.lstat(self.path)
        except OSError:
            return False
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()

    def take_lock(self):
        """The lock's descriptor, or None while a supervisor (or a rescuer) holds it."""
        return take_lock(self.file("lock"))

    def is_held(self):
        """Whether a supervisor (or a rescuer) holds it. Asking makes no file: the folder may be on its way out."""
        try:
            fd = take_lock(self.file("lock"), create=False)
        except FileNotFoundError:
            return False
        if fd is None:
            return True
        os.close(fd)
        return False

    def note_boot(self, lock):
        """Write this boot's identity into the lock file; it lasts a power cut after `sync_boot`."""
        os.write(lock, (proc.boot_id() or "").encode("ascii"))

    @staticmethod
    def sync_boot(lock):
        try:
            os.fsync(lock)
        except OSError:
            pass  # supervisor.json has it too

    def is_of_another_boot(self):
        """Whether the board was restarted since the run began; False where nobody knows."""
        now = proc.boot_id()
        return now is not None and any(one not in (None, now) for one in (self.supervisor().get("boot_id"), self._noted_boot()))

    def _noted_boot(self):
        try:
            return read_file(self.file("lock"), 64).decode("ascii") or None
        except (OSError, ValueError):
            return None

    def run_record(self):
        """run.json as a dict, or None where it is missing or not readable."""
        return self._dict("run.json")

    def supervisor(self):
        """What the supervisor noted of itself: pids with start times, boot id, counters folder."""
        return self._dict("supervisor.json") or {}

    def shared_folder(self):
        """The folder with the run's counters, while it is there and is this user's own; else None."""
        path = self.supervisor().get("shared")
        return path if isinstance(path, str) and shared.is_ours(path, self.path) else None

    def _dict(self, name):
        try:
            value = lean_json.loads(read_file(self.file(name), 64 << 20).decode("utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def living_pids(self):
        """The pids noted for this run that still are the same processes of this boot."""
        noted = self.supervisor()
        if noted.get("boot_id") != proc.boot_id():
            return []
        found = []
        listed = noted.get("processes")
        for entry in listed if isinstance(listed, list) else []:
            if isinstance(entry, list) and len(entry) == 2 and all(isinstance(one, int) for one in entry) \
                    and entry[0] > 1 and proc.is_alive(entry[0], entry[1]):
                found.append(entry[0])
        return found


def open_run(request):
    """The run a request names; BoardError 'no-such-run' where there is none."""
    folder = RunFolder(names.root_folder(request), names.run_id(request))
    if os.path.islink(folder.path) or not os.path.isdir(folder.path):
        raise BoardError("no-such-run", "The board has no run %s in %s." % (
            folder.id, names.portable(os.path.dirname(folder.path))),
            "It may have been removed there; the copy in your project stays.")
    if not folder.is_ours():
        raise BoardError("not-your-run", "The run %s in %s on the board belongs to another user." % (
            folder.id, names.portable(os.path.dirname(folder.path))),
            "Connect as the user who started it; what another user's folder says is not acted upon.")
    return folder


def script_of(record):
    command = record.get("command")
    if not isinstance(command, dict):
        return None
    return command.get("script") or command.get("module")


def state_of(record):
    """'running' | 'finished' | 'lost' of a run.json that was read."""
    if record.get("state") != "finished":
        return "running"
    ended = record.get("exit")
    return "lost" if isinstance(ended, dict) and ended.get("kind") == "lost" else "finished"


def listing(root):
    """All runs below the root, newest last; a lost one is rescued on the way."""
    try:
        present = sorted(os.listdir(os.path.join(root, "runs")))
    except FileNotFoundError:
        return []
    found = []
    for name in present:
        folder = RunFolder(root, name)
        if not folder.is_ours():
            continue
        record = folder.run_record()
        if record is None and names.is_run_id(name) and not folder.is_held():
            found.append({"id": name, "state": "lost", "pid": None, "script": None})  # its run.json is damaged
        if record is None or record.get("id") != name:
            continue
        state = state_of(record)
        if state == "running" and not folder.is_held():
            from .rescue import rescue
            try:
                rescue(folder)
            except (BoardError, OSError):  # a full disk: who opens this run is told; the others are listed all the same
                if not os.path.isdir(folder.path):
                    continue  # removed meanwhile
            state = state_of(folder.run_record() or record)
            if state == "running" and not folder.is_held():
                state = "lost"
        pid = folder.supervisor().get("script_pid") if state == "running" else None
        found.append({"id": name, "state": state, "pid": pid, "script": script_of(record)})
    return found


def runs(request):
    """The `runs` command."""
    root = names.root_folder(request)
    try:
        return {"runs": listing(root)}
    except OSError as error:
        raise from_os_error(error, "Listing the runs on the board")


def remove(request):
    """The `remove` command: a finished run's folder, and nothing a symlink leads to."""
    import shutil
    folder = open_run(request)
    lock = folder.take_lock()
    until = time.monotonic() + _TIDYING_S
    while lock is None and (folder.run_record() or {}).get("state") == "finished" and time.monotonic() < until:
        time.sleep(0.02)  # the supervisor has written its last word and is tidying up
        lock = folder.take_lock()
    if lock is None:
        raise BoardError("still-running", "The run %s has not ended, so it was not removed." % folder.id,
                         "Cancel it first, or wait for its end.")
    private = folder.shared_folder()
    try:
        if private is not None:
            shared.remove(private, folder.path)
        # Renamed first: what is half removed must not look like a run.
        doomed = os.path.join(os.path.dirname(folder.path), ".removing-" + folder.id)
        os.rename(folder.path, doomed)
        shutil.rmtree(doomed)
    except OSError as error:
        raise from_os_error(error, "Removing the run %s on the board" % folder.id)
    finally:
        os.close(lock)
    return {}
