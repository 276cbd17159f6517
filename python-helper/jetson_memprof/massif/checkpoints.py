"""Writes what massif has so far, every few seconds: massif itself writes at the exit only, and a kill leaves nothing."""
import _thread
import os
from time import perf_counter

#: Checkpoints may take this part of the time.
_MOST = 0.02
#: A shorter wait wakes up for nothing; the end of the process interrupts it anyway.
_SHORTEST_SECONDS = 0.2


class Checkpoints(object):
    """`massif.out.<pid>` in `folder`, each time whole; `beside()` is called with each. Its thread is unknown
    to `threading`."""

    def __init__(self, valgrind, folder, every_seconds, beside):
        self._valgrind = valgrind
        self._folder = folder
        self._every = max(every_seconds, _SHORTEST_SECONDS)
        self._beside = beside

    def start(self):
        self._path = os.path.join(self._folder, "massif.out.%d" % os.getpid())
        self._end = _thread.allocate_lock()
        self._end.acquire()
        _thread.start_new_thread(self._run, (self._end,))

    def stop(self):
        if self._end.locked():
            self._end.release()

    def _run(self, end):
        wait = self._every
        while not end.acquire(True, wait):
            since = perf_counter()
            self._write()
            self._beside()
            wait = max(self._every, (perf_counter() - since) / _MOST)

    def _write(self):
        part = self._path + ".part"
        try:
            if self._valgrind.monitor(b"all_snapshots " + os.fsencode(part)):
                os.replace(part, self._path)
        except OSError:  # the disk is full: the one before stays
            pass
