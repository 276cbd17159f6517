"""From the logs of a run's processes to the files that its folder keeps."""
import os
import sys

from ... import lean_json
from .apart import said

_PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "heap", "bring.py")
#: How long the names of a run's functions may be looked for: by a supervisor, and where somebody waits.
PATIENTLY_S = 60.0
BRIEFLY_S = 15.0
# For writing what was found until then.
_BESIDES_S = 20.0


def asked(values):
    """`engine.heap` of a run.json (a dict); None where no native stacks were asked for."""
    engine = values.get("engine")
    heap = engine.get("heap") if isinstance(engine, dict) else None
    return heap if isinstance(heap, dict) else None


def note(record, **more):
    """Put more into `engine.heap` of a RunRecord."""
    heap = asked(record.values)
    if heap is not None:
        heap.update(more)
        record.touch()


def bring_in(shared, folder, project_root, record, seconds):
    """Make the run folder's files of what lies in the private folder, and note what a person should know of them."""
    command = [sys.executable, "-I", "-B", _PROGRAM, shared, folder.path, project_root, "%g" % seconds]
    found, whole = _results(said(lambda: os.execv(command[0], command), seconds + _BESIDES_S))
    known = None  # over all processes
    for summary in found:
        gpu = summary.get("gpu")
        if isinstance(gpu, dict):
            known = known or {"peak": 0, "past_pytorch": 0}
            known = dict((name, held + (gpu[name] if type(gpu.get(name)) is int else 0)) for name, held in known.items())
        for entry in summary.get("notes") or ():
            if isinstance(entry, list) and len(entry) == 2 and all(isinstance(one, str) for one in entry):
                record.warn(*entry)
    if known is not None:
        note(record, gpu=known)
    if not whole:
        record.warn("heap-not-read", "Some of the run's native stacks could not be made out of what was sampled: the helper's "
                    "process for it ended too early on the board. Details are in helper.log in the run's folder there.")
    elif not found:
        record.warn("heap-no-samples", "No native stack was sampled. A script that allocates less than a few times the mean "
                    "(%d KiB) is seldom met; a smaller mean meets it." % ((asked(record.values) or {}).get("mean", 0) >> 10))


def _results(text):
    """(what is said of each process, whether it came to its end)."""
    found, whole = [], False
    for line in text.splitlines():
        try:
            value = lean_json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            continue
        if not isinstance(value, dict):
            continue
        whole = whole or value.get("done") is True
        if "pid" in value:
            found.append(value)
    return found, whole
