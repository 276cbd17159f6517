"""The `start` command: makes the run folder and leaves a supervisor behind."""
import json
import os
import sys
import time
import traceback

from . import names
from .errors import BoardError, from_os_error
from .files import replace_file
from .order import Order
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
        lock = _make(folder)
        replace_file(folder.file("run.json"), json.dumps(values, indent=1).encode("ascii") + b"\n")
    except OSError as error:
        raise from_os_error(error, "making the run's folder %s on the board" % names.portable(folder.path))
    if trouble is not None:
        raise BoardError(*trouble)
    reply = _leave_supervisor(order, folder, values, lock)
    if "error" in reply:
        raise BoardError(reply["error"]["code"], reply["error"]["message"], reply["error"]["hint"])
    return {"id": order.id, "folder": names.portable(folder.path), "pid": reply["pid"]}


def _make(folder):
    """Make the run's folder and hold its lock, so that nobody takes the run for a lost one."""
    os.makedirs(os.path.dirname(folder.path), mode=0o700, exist_ok=True)
    try:
        os.mkdir(folder.path, 0o700)
    except FileExistsError:
        raise BoardError("run-exists", "The board already has a run %s." % folder.id, "Start again.")
    return folder.take_lock()


def _leave_supervisor(order, folder, values, lock):
    """Fork twice, so that the supervisor belongs to no terminal and no connection; its first words."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            os.setsid()
            if os.fork():
                status = 0
            else:
                _become_supervisor(order, folder, values, lock, writing)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
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


def _become_supervisor(order, folder, values, lock, writing):
    # The connection ends only when nobody holds its streams.
    nothing = os.open(os.devnull, os.O_RDWR)
    log = os.open(folder.file("helper.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for fd, at in ((nothing, 0), (nothing, 1), (log, 2)):
        os.dup2(fd, at)
    os.close(nothing)
    os.close(log)
    os.chdir("/")

    def report(reply):
        try:
            os.write(writing, json.dumps(reply).encode("ascii"))
        except OSError:
            pass  # nobody waits any more; the run goes on
        os.close(writing)

    from .supervisor import Supervisor
    try:
        Supervisor(order, folder, values, lock).run(report)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
