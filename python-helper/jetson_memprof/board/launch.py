"""The `start` command: makes the run folder and leaves a supervisor behind."""
import errno
import json
import os
import sys
import time

from . import names
from .errors import BoardError, from_os_error
from .files import replace_file, write_all
from .order import HELPER, Order
from .record import now_text
from .runs import RunFolder


def start(request):
    """Start the run; the reply comes once the script has been started."""
    order = Order(request)
    folder = RunFolder(order.root, order.id)
    values = order.values()
    trouble = order.trouble()
    if trouble is not None:
        values.update(state="finished", ended=now_text(time.time()), elapsed_ms=0,
                      exit={"kind": "not-started", "message": trouble[1]})
    try:
        lock = _make(folder, values)
    except OSError as error:
        raise from_os_error(error, "making the run's folder %s on the board" % names.portable(folder.path))
    if trouble is not None:
        raise BoardError(*trouble)
    reply = _leave_supervisor(request, folder, lock)
    if "error" in reply:
        raise BoardError(reply["error"]["code"], reply["error"]["message"], reply["error"]["hint"])
    return {"id": order.id, "folder": names.portable(folder.path), "pid": reply["pid"]}


def _make(folder, values):
    """Make the run's folder; the descriptor of its lock.

    It gets its name when its record is in it and its lock is held: whoever looks
    earlier finds no run, whoever looks later finds one that lives.
    """
    runs = os.path.dirname(folder.path)
    os.makedirs(runs, mode=0o700, exist_ok=True)
    making = RunFolder(os.path.dirname(runs), ".starting-%s-%d" % (folder.id, os.getpid()))
    os.mkdir(making.path, 0o700)
    try:
        lock = making.take_lock()
        replace_file(making.file("run.json"), json.dumps(values, indent=1).encode("ascii") + b"\n")
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
    order = _unnamed_file(folder, json.dumps(request).encode("ascii"))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setsid()
            if os.fork():
                status = 0
            else:
                _become_supervisor(folder, order, lock, writing)
        except BaseException:
            import traceback
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    os.close(order)
    os.close(lock)  # the supervisor has it
    os.waitpid(child, 0)
    said = b""
    while True:
        part = os.read(reading, 4096)
        if not part:
            break
        said += part
    os.close(reading)
    if not said:
        return BoardError("helper-died", "The helper's process on the board ended before it could start the script.",
                          "See helper.log in %s on the board, then start again."
                          % names.portable(folder.path)).as_reply()
    return json.loads(said.decode("ascii"))


def _unnamed_file(folder, data):
    """A descriptor to read the data from; it may hold secrets of the environment, so it gets no name."""
    path = folder.file(".order")
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)
    write_all(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _become_supervisor(folder, order, lock, writing):
    """Replace this process by a fresh interpreter, which needs less memory than what is left of this one."""
    nothing = os.open(os.devnull, os.O_RDWR)
    log = os.open(folder.file("helper.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    # The connection ends only when nobody holds its streams.
    for fd, at in ((order, 0), (nothing, 1), (log, 2)):
        os.dup2(fd, at)
    for fd in (lock, writing):
        os.set_inheritable(fd, True)
    os.chdir("/")
    # Without site: what is installed on the board must not cost memory here.
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-B", os.path.join(HELPER, "board.py"),
                              "supervise", str(lock), str(writing)])


def supervise(request, lock, writing):
    """The other side of `start`: be the supervisor of the run until its end."""
    for fd in (lock, writing):
        os.set_inheritable(fd, False)  # not for the script
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    order = Order(request)
    folder = RunFolder(order.root, order.id)

    def report(reply):
        try:
            os.write(writing, json.dumps(reply).encode("ascii"))
        except OSError:
            pass  # nobody waits any more; the run goes on
        os.close(writing)

    from .supervisor import Supervisor
    Supervisor(order, folder, folder.run_record(), lock).run(report)
