"""The `start` command: makes the run folder and leaves a supervisor behind."""
import errno
import os
import sys
import time

from ... import lean_json
from .. import names
from ..errors import BoardError, from_os_error, log_fault
from ..files import make_folders, replace_file, write_all
from ..run.record import now_text
from ..run.runs import RunFolder
from .order import HELPER, Order


def start(request):
    """Start the run; the reply comes once the script has been started."""
    order = Order(request)
    folder = RunFolder(order.root, order.id)
    values = order.values()
    trouble = notebook = None
    if request.get("container") is not None:
        from ..container.inside import Inside
        Inside(request["container"])  # checked; what the script needs is looked at in there
    else:
        trouble = order.trouble()
        if trouble is None and order.notebook is not None:
            trouble, notebook = _prepare(order)
    if trouble is not None:
        values.update(_unstarted(trouble[1]))
    if notebook is not None:
        values.update(notebook=notebook.record(), warnings=notebook.warnings)
    try:
        lock = _make(folder, values, notebook)
    except OSError as error:
        raise from_os_error(error, "Making the run's folder %s on the board" % names.portable(folder.path))
    if trouble is not None:
        raise BoardError(*trouble)
    try:
        reply = _leave_supervisor(request, folder, lock)
    except OSError as error:
        reply = from_os_error(error, "Starting the script on the board").as_reply()
    if "error" in reply:
        _close_unstarted(folder, values, reply["error"]["message"])
        raise BoardError(reply["error"]["code"], reply["error"]["message"], reply["error"]["hint"])
    return {"id": order.id, "folder": names.portable(folder.path), "pid": reply["pid"]}


def _unstarted(message):
    return {"state": "finished", "ended": now_text(time.time()), "elapsed_ms": 0,
            "exit": {"kind": "not-started", "message": message}}


def _close_unstarted(folder, values, message):
    """Write down that nothing was started, where nobody has yet and the disk takes it; else the run counts as lost."""
    from .cancel import end_left_behind
    from ..run.rescue import rescue
    try:
        end_left_behind(folder)  # its supervisor may have got just that far
        if (folder.run_record() or {}).get("state") == "running":
            closed = dict(values, **_unstarted(message))
            replace_file(folder.file("run.json"), lean_json.dumps(closed, indent=1).encode("ascii") + b"\n")
        rescue(folder)  # what its supervisor left behind
    except (OSError, BoardError):
        pass


def _prepare(order):
    """(why the notebook cannot be run, None) or (None, a notebook.prepared.Prepared)."""
    from ...notebook.prepared import Prepared
    from ...notebook.reading import NotebookError
    try:
        return None, Prepared(order.notebook, order.script)
    except NotebookError as error:
        return ("notebook", error.message, error.hint), None
    except OSError as error:
        failure = from_os_error(error, "Reading the notebook %s on the board" % order.script)
        return (failure.code, failure.message, failure.hint), None


def _make(folder, values, notebook=None):
    """Make the run's folder; the descriptor of its lock.

    It gets its name when its record is in it and its lock is held: whoever looks
    earlier finds no run, whoever looks later finds one that lives.
    """
    runs = os.path.dirname(folder.path)
    make_folders(runs)
    making = RunFolder(os.path.dirname(runs), ".starting-%s-%d" % (folder.id, os.getpid()))
    os.mkdir(making.path, 0o700)
    try:
        lock = making.take_lock()
        making.note_boot(lock)
        if notebook is not None:
            notebook.write(making.file("sources"))
        # Not waited for: what a power cut takes before the script runs is no run. The supervisor sees to it then.
        replace_file(making.file("run.json"), lean_json.dumps(values, indent=1).encode("ascii") + b"\n", sync=False)
        os.rename(making.path, folder.path)
    except OSError as error:
        from shutil import rmtree  # not for the supervisor, which imports this module too
        rmtree(making.path, ignore_errors=True)
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
            raise BoardError("run-exists", "The board already has a run %s." % folder.id, "Start again.")
        raise
    return lock


def _leave_supervisor(request, folder, lock):
    """Fork twice, so that the supervisor belongs to no terminal and no connection; its first words."""
    waiting = _waiting_for(request)
    order = _unnamed_file(folder, lean_json.dumps(request).encode("ascii"))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setsid()
            if os.fork():
                status = 0
            else:
                _become_supervisor(folder, order, (lock, writing) + waiting)
        except BaseException:
            log_fault()
        finally:
            os._exit(status)
    for fd in (writing, order, lock) + waiting[:3]:  # the supervisor has them
        os.close(fd)
    os.waitpid(child, 0)
    said = b""
    while True:
        part = os.read(reading, 4096)
        if not part:
            break
        said += part
    os.close(reading)
    if not said and isinstance(folder.supervisor().get("script_pid"), int):
        return {"pid": folder.supervisor()["script_pid"]}  # it was killed right after that: attach tells the rest
    if not said:
        return BoardError("helper-died", "The helper's process on the board ended before it could start the script.",
                          "See helper.log in %s on the board, then start again."
                          % names.portable(folder.path)).as_reply()
    return lean_json.loads(said.decode("ascii"))


def _unnamed_file(folder, data):
    """A descriptor to read the data from; it may hold secrets of the environment, so it gets no name."""
    path = folder.file(".order")
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)
    write_all(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _waiting_for(request):
    """What waits for the run in its container, as of inside.waiting_in."""
    if request.get("container") is None:
        return ()
    from ..container.inside import waiting_in
    return waiting_in(request["container"].get("id"))


def _become_supervisor(folder, order, told):
    """Replace this process by a fresh interpreter, which needs less memory than what is left of this one."""
    nothing = os.open(os.devnull, os.O_RDWR)
    log = os.open(folder.file("helper.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    # The connection ends only when nobody holds its streams.
    for fd, at in ((order, 0), (nothing, 1), (log, 2)):
        os.dup2(fd, at)
    for fd in told[:5]:
        os.set_inheritable(fd, True)
    os.chdir("/")
    # Without site: what is installed on the board must not cost memory here.
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-B", os.path.join(HELPER, "board.py"),
                              "supervise"] + list(map(str, told)))


def supervise(request, lock, writing, *waiting):
    """The other side of `start`: be the supervisor of the run until its end. `waiting`: as of inside.waiting_in."""
    for fd in (lock, writing) + waiting[:3]:
        os.set_inheritable(fd, False)  # not for the script
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    order = Order(request)
    folder = RunFolder(order.root, order.id)

    def report(reply):
        try:
            os.write(writing, lean_json.dumps(reply).encode("ascii"))
        except OSError:
            pass  # nobody waits any more; the run goes on
        os.close(writing)

    if request.get("container") is not None:
        from ..container.inside import Inside
        from ..container.outside import Outside
        Outside(Inside(request["container"]), request, folder, folder.run_record(), lock, waiting).run(report)
        return
    from ..run.supervisor import Supervisor
    try:
        Supervisor(order, folder, folder.run_record(), lock).run(report)
    except (OSError, ImportError):
        log_fault()  # these are answered, and nobody is there to read it
        raise
