"""Allocator snapshots of one process: when they are taken. Never breaks the program; what fails becomes a warning."""
import atexit
import os
import sys
from _thread import RLock
from time import monotonic

from ..exceptions import is_of_program
from ..engine.layout import H_ASKED, H_KIND, H_SNAPSHOTS, KINDS
from . import history
from .passing import PASSING
from .snapshot_files import SnapshotFiles, TooLarge
from .system import memory_available
from .use import is_in_use

#: A checkpoint takes at most this share of the time.
_SHARE = 0.02
#: Programs catch the error and try again with less, many times over.
_MOST_OUT_OF_MEMORY = 4


class Snapshots(object):
    """`settings` is `torch` of spec.json with snapshots in it; `counters` the process's."""

    def __init__(self, settings, counters, now=monotonic):
        self._settings = settings
        self._counters = counters
        self._now = now
        atexit.register(self._at_exit)
        self.reopen_in_child()

    def reopen_in_child(self):
        """Begin afresh: a forked child has CUDA only if it initialises it itself, which PyTorch refuses mostly."""
        self._pid = os.getpid()
        self._lock = RLock()  # knows its owner: see settle() in engine/pure.py
        self._files = SnapshotFiles(self._settings["folder"], self._pid)
        self._history = None      # 'all' or 'state' once it is recorded
        self._is_over = False
        self._observed = False    # PyTorch says itself when it finds no memory
        self._ran_out = 0
        self._asked = 0
        self._checkpoint = None   # the file's name
        self._checkpoint_at = 0.0

    def look(self):
        """Begin once CUDA is in use, take what is due. Raises only what the program's own signal handlers raise."""
        if self._is_over:
            return
        if self._history is None:
            if is_in_use():
                self._guarded(self._begin)
            return
        asked = self._counters.head[H_ASKED]
        if asked != self._asked:
            if self._guarded(self._take, "request"):
                self._asked = asked
        elif self._now() >= self._checkpoint_at:
            self._guarded(self._take_checkpoint)

    def _begin(self):
        try:
            self._history = history.start(self._settings["snapshots"]["entries"])
        except (RecursionError, MemoryError):
            raise
        except Exception:
            self._is_over = True
            raise
        self._asked = self._counters.head[H_ASKED]
        self._counters.head[H_SNAPSHOTS] = 1
        self._checkpoint_at = self._now() + self._settings["snapshots"]["checkpoint_s"]
        self._observed = history.watch_out_of_memory(self._out_of_memory)

    def _out_of_memory(self):
        if os.getpid() == self._pid and self._ran_out < _MOST_OUT_OF_MEMORY:
            self._ran_out += 1
            self._guarded(self._take, "oom")

    def _take_checkpoint(self):
        began = self._now()
        if self._checkpoint is None:
            self._checkpoint = self._files.new_name()
        try:
            self._take("checkpoint", self._checkpoint)
        finally:
            ended = self._now()
            self._checkpoint_at = ended + max(self._settings["snapshots"]["checkpoint_s"], (ended - began) / _SHARE)

    def _take(self, why, name=None):
        try:
            if not self._lock.acquire(False):
                return  # another thread is at it
            t = int((self._now() - self._settings["began"]) * 1000)
            self._check_room()
            name = name or self._files.new_name()
            size = self._files.write(name, history.snapshot())
            self._files.note({"record": "snapshot", "t": t, "file": name, "size": size, "why": why,
                              "history": self._history, "entries": self._settings["snapshots"]["entries"]})
        finally:
            try:
                self._lock.release()
            except RuntimeError:
                pass  # it is not ours

    def _check_room(self):
        """Raises TooLarge where a snapshot could cost the program its life: on a board the GPU's memory is the CPU's."""
        need = history.expected_bytes(self._settings["snapshots"]["entries"], self._history == "all")
        available = memory_available()
        if available is not None and need > available // 2:
            raise TooLarge("An allocator snapshot was not taken in process %d: it would need about %d MiB for the moment, "
                           "and the board has only %d MiB of memory left." % (self._pid, need >> 20, available >> 20))

    def _at_exit(self):
        if os.getpid() != self._pid:
            return
        if self._history is not None:
            # An error that ended the program still holds its frames, and with them what was allocated.
            ended_by = None if self._observed else getattr(sys, "last_value", None)
            self._guarded(self._take, "oom" if history.is_out_of_memory(ended_by) else "end")
            self._counters.head[H_SNAPSHOTS] = 0
        elif not self._is_over and "torch" in sys.modules and KINDS[self._counters.head[H_KIND]] == "main":
            self._refuse("The script has not used CUDA, so there was no allocator to take snapshots of.")

    def _guarded(self, work, *arguments):
        """Do the work; whether there is no use in doing it again at the next look."""
        try:
            work(*arguments)
        except PASSING:
            return False
        except RecursionError:
            raise
        except Exception as error:
            if is_of_program(error):
                raise
            known = isinstance(error, (history.Unsupported, TooLarge))
            message = str(error) if known else "An allocator snapshot was not taken in process %d: %s: %s" % (
                self._pid, type(error).__name__, error)
            self._refuse(message)
            self._counters.warn("allocator-snapshot-failed", message)
        return True

    def _refuse(self, message):
        t = int((self._now() - self._settings["began"]) * 1000)
        try:
            self._files.note({"record": "refused", "t": t, "message": message})
        except OSError:
            pass  # the warning says it
