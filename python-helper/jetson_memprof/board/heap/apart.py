"""Work in a process of its own, whose memory goes with it: the supervisor is to stay small."""
import os
import select
import time

from ..errors import log_fault
from ..run.script import as_from_shell, die_with

_MOST_BYTES = 1 << 20
_BLOCK = 65536
_SIGKILL = 9
_PAUSE_S = 0.005


def said(work, seconds):
    """What `work` wrote to its standard output, however it ended; where it takes longer it is ended with all that it started, and
    with this process."""
    try:
        return ended(work, seconds, False)[1]
    except OSError:
        return b""


def ended(work, seconds, with_errors):
    """How `work` ended, as os.waitpid has it, None where it was ended as it took longer or said too much; and what it wrote
    to its standard output, `with_errors` to its standard error too. OSError where no process can be made."""
    me = os.getpid()
    reading, writing = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        raise
    if pid == 0:
        _do(work, me, writing, with_errors)
    os.close(writing)
    until = time.monotonic() + seconds
    found, status = b"", None
    while len(found) < _MOST_BYTES and select.select([reading], [], [], max(0.0, until - time.monotonic()))[0]:
        part = os.read(reading, _BLOCK)
        if not part:  # which it may also have closed to go on
            status = _status(pid, until)
            break
        found += part
    os.close(reading)
    if status is None:
        for end in (os.killpg, os.kill):  # it has no group of its own yet where it was only just forked
            try:
                end(pid, _SIGKILL)
            except OSError:
                pass
        os.waitpid(pid, 0)
    return status, found


def _status(pid, until):
    while True:
        gone, status = os.waitpid(pid, os.WNOHANG)
        if gone:
            return status
        if time.monotonic() >= until:
            return None
        time.sleep(_PAUSE_S)


def _do(work, parent, writing, with_errors):
    status = 1
    try:
        os.setsid()
        as_from_shell()
        die_with(parent, _SIGKILL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(writing, 1)
        if with_errors:
            os.dup2(writing, 2)
        os.close(writing)
        work()
        status = 0
    except BaseException:
        log_fault()
    finally:
        os._exit(status)
