"""The environment in which a script's processes are sampled, or why they cannot be."""
import os
from collections import namedtuple

from . import layout
from .. import built

MEAN_BYTES, LEAST_MEAN_BYTES, MOST_MEAN_BYTES = layout.USUAL_MEAN, layout.LEAST_MEAN, layout.MOST_MEAN
#: `values` is the environment (bytes to bytes).
Ready = namedtuple("Ready", "values")
#: `reason` is a clause without its full stop.
Refused = namedtuple("Refused", "reason")

_TRIAL = ("import ctypes\ntry:\n found = ctypes.CDLL(None).jetson_memprof_heap_lines(b'/')\n"
          "except (OSError, AttributeError):\n found = 0\nprint('heap', found)\n")
_TRIAL_SECONDS = 30


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
    import subprocess
    try:
        process = subprocess.Popen([python, "-S", "-E", "-c", _TRIAL], env=values, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            output, errors = process.communicate(timeout=_TRIAL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "%s did not start with it within %d s" % (python, _TRIAL_SECONDS)
    except OSError as error:
        return "%s could not be started (%s)" % (python, error.strerror)
    # 1: it is there, and waits for its folder.
    if process.returncode == 0 and output.split() == [b"heap", b"1"]:
        return None
    said = next((line for line in errors.decode("utf-8", "replace").splitlines() if "preload" in line or "heap-" in line), "")
    if process.returncode < 0:
        return "%s ended with it by signal %d" % (python, -process.returncode)
    return "%s does not load it (%s)" % (python, said.strip().rstrip(".") or "it is linked statically, or not with glibc")
