"""Checks of what PyTorch's CUDA allocator says by line: allocated, reserved, peaks, device, its counters and snapshots."""
import json
import os
import pickle
import shutil
import subprocess
import sys

from measuring import HERE, MIB, PROJECT, Unknown
from results import figure

#: CUDA gives and takes pages of this size, and other programs on the GPU do too.
_PAGE = 2 * MIB


def _first(run):
    """What lines moved before the counters were found may stand on their neighbours: the figures from there on."""
    if run.last("cuda-on") is None:
        raise Unknown("the helper did not read the allocator (%s)" % _warnings(run))
    return run.note("first")


def _warnings(run):
    return "; ".join(one["message"] for one in run.record["warnings"]) or "it did not say why"


def lines(place):
    """A line's net is what memory_allocated and memory_reserved changed by over it; the selves are the change over all."""
    run = place.profiled("lines.py")
    _first(run)
    table, found = run.table(), []
    for line, before, after in run.known():
        row = table.get(line, {})
        unsure = row.get("uncertain", 0)
        for name, column in (("allocated", "net"), ("reserved", "reserved_net")):
            found.append(figure("line %d, %s" % (line, name), row.get(column, 0), after[name] - before[name], allowed=unsure,
                                because="what the row itself says is uncertain"))
    last = run.note("last")
    for name, column in (("allocated", "self"), ("reserved", "reserved_self")):
        found.append(figure("sum of all lines, " + name, sum(row[column] for row in table.values()), last.get(name)))
    return found


def device(place):
    """A line's device_net against cudaMemGetInfo, asked before and after it."""
    run = place.profiled("lines.py")
    _first(run)
    table, found = run.table(), []
    for line, before, after in run.known():
        if before["free"] is None or after["free"] is None:
            raise Unknown("neither CUDA's runtime nor its driver could be asked through ctypes")
        if before["reserved"] != after["reserved"]:
            found.append(figure("line %d" % line, table.get(line, {}).get("device_net"), before["free"] - after["free"],
                                allowed=_PAGE, because="other programs on the GPU take and give pages of 2 MiB"))
    return found


def peaks(place):
    """A line's peak against max_memory_allocated of a bare run that resets it before each line."""
    bare, found = place.bare("peaks.py", "reset"), []
    theirs = dict((line, after["peak"] - before["allocated"]) for line, before, after in bare.known())
    run = place.profiled("peaks.py")
    _first(run)
    table = run.table()
    for line, peak in sorted(theirs.items()):
        row = table.get(line, {})
        found.append(figure("line %d, at least" % line, row.get("peak", 0), peak, relation="at most",
                            because="a lower bound"))
        found.append(figure("line %d, at most" % line, row.get("peak_most", 0), peak, relation="at least",
                            because="an upper bound"))
    run = place.profiled("peaks.py", torch={"exact_peaks": True, "snapshots": None, "model": None})
    table = run.table()
    for line, peak in sorted(theirs.items()):
        found.append(figure("line %d, exact" % line, table.get(line, {}).get("peak", 0), peak))
    return found


def counters(place):
    """The helper finds the allocator's counters (struct Stat) in memory, and then misses no change."""
    run = place.profiled("counters.py")
    on, last = run.last("cuda-on"), run.note("last")
    if on is None:
        raise Unknown("the helper did not read the allocator (%s)" % _warnings(run))
    place.say("found after %.1f s, %d changes" % (run.note("found")["seconds"], run.note("found")["turns"]))
    rows = run.table().values()
    return [figure("how a change is noticed", on["noticed_by"], "counter", unit="", because="it is found or it is not"),
            figure("sum of all lines, allocated", sum(row["self"] for row in rows), last.get("allocated")),
            figure("uncertain, all lines", sum(row["uncertain"] for row in rows), 0,
                   because="every change is seen by its own line")]


def snapshot(place):
    """The pickled snapshot at the script's end against what memory_stats said last."""
    run = place.profiled("snapshot.py", torch={"exact_peaks": False, "snapshots": {"entries": 100000, "checkpoint_s": 60},
                                               "model": None})
    taken = [path for record, path in run.snapshots() if record["why"] == "end"]
    if not taken:
        raise Unknown("no snapshot was taken (%s)" % _warnings(run))
    with open(taken[-1], "rb") as file:
        value = pickle.load(file)  # written by the helper a moment ago, from this kit's own script
    segments = value["segments"] if isinstance(value, dict) else value  # up to 1.13
    blocks = [block for segment in segments for block in segment["blocks"]]
    live = sum(block["size"] for block in blocks if block["state"] == "active_allocated")
    last = run.note("last")
    found = [figure("segments", sum(one["total_size"] for one in segments), last.get("reserved")),
             figure("live blocks", live, last.get("allocated"))]
    line = next(iter(run.known()), (None,))[0]
    held = None if place.is_stand_in else sum(block["size"] for block in blocks if _is_of(block, line))
    found.append(figure("blocks with line %s on their stack" % line, held, 40 * MIB, allowed=MIB,
                        because="a block that is not split off may be up to 1 MiB larger than what was asked for",
                        why="only PyTorch itself keeps stacks"))
    return found + _as_read(place, taken[-1], last)


