"""The `watch` command: the board's memory, moment by moment, until standard input ends."""
import os
import select
import signal
import time

from .. import names
from ..files import write_all
from ..system import system
from ..system.memory import MeminfoReader
from ..system.moments import INTERVAL_MS, Moments

# How often memory in use is looked at between two moments.
_LOOK_MS = 200


class _HostGone(Exception):
    """Nobody reads any more."""


def watch(request, in_fd=0, out_fd=1):
    interval_ms = names.whole_number(
        names.field(request, "interval_ms", (int, float), INTERVAL_MS, required=False), "interval_ms", 200, 60000)

    def write(data):
        try:
            write_all(out_fd, data)
        except OSError:
            raise _HostGone()
        return True

    def end(*_):
        raise _HostGone()

    board = system.here()
    meminfo = MeminfoReader(board)
    moments = Moments(board, write, interval_ms)
    # Cut off in any way, tegrastats must be ended.
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, end)
    try:
        _follow(moments, meminfo, in_fd)
    except _HostGone:
        pass
    finally:
        moments.close()


def _follow(moments, meminfo, in_fd):
    began, _ = moments.begin()
    poller = select.poll()
    poller.register(in_fd, select.POLLIN)
    while True:
        t = int((time.monotonic() - began) * 1000)
        data = meminfo.read()
        if moments.due(t, data):
            moments.take(t, data)
        if poller.poll(min(_LOOK_MS, moments.wait_ms(t) + 1)) and not os.read(in_fd, 4096):
            return
