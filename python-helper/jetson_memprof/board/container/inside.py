"""The helper in a container, as the host starts its commands there: by the engine's `exec`, with JSON both ways."""
import os
import select
import time
from _signal import SIGKILL

from ... import lean_json
from .. import names
from ..errors import BoardError
from ..files import read_file, write_all
from ..run import script
from ..system import proc
from .engine import is_name, words_of

_PIECE = 1 << 16
_LONGEST_REPLY = 4 << 20
_LONGEST_WORDS = 2000
_MOST_ARGUMENTS = 64
_CODE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
#: Of the file in a run's folder that says where the run really is, for those who come when its mirror is gone.
NAME = "inside.json"


#: Started before it is known what it is to run: the command comes word by word on its input, an empty line ends it, and
#: what follows is the command's own.
_WAITING = """while IFS= read -r word && [ -n "$word" ]
do set -- "$@" "$word"
done
exec "$@"
"""
_waiting = {}  # by the container's id


def wait_in(identity, program, arguments):
    """Have the engine start a shell in there that waits for the run's command, while other things are done."""
    try:
        _waiting[identity] = script.spawn(program, arguments + ["sh", "-c", _WAITING, "sh"], "/", dict(os.environb), None)
    except OSError:
        pass  # whoever starts the run is told then


def waiting_in(identity):
    """(stdin, stdout, stderr, pid) of what waits in there, once; nothing where nothing does."""
    child = _waiting.pop(identity, None)
    return () if child is None else (child.stdin, child.stdout, child.stderr, child.pid)


class _Handed(script.Script):
    """What another process started: once that is gone, its number may be another program's."""

    def __init__(self, stdin, stdout, stderr, pid):
        script.Script.__init__(self, pid, stdin, stdout, stderr)
        self._status = proc.status_of(pid)

    def is_there(self):
        return self._status is not None and proc.is_alive(self.pid, self._status[3])


class Inside(object):
    """What `enter` found, as the host has it from home again or from the run's folder."""

    def __init__(self, value):
        self.engine = names.field(value, "engine", str)
        self.name = names.clean_text(names.field(value, "name", str), "container")
        self.image = names.clean_text(names.field(value, "image", str, "", required=False), "image")
        self.id = names.field(value, "id", str)
        self.pid = names.field(value, "pid", int, None, required=False)
        self.made = names.field(value, "made", bool, False, required=False)
        # Said before the run began, and as long as the container is there.
        self.out_of_memory = names.field(value, "out_of_memory", bool, False, required=False)
        self.program = names.native(names.clean_text(names.field(value, "program", str), "program"))
        self.exec = [self._argument(one) for one in names.field(value, "exec", list)[:_MOST_ARGUMENTS]]
        self.command = [self._argument(one) for one in names.field(value, "command", list)[:_MOST_ARGUMENTS]]
        self.root = names.clean_text(names.field(value, "root", str), "root")
        if not is_name("container", self.id) or not os.path.isabs(self.program):
            raise names.refuse("container", self.id)

    @staticmethod
    def _argument(value):
        if not isinstance(value, str):
            raise names.refuse("exec", value)
        return names.native(names.clean_text(value, "exec"))

    def record(self):
        """As the run's folder on the board keeps it."""
        return {"engine": self.engine, "name": self.name, "image": self.image, "id": self.id, "pid": self.pid,
                "made": self.made, "out_of_memory": self.out_of_memory, "program": names.portable(self.program),
                "exec": [names.portable(one) for one in self.exec],
                "command": [names.portable(one) for one in self.command], "root": self.root}

    def start(self, command):
        """A command of the helper in there, as a script.Script whose streams are its own."""
        return script.spawn(self.program, self.exec + self.command + [command], "/", dict(os.environb), SIGKILL)

    def call(self, command, request, patience_s):
        """The reply of a command; BoardError with its own words, or with what happened to it."""
        child = self.start(command)
        try:
            tell(child, request)
            os.close(child.stdin)
            child.stdin = None
            said, complaints = _listen(child, patience_s, b"")
        finally:
            end(child)
        return reply_of(said, complaints, self.name)

    def start_and_follow(self, request, patience_s, waiting=()):
        """(the reply of `start`, the process, which is told next what `attach` is, what it has said of that already).

        `waiting`: as of `waiting_in`, while who started it is there. BoardError as of `call`.
        """
        command = self.command + ["start-attach"]
        told = waiting and all(word and "\n" not in word for word in command)
        child = _Handed(*waiting) if told else self.start(command[-1])
        try:
            if told:
                _write(child, b"".join(os.fsencode(word) + b"\n" for word in command) + b"\n")
            tell(child, request)
            said, complaints = _listen(child, patience_s, b"\n")
            line, _, more = said.partition(b"\n")
            reply = reply_of(line, complaints, self.name)
        except BaseException:
            end(child)
            raise
        return reply, child, more