def _as_read(place, path, last):
    """The totals that the product's own reader tells, where Node is here and the command line is built."""
    program = os.path.join(PROJECT, "dist", "cli.cjs")
    if place.is_stand_in:  # whose snapshot has less than PyTorch's
        return []
    if shutil.which("node") is None or not os.path.exists(program):
        place.say("not read by jetson-memprof snapshot: that needs Node and npm run build")
        return []
    done = subprocess.run(["node", program, "snapshot", path, "--json"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise RuntimeError("jetson-memprof snapshot: %s" % done.stdout.decode("utf-8", "replace")[-300:].strip())
    devices = json.loads(done.stdout.decode("utf-8"))["devices"]
    return [figure("as jetson-memprof reads it, " + name, sum(one["totals"][name + "_bytes"] for one in devices), last.get(name))
            for name in ("reserved", "allocated")]


def _is_of(block, line):
    """PyTorch up to 2.0 has the stacks in `history`."""
    stacks = [block.get("frames") or []] + [one.get("frames") or [] for one in block.get("history") or []]
    return block["state"] == "active_allocated" and any(
        frame["line"] == line and os.path.basename(frame["filename"]) == "snapshot.py" for stack in stacks for frame in stack)


def out_of_memory(place):
    """A script that asks for more than its cap ends as it does bare, and says the same; the helper leaves a snapshot of it."""
    bare = place.bare("oom.py", status=1)
    run = place.profiled("oom.py", status=1, torch={"exact_peaks": False, "snapshots": {"entries": 1000, "checkpoint_s": 60},
                                          "model": None})
    with open(os.path.join(place.project, "oom.py")) as script:
        line = len(script.readlines())
    return [figure("how it ended", "%s %s" % (run.exit.get("kind"), run.exit.get("code")), "exited %d" % bare.status, unit="",
                   because="the same end"),
            figure("the error", _error(run.stderr), _error(bare.stderr), unit="", because="the same words, but for figures"),
            figure("the line that it names", _line_named(run.stderr), line, unit="", because="the script's last line"),
            figure("snapshots of the moment", sum(record["why"] == "oom" for record, _ in run.snapshots()), 1, unit="",
                   relation="at least", because="one for each time that memory ran out")]


def _error(text):
    """The kind of the error and how it begins; what follows has sizes of the moment."""
    told = next((line for line in reversed(text.splitlines()) if "out of memory" in line), "")
    return told.partition(".  ")[0].partition(". ")[0].rpartition(".")[2] if told else None


def _line_named(text):
    told = [line for line in text.splitlines() if 'oom.py", line ' in line]
    return int(told[-1].partition(", line ")[2].partition(",")[0]) if told else None


def profiler(place):
    """A line's net against what PyTorch's profiler says was allocated meanwhile."""
    if place.is_stand_in:
        raise Unknown("only a GPU can say")
    run = place.profiled("profiler.py", "cuda")
    table = run.table()
    return [figure("line %d" % line, table.get(line, {}).get("net", 0), run.note("profiler").get("bytes"),
                   because="both are told each change", why="this torch has no torch.profiler, or it names no such figure")
            for line, _, _ in run.known()]


def move(place):
    """A tensor that is moved to the GPU holds its size twice, one that is made there once: bench/torch/move.py."""
    if place.is_stand_in:
        raise Unknown("only a GPU can say")
    program = os.path.join(os.path.dirname(HERE), "torch", "move.py")
    done = subprocess.run([sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=place.folder,
                          env=dict(os.environ, **place.environment()))
    said = done.stdout.decode("utf-8", "replace").splitlines()
    if done.returncode != 0:
        raise Unknown("it ended with %d: %s" % (done.returncode, " ".join(said[-2:])))
    found = json.loads(said[-1])
    if "move" not in found:
        raise Unknown(" ".join(said[:-1]))
    size, both = found["size"], dict((way, sum(found[way].values())) for way in ("move", "device"))
    because = "2 %: what CUDA itself touches of the host's memory on the way"
    return [figure("made on the CPU, RSS", found["cpu"]["rss"], size, allowed=size // 50, because=because),
            figure("moved less made there", both["move"] - both["device"], size, allowed=size // 50, because=because)]
