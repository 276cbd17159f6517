"""The pure Python engine on sys.settrace, for Python 3.6 to 3.11."""
import sys

from . import pure


class SettraceTracer(object):
    implementation = "pure"

    def __init__(self, registry, meter, exact, beside):
        self._new_threads = registry.new_threads
        self._start_thread, self._rebase, self.end = pure.make_process(registry, meter, exact, beside)

    def start(self):
        self._new_threads.trace(self._enter_thread)
        sys.settrace(self._start_thread()[0])

    def stop(self):
        """Returns whether this thread was measured to its end: False where the program put another tracer in place."""
        self._new_threads.stop()
        tracer = sys.gettrace()
        if getattr(tracer, "__module__", None) == pure.__name__:
            sys.settrace(None)
            return True
        # Python drops a tracer that an exception goes through; where Ctrl-C ended the script, nothing followed.
        return tracer is None and getattr(sys, "last_type", None) is KeyboardInterrupt

    def interrupted(self):
        """Whether another tracer was there for a while: the one that is known to put this one back unnoticed."""
        return "memory_profiler" in sys.modules

    def reopen_in_child(self):
        self._rebase()

    def _enter_thread(self, frame, event, arg):
        """The first event of a thread that `threading` has started."""
        tracer = self._start_thread()[0]
        sys.settrace(tracer)
        return tracer(frame, event, arg)
