"""Work in a process of its own, whose memory goes with it: the supervisor is to stay small."""
import os
import select
import time

from ..errors import log_fault
from ..run.script import as_from_shell, die_with

_MOST_BYTES = 1 << 20
_BLOCK = 65536
_SIGKILL = 9


def said(work, seconds):
    """What `work` wrote to its standard output, however it ended; it is ended where it takes longer, and with this process."""
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
    found, was_late = b"", False
    while len(found) < _MOST_BYTES and select.select([reading], [], [], max(0.0, until - time.monotonic()))[0]:
        part = os.read(reading, _BLOCK)
        if not part:
            break
        found += part
    else:
        os.kill(pid, _SIGKILL)
        was_late = True
    os.close(reading)
    status = os.waitpid(pid, 0)[1]
    return None if was_late else status, found


def _do(work, parent, writing, with_errors):
    status = 1
    try:
        as_from_shell()
        die_with(parent, _SIGKILL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(writing, 1)
        if with_errors:
            os.dup2(writing, 2)
        work()
        status = 0
    except BaseException:
        log_fault()
    finally:
        os._exit(status)
