"""Starts the model account of this process, once the script has imported PyTorch, and ends it with the process."""
import atexit
import functools
import os
import sys

from .account import Account
from .imports import when_imported
from .memory import Rss
from .optimizers import made_before
from .records import Records
from .trials import make


def start(settings, counters, meter, scope, after_fork):
    """`settings` is `torch` of the specification. What goes wrong is a warning, `model-not-accounted`."""
    session = _Session(settings, counters, meter, scope)
    session.was_imported = "torch" in sys.modules
    when_imported("torch", session.begin)
    after_fork(session.begin_in_child)
    atexit.register(session.end)


class _Session(object):
    was_imported = False  # before us

    def __init__(self, settings, counters, meter, scope):
        self._settings = settings
        self._counters = counters
        self._meter = meter
        self._rss = Rss(meter, counters.head)
        self._scope = scope
        self._torch = None
        self._account = None
        self._trial = make(settings["model"].get("trial"))

    def begin(self):
        """PyTorch has just been imported."""
        self._torch = sys.modules["torch"]
        try:
            if self._trial is not None:
                self._trial.install(self._torch)
            self._give_way_to_compilers()
            self._open(made_before(self._torch) if self.was_imported else [], self._trial)
        except Exception as error:
            self._warn_of(error)

    def begin_in_child(self):
        """A forked child counts for itself; the parent's account stays the parent's."""
        if self._account is None:
            return
        try:
            self._rss = Rss(self._meter, self._counters.head)
            self._account.remove()
            self._open(self._account.optimizers(), self._account.untried())
        except Exception as error:
            self._warn_of(error)

    def end(self):
        if self._account is not None:
            self._account.finish()

    def _open(self, optimizers, trial):
        torch, model = self._torch, self._settings["model"]
        graph = getattr(torch.autograd, "graph", None)
        records = Records(self._settings["folder"], {
            "torch": str(torch.__version__), "steps": model["steps"],
            "activations": "saved-tensors" if hasattr(graph, "saved_tensors_hooks") else "outputs"})
        self._account = Account(torch, records, model["steps"], self._rss, bool(self._settings.get("exact_peaks")),
                                self._place, self._is_programs, trial, self._warn)
        self._account.start(optimizers)

    def _give_way_to_compilers(self):
        """torch.compile (2.0) would take the account's own hooks for a part of the model. Libraries compile functions of
        their own as they are imported (bitsandbytes, torchao): no module runs in these."""
        compile = vars(self._torch).get("compile")
        if compile is None:
            return

        @functools.wraps(compile)
        def give_way(*arguments, **named):
            target = arguments[0] if arguments else named.get("model")
            if target is not None:
                self._see_compiled(target, compile)
                return compile(*arguments, **named)
            decorator = compile(*arguments, **named)

            def decorate(target):
                self._see_compiled(target, compile)
                return decorator(target)

            return decorate

        self._torch.compile = give_way

    def _see_compiled(self, target, compile):
        """What is no function of a library's may be the model, or run it."""
        code = getattr(target, "__code__", None)
        is_librarys = (code is not None and getattr(target, "__self__", None) is None
                       and self._scope.measured(code.co_filename) is None)
        if is_librarys:
            return
        self._torch.compile = compile
        if self._account is not None:
            self._account.give_up("The model was compiled (torch.compile): what runs is no longer its layers, so it "
                                  "is not accounted from there on. Run it without torch.compile to see it.")

    def _place(self, frame):
        """(path, line) of the project's innermost line that is running; None where there is none."""
        while frame is not None:
            path = self._scope.measured(frame.f_code.co_filename)
            if path is not None:
                return os.path.relpath(path, self._scope.root).replace(os.sep, "/"), frame.f_lineno
            frame = frame.f_back
        return None

    def _is_programs(self, error):
        """Whether the project's own code raised it, as a signal's handler does wherever the program is."""
        trace = error.__traceback__
        while trace.tb_next is not None:
            trace = trace.tb_next
        return self._scope.measured(trace.tb_frame.f_code.co_filename) is not None

    def _warn_of(self, error):
        self._warn("The model could not be accounted: %s: %s" % (type(error).__name__, error))

    def _warn(self, message):
        self._counters.warn("model-not-accounted", "Process %d: %s" % (os.getpid(), message))
