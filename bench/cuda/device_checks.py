"""Checks of GPU memory outside of PyTorch's allocator: phases and context, nvidia-smi in the board's records, calls to CUDA."""
import re

from measuring import MIB, Unknown
from results import figure

_OTHERS = "other programs on the GPU, and nvidia-smi counts in MiB"


def _smi(place, *notes):
    if place.is_stand_in:
        raise Unknown("only a GPU can say")
    if any(not note.get("smi") or note["smi"]["used"] is None for note in notes):
        raise Unknown("nvidia-smi did not answer")


def own_bytes(before, after, pid):
    """What nvidia-smi says of the script. In a container it may know it by another number: then the one that is new."""
    apps = after["smi"]["apps"]
    if str(pid) in apps:
        return apps[str(pid)]
    new = [held for number, held in apps.items() if number not in before["smi"]["apps"]]
    return new[0] if len(new) == 1 else None


def phases(place):
    """What the phases say of the device against nvidia-smi, which is asked at the same places."""
    run = place.profiled("phases.py")
    before, moved, used = run.note("before"), run.note("moved"), run.note("used")
    kinds = [one["phase"] for one in run.records if one["record"] == "phase"]
    found = [figure("phase “%s” was noticed" % name, int(name in kinds), 1, unit="", because="the script goes through it")
             for name in ("import-torch", "to-device", "cuda", "first-forward")]
    forward = run.phase("first-forward") or {}
    for name in ("allocated", "reserved"):
        found.append(figure("first-forward, " + name, forward.get(name), moved.get(name)))
    taken = None if moved.get("free") is None else moved["total"] - moved["free"]
    found.append(figure("first-forward, device used", forward.get("device_used"), taken, allowed=2 * MIB,
                        because="other programs on the GPU take and give pages of 2 MiB"))
    return found


def context(place):
    """Context and libraries, by the phases: device used less reserved, against nvidia-smi's figure of the process."""
    run = place.profiled("phases.py")
    before, moved = run.note("before"), run.note("moved")
    _smi(place, before, moved)
    own, forward = own_bytes(before, moved, moved["pid"]), run.phase("first-forward")
    if own is None:
        raise Unknown("nvidia-smi does not list the script")
    if forward is None or forward["device_used"] is None:
        raise Unknown("the phase first-forward has no figure of the device")
    ours = forward["device_used"] - forward["reserved"] - before["smi"]["used"]
    return [figure("context and libraries", ours, own - moved["reserved"], allowed=64 * MIB,
                   because=_OTHERS + "; the driver keeps some of a GPU for itself and does not count it everywhere")]


def moments(place):
    """The board's records of the run: what nvidia-smi listed, and what PyTorch's allocator said."""
    run = place.profiled("moments.py")
    last, told = run.note("last"), run.moments()
    said = [one["cuda"] for one in told if "cuda" in one]
    found = [figure("allocated, as recorded last", said[-1]["allocated"] if said else None, last.get("allocated")),
             figure("reserved, as recorded last", said[-1]["reserved"] if said else None, last.get("reserved"))]
    before, listed = run.note("before"), [one["gpu_apps"] for one in told if one.get("gpu_apps")]
    smi, ours = None, None
    if not place.is_stand_in and last.get("smi") and before.get("smi"):
        smi = own_bytes(before, last, last["pid"])
        amounts = dict(row.split(",") for row in listed[-1].split("\n") if row.count(",") == 1) if listed else {}
        ours = next((int(mib) * MIB for pid, mib in amounts.items()
                     if mib.strip().isdigit() and (pid == str(last["pid"]) or int(mib) * MIB == smi)), None)
    found.append(figure("gpu_apps, the script", ours, smi, allowed=2 * MIB, because="asked at another moment",
                        why="only a GPU can say" if place.is_stand_in else "nvidia-smi does not list the script"))
    return found


def past(place):
    """GPU memory by the calls that took it: PyTorch's rows, a known call of our own, the libraries, the context."""
    run = place.profiled("past.py", heap={"mean": 512 << 10})
    state = run.record["engine"].get("heap") or {}
    if state.get("state") != "sampled":
        raise Unknown("native stacks were refused: %s" % state.get("reason"))
    told = run.gpu()
    rows = told["rows"]
    line, _, known = next(iter(run.known()), (None, {}, {}))
    if known.get("own") is None:
        raise Unknown("neither CUDA's runtime nor its driver could be called through ctypes")
    mine = [row for row in rows if row["file"] == "past.py" and row["line"] == line and not row["pytorch"]]
    found = [figure("rows of PyTorch", sum(row["live"] for row in rows if row["pytorch"]), known.get("reserved")),
             figure("cudaMalloc of 64 MiB on line %s" % line, sum(row["live"] for row in mine if row["measured"] == "call"),
                    64 * MIB, because="the size that was asked for")]
    for name in ("cublas", "cudnn"):
        count = sum(re.match("lib" + name, row["library"] or "") is not None for row in rows)
        found.append(figure("rows of " + name, None if place.is_stand_in else count, 1, unit="", relation="at least",
                            because="each makes calls of its own", why="only a GPU can say"))
    return found + [_context(place, run, rows, known)]


def _context(place, run, rows, known):
    free, before = [row["live"] for row in rows if row["measured"] == "free-memory"], run.note("before")
    why, own = "nvidia-smi does not list the script", None
    if place.is_stand_in:
        why = "only a GPU can say"
    elif before.get("smi") and known.get("smi"):
        own = own_bytes(before, known, known["pid"])
    calls = sum(row["live"] for row in rows if row["measured"] == "call" and row["kind"] != "pinned")
    return figure("context and modules, by free memory", sum(free) if free else None, None if own is None else own - calls,
                  allowed=64 * MIB, because=_OTHERS, why=why)
