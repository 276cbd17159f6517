"""What to run and how: a `start` request, checked."""
import os
import sys
import time

from .. import names
from ..errors import incomplete_python
from ..files import which
from ..heap.heap_settings import heap_settings
from ..massif.massif_settings import MassifSettings
from ..run.record import now_text
from ..system import proc
from ..system.moments import INTERVAL_MS
from .torch_settings import TorchSettings

_ENGINES = ("line", "memory_profiler", "massif")
HELPER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

#: Of Python's library: what `start` itself does not import, but the supervisor and the line engine do.
_NEEDED = ("mmap", "select", "_socket")
_NOTEBOOK_RUNNER = os.path.join(HELPER, "jetson_memprof", "notebook", "run.py")


class Order(object):
    """What to run and how, checked. Paths are native, `arguments` are those of python.

    `massif` is a MassifSettings for that engine, None for the others; `torch` a TorchSettings; `heap` a HeapSettings
    where native stacks are to be sampled, else None.
    `notebook` is the path of the one that is to be run, None where a script or module is. `launch` is the launcher that
    starts the script, and its arguments; empty where Python does.
    """

    def __init__(self, request):
        self.root = names.root_folder(request)
        self.id = names.run_id(request)
        self.project_root = self._project_root(request)
        self.args = [names.clean_text(value, "args") if isinstance(value, str) else self._refuse("args", value)
                     for value in names.field(request, "args", list, [], required=False)]
        self.env = names.field(request, "env", dict, {}, required=False)
        for key, value in self.env.items():
            # Named without its value, which may be a secret.
            settable = key and "=" not in key and isinstance(value, str)
            if not settable or not names.is_clean(key + value):
                self._refuse("env", key.split("=")[0])
        self.engine = names.field(request, "engine", str)
        if self.engine not in _ENGINES:
            self._refuse("engine", self.engine)
        self.massif = MassifSettings(request) if self.engine == "massif" else None
        self.torch = TorchSettings(request, self.engine)
        self.heap = heap_settings(request, self.engine)
        self.exact = names.field(request, "exact", bool, False, required=False)
        self.accelerator = names.field(request, "accelerator", bool, True, required=False)
        self.output_limit = names.whole_number(names.field(request, "output_limit", (int, float)), "output_limit")
        self.interval_ms = names.whole_number(
            names.field(request, "interval_ms", (int, float), 200, required=False), "interval_ms", 20, 60000)
        self.moments_interval_ms = names.whole_number(names.field(
            request, "moments_interval_ms", (int, float), INTERVAL_MS, required=False), "moments_interval_ms", 200, 60000)
        self.versions = names.field(request, "versions", dict, {}, required=False)
        self.board = names.field(request, "board", dict, {}, required=False)
        self.script = self.module = self.notebook = None
        if request.get("module") is not None:
            self.module = names.module_name(names.field(request, "module", str))
            self.cwd = self._cwd(request, self.project_root)
            target = ["-m", names.native(self.module)]
        else:
            self.script = names.relative_path(names.field(request, "script", str), "script")
            native = os.path.join(self.project_root, names.native(self.script))
            if self.script.endswith(".ipynb"):
                self.notebook = native
            # Jupyter runs a notebook in its own folder.
            self.cwd = self._cwd(request, os.path.dirname(native) if self.notebook else self.project_root)
            target = [_NOTEBOOK_RUNNER] * (self.notebook is not None) + [self._script_argument()]
        self.arguments = target + [names.native(value) for value in self.args]
        self.launch = [names.clean_text(value, "launch") if isinstance(value, str) else self._refuse("launch", value)
                       for value in names.field(request, "launch", list, [], required=False)]
        if self.launch and (self.script is None or self.notebook is not None or self.engine != "line"):
            self._refuse("launch", self.launch[0])
        self.boot_folder = os.path.join(HELPER, "boot")

    @staticmethod
    def _refuse(what, value):
        raise names.refuse(what, value)

    def _project_root(self, request):
        if request.get("project") is not None:
            return os.path.join(self.root, "projects", names.project(request))
        path = names.native(names.clean_text(names.field(request, "project_root", str), "project_root"))
        return os.path.normpath(path) if os.path.isabs(path) else self._refuse("project_root", path)

    def _cwd(self, request, otherwise):
        text = names.field(request, "cwd", str, None, required=False)
        if text is None:
            return otherwise
        path = os.path.expanduser(names.native(names.clean_text(text, "cwd")))
        return os.path.normpath(os.path.join(self.project_root, path))

    def _script_argument(self):
        """The script as the user would type it in the working folder."""
        native = names.native(self.script)
        if self.cwd != self.project_root:
            return os.path.join(self.project_root, native)
        return "./" + native if native.startswith("-") else native

    def program(self):
        """(the program to start, its arguments); the program is None where the launcher is not there."""
        if not self.launch:
            return sys.executable, self.arguments
        name = names.native(self.launch[0])
        if "/" in name:
            folder, name = os.path.split(os.path.normpath(os.path.join(self.cwd, os.path.expanduser(name))))
            folders = [folder]
        else:
            # Beside the interpreter, as in an environment; then as a shell, and as pip leaves what a user installs.
            path = self.env.get("PATH", os.environ.get("PATH", os.defpath)).split(os.pathsep)
            folders = [os.path.dirname(sys.executable)] + [folder or self.cwd for folder in path]
            folders.append(os.path.expanduser("~/.local/bin"))
        return which(name, folders), [names.native(word) for word in self.launch[1:]] + self.arguments

    def trouble(self):
        """Why the script cannot be started, as (code, message, hint), or None."""
        if not os.path.isdir(self.project_root):
            return ("no-project", "The project's folder %s is not on the board." % names.portable(self.project_root),
                    "Synchronise the project, then start again.")
        if not os.path.isdir(self.cwd):
            return ("no-folder", "The working folder %s is not on the board." % names.portable(self.cwd),
                    "Make this folder on the board or choose another working folder.")
        if self.script is not None:
            path = os.path.join(self.project_root, names.native(self.script))
            if not os.path.isfile(path):
                return ("script-missing", "The script %s is not on the board in %s." % (
                    self.script, names.portable(self.project_root)),
                    "Check that the script is not excluded from the synchronisation, then start again.")
        try:
            proc.read("/proc/self/statm")
        except OSError as error:
            return ("no-proc", "The board's system does not show this user how much memory a process has: /proc/self/statm "
                    "cannot be read (%s). All figures come from there." % error.strerror,
                    "Mount /proc on the board, or run outside of the container or sandbox that hides it.")
        for name in _NEEDED:
            try:
                __import__(name)
            except ImportError as error:
                failure = incomplete_python(error.name or name)
                return failure.code, failure.message, failure.hint
        if self.massif is not None:
            from ..massif import valgrind  # not for the supervisor of other engines, which stays small
            if valgrind.program() is None:
                return valgrind.missing(self.board.get("l4t"))
        if self.program()[0] is None:
            return ("no-launcher", "There is no program %s on the board. It was looked for beside %s, in PATH and in "
                    "~/.local/bin." % (self.launch[0], names.portable(sys.executable)),
                    "Install it there, or name it by its whole path behind --launch.")
        if self.notebook is not None and self.engine != "line":
            return ("notebook-engine", "A notebook can be measured by the line engine only, not by %s." % self.engine,
                    "Choose the line engine, or save the notebook as a script: jupyter nbconvert --to script.")
        return None

    def values(self):
        """run.json as it is before the start."""
        command = {"python": names.portable(sys.executable)}
        command.update({"module": self.module} if self.module is not None else {"script": self.script})
        command["args"] = self.args
        if self.launch:
            command["launch"] = self.launch
        engine = {"name": self.engine, "exact": False, "peak": False, "accelerator": False}
        if self.engine == "line":
            engine.update(exact=self.exact, peak=proc.can_reset_peak(), accelerator=self.accelerator)
        if self.massif is not None:
            engine["massif"] = self.massif.record(self.versions.get("valgrind"))
        if self.heap is not None:
            engine["heap"] = self.heap.record()
        return {
            "schema": 1, "id": self.id, "state": "running",
            "engine": engine,
            "command": command, "project_root": names.portable(self.project_root),
            "cwd": names.portable(self.cwd), "started": now_text(time.time()),
            "board": self.board, "versions": self.versions, "processes": [],
            "output": {"stdout": {"bytes": 0, "kept": 0}, "stderr": {"bytes": 0, "kept": 0}},
            "files": [], "warnings": []}
