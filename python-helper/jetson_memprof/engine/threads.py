"""What the engine wants of `threading`, which it does not load: with what that needs, it would hold half a MiB."""
import os
import sys
from _thread import get_ident

_MODULE = "threading"
#: What its code says that its file is called, also where the file is not there, but in an archive or frozen.
_FILES = ("threading.py", "<frozen threading>")
#: Whoever starts the engine is the main thread.
_main = get_ident()


def thread_name():
    """That of the calling thread."""
    threads = getattr(sys.modules.get(_MODULE), "_active", {})
    thread = threads.get(get_ident())  # current_thread() would make up a missing one
    if thread is not None:
        return thread.name
    return "MainThread" if get_ident() == _main and not threads else "thread %d" % get_ident()


class NewThreads(object):
    """Sees to it that the threads that `threading` starts are traced from their beginning."""

    def __init__(self):
        self._enter = None
        self._settrace = None  # of the module, once `enter` was given to it

    def trace(self, enter):
        """`enter` becomes the trace function of each of them, where the module is there, else from its import on."""
        self._enter = enter
        self.look()

    def look(self):
        """To be called as functions of the module are entered."""
        if self._enter is not None and self._settrace is None:
            settrace = getattr(sys.modules.get(_MODULE), "settrace", None)
            if settrace is not None:  # it has begun its import before that is defined
                settrace(self._enter)
                self._settrace = settrace

    def stop(self):
        if self._settrace is not None:
            self._settrace(None)
        self._enter = None

    def file(self, filename):
        """A ThreadingFile for one that may be that of the module, which is just being imported; None for any other."""
        if self._settrace is not None or filename.rpartition(os.sep)[2] not in _FILES:
            return None
        return ThreadingFile(self)


class ThreadingFile(object):
    """False like a file that is not measured. The first function that is entered after `settrace` was defined tells."""
    __slots__ = ("functions", "_new_threads")

    def __init__(self, new_threads):
        self.functions = {}
        self._new_threads = new_threads

    def __bool__(self):
        return False

    def enter(self, code):
        self._new_threads.look()
        return False
