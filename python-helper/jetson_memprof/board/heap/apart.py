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
    me = os.getpid()
    reading, writing = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return b""
    if pid == 0:
        _do(work, me, writing)
    os.close(writing)
    until = time.monotonic() + seconds
    found = b""
    while len(found) < _MOST_BYTES and select.select([reading], [], [], max(0.0, until - time.monotonic()))[0]:
        part = os.read(reading, _BLOCK)
        if not part:
            break
        found += part
    else:
        os.kill(pid, _SIGKILL)
    os.close(reading)
    os.waitpid(pid, 0)
    return found


def _do(work, parent, writing):
    status = 1
    try:
        as_from_shell()
        die_with(parent, _SIGKILL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(writing, 1)
        work()
        status = 0
    except BaseException:
        log_fault()
    finally:
        os._exit(status)