def of_folder(folder):
    """The Inside of a run's folder; None where the run is in no container."""
    try:
        value = lean_json.loads(read_file(folder.file(NAME), 1 << 20).decode("utf-8"))
        return Inside(value) if isinstance(value, dict) else None
    except (OSError, ValueError, RecursionError, BoardError):
        return None


def forget(folder):
    """Nothing of the run is in a container any more."""
    try:
        os.unlink(folder.file(NAME))
    except OSError:
        pass


def end(child):
    """End what is left of a started program, and close our ends of its streams."""
    for fd in (child.stdin, child.stdout, child.stderr):
        if fd is not None:
            try:
                os.close(fd)
            except OSError:
                pass
    if isinstance(child, _Handed) and not child.is_there():
        return
    try:
        os.kill(child.pid, SIGKILL)
    except OSError:
        pass
    try:
        os.waitpid(child.pid, 0)
    except ChildProcessError:
        pass  # whoever waits for all children took it


def tell(child, request):
    """Tell a started command what to do; one that is gone already has said why."""
    _write(child, lean_json.dumps(request).encode("ascii") + b"\n")


def _write(child, data):
    try:
        write_all(child.stdin, data)
    except OSError:
        pass


def _listen(child, patience_s, until_said):
    """(what it said, what it complained of) until it said that, or both streams ended, or there was no more patience."""
    said, until = {child.stdout: b"", child.stderr: b""}, time.monotonic() + patience_s
    poller = select.poll()
    for fd in said:
        poller.register(fd, select.POLLIN)
    still_open = set(said)
    while still_open and time.monotonic() < until and not (until_said and until_said in said[child.stdout]):
        for fd, _ in poller.poll(max(1, int((until - time.monotonic()) * 1000))):
            part = os.read(fd, _PIECE)
            if not part or len(said[fd]) > _LONGEST_REPLY:
                poller.unregister(fd)
                still_open.discard(fd)
            said[fd] += part
    return said[child.stdout], said[child.stderr]


def reply_of(said, complaints, name):
    """The reply in what a command printed, a dict; BoardError where it is an error, or none."""
    try:
        value = lean_json.loads(said.decode("utf-8").strip().split("\n")[-1])
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        words = words_of(complaints.decode("utf-8", "replace"))
        raise BoardError(
            "container-failed", "The helper in the container %s gave no answer%s." % (
                name, "; it said: " + words if words else ""),
            "See there whether it still runs, and has memory and disk space left.")
    error = value.get("error")
    if error is not None:
        raise _told(error)
    return value


def _told(error):
    error = error if isinstance(error, dict) else {}
    code, message, hint = (error.get(key) for key in ("code", "message", "hint"))
    if not isinstance(code, str) or not code or len(code) > 100 or not _CODE.issuperset(code):
        code = "container-failed"
    return BoardError(code, _shown(message), _shown(hint))


def _shown(text):
    text = text if isinstance(text, str) else "?"
    return "".join(one if one.isprintable() else " " for one in text)[:_LONGEST_WORDS]
