"""The environment in which a script's processes are sampled, or why they cannot be."""
import os

from . import layout
from .. import built
from ..board.heap.apart import ended

MEAN_BYTES, LEAST_MEAN_BYTES, MOST_MEAN_BYTES = layout.USUAL_MEAN, layout.LEAST_MEAN, layout.MOST_MEAN


class Ready(object):
    """`values` is the environment (bytes to bytes)."""

    def __init__(self, values):
        self.values = values


class Refused(object):
    """`reason` is a clause without its full stop."""

    def __init__(self, reason):
        self.reason = reason


_TRIAL = ("import ctypes\ntry:\n found = ctypes.CDLL(None).jetson_memprof_heap_lines(b'/')\n"
          "except (OSError, AttributeError):\n found = 0\nprint('heap', found)\n")
#: It takes 0.1 s here and some ten times that on a small board, from its card; ten times more is left to one that swaps. Who
#: started the run waits meanwhile.
_TRIAL_SECONDS, _NO_PROGRAM = 10, 127


def environment(folder, mean_bytes, values, python):
    """`values` (an environment, bytes to bytes) with what has its processes sampled; `folder` is where their logs go,
    `python` the interpreter that runs the script. Returns Ready or Refused."""
    try:
        library, file = built.open_library("heap")
        file.close()
    except built.NotBuilt as error:
        return Refused(str(error).rstrip("."))
    # The loader takes blanks and colons for the end of a name, $ for the beginning of a word of its own.
    if any(character in library for character in " :$\t\n"):
        return Refused("the helper's folder has a blank, a colon or a $ in its name: %s" % os.path.dirname(library))
    found = dict(values)
    before = values.get(b"LD_PRELOAD", b"")
    found[b"LD_PRELOAD"] = os.fsencode(library) + (b":" + before if before.strip() else b"")
    reason = _refusal(python, found)
    if reason is not None:
        return Refused(reason)
    found[os.fsencode(layout.FOLDER)] = os.fsencode(folder)
    found[os.fsencode(layout.MEAN)] = b"%d" % min(MOST_MEAN_BYTES, max(LEAST_MEAN_BYTES, int(mean_bytes)))
    return Ready(found)


def _refusal(python, values):
    """Why that Python does not load the library; None where it does."""
    command = [os.fsencode(python), b"-S", b"-E", b"-c", _TRIAL.encode()]
    try:
        status, said = ended(lambda: _begin(command, values), _TRIAL_SECONDS, True)
    except OSError as error:
        return "%s could not be started (%s)" % (python, error.strerror)
    if status is None:
        return "%s did not start with it within %d s" % (python, _TRIAL_SECONDS)
    if os.WIFSIGNALED(status):
        return "%s ended with it by signal %d" % (python, os.WTERMSIG(status))
    lines = said.decode("utf-8", "replace").splitlines()
    if os.WEXITSTATUS(status) == _NO_PROGRAM:
        return "%s could not be started" % python
    if status == 0 and "heap 1" in lines:  # 1: it is there, and waits for its folder
        return None
    told = next((line for line in lines if "preload" in line or "relocat" in line), "")
    return "%s does not load it (%s)" % (python, told.strip().rstrip(".") or "it is linked statically, or not with glibc")


def _begin(command, values):
    try:
        os.execve(command[0], command, values)
    except OSError:
        os._exit(_NO_PROGRAM)
