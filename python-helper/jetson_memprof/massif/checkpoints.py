"""Writes what massif has so far, every few seconds: massif itself writes at the exit only, and a kill leaves nothing."""
import _thread
import os
from time import perf_counter

#: Checkpoints may take this part of the time.
_MOST = 0.02
#: A shorter wait wakes up for nothing; the end of the process interrupts it anyway.
_SHORTEST_SECONDS = 0.2
#: A usual stack of 8 MiB would be seen where massif counts pages. Room for a program's finalizers, which any thread may run.
_STACK_BYTES = 1 << 20


class Checkpoints(object):
    """`massif.out.<pid>` in `folder`, each time whole; `beside()` is called before each is there, so that a kill leaves none
    without what belongs to it. Its thread is unknown to `threading`."""

    def __init__(self, valgrind, folder, every_seconds, beside):
        self._valgrind = valgrind
        self._folder = folder
        self._every = max(every_seconds, _SHORTEST_SECONDS)
        self._beside = beside
        self._end = None

    def start(self):
        """To be called where no other thread runs, as the size of new threads' stacks is one for all."""
        self._path = os.path.join(self._folder, "massif.out.%d" % os.getpid())
        self._end = _thread.allocate_lock()
        self._end.acquire()
        usual = _thread.stack_size(_STACK_BYTES)
        try:
            _thread.start_new_thread(self._run, (self._end,))
        finally:
            _thread.stack_size(usual)

    def stop(self):
        if self._end is not None:
            self._end.release()
            self._end = None

    def _run(self, end):
        wait = self._every
        while not end.acquire(True, wait):
            since = perf_counter()
            self._write()
            wait = max(self._every, (perf_counter() - since) / _MOST)

    def _write(self):
        part = self._path + ".part"
        written = self._valgrind.monitor(b"all_snapshots " + os.fsencode(part))
        self._beside()
        try:
            if written:
                os.replace(part, self._path)
        except OSError:  # the disk is full: the one before stays
            pass
