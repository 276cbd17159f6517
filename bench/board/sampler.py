#!/usr/bin/env python3
"""What watching the board costs: the supervisor of an idle script, the `watch` command, and each part of a moment.

    python3 bench/board/sampler.py [--seconds N] [--rounds N] [--quick] [--check] [--out FILE] [ROW ...]

CPU is what the kernel counts for the process (schedstat), as a share of one core. Memory is what the process has to
itself (USS, of which most is Private_Dirty), beside an interpreter that only sleeps. Prints words; `--out` takes the
rows as bench/README.md says. `--check`: exit code 1 where a bar is missed in the median of the rounds: 1 % of one core
for each process, 5 MiB more than the interpreter for `watch`.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HELPER = os.path.join(HERE, "..", "..", "python-helper")
sys.path[:0] = [HELPER, os.path.join(HERE, "..", "support")]

from jetson_memprof.board.system import memory, moments, processes, system  # noqa: E402
from jetson_memprof.board.files import AppendFile  # noqa: E402
from result import version, write_rows  # noqa: E402

MIB = 1 << 20
BOARD = [sys.executable, "-E", "-s", "-B", os.path.join(HELPER, "board.py")]
SETTLE_S = 3.0


def cpu_s(pid):
    with open("/proc/%d/schedstat" % pid) as file:
        return int(file.read().split()[0]) / 1e9


def memory_of(pid):
    """RSS, USS and Private_Dirty in bytes."""
    found = {}
    with open("/proc/%d/smaps_rollup" % pid) as file:
        for line in file:
            words = line.split()
            if words[0] in ("Rss:", "Private_Clean:", "Private_Dirty:"):
                found[words[0][:-1]] = int(words[1]) << 10
    return {"rss": found["Rss"], "uss": found["Private_Clean"] + found["Private_Dirty"],
            "private_dirty": found["Private_Dirty"]}


def observed(pid, seconds):
    """Share of one core over so many seconds, and memory at their beginning and end."""
    time.sleep(SETTLE_S)
    first, before, began = memory_of(pid), cpu_s(pid), time.monotonic()
    time.sleep(seconds)
    share = (cpu_s(pid) - before) / (time.monotonic() - began)
    return {"share": share, "seconds": seconds, "memory": memory_of(pid), "uss_growth": memory_of(pid)["uss"] - first["uss"]}


def supervisor(seconds, moments_interval_ms):
    with tempfile.TemporaryDirectory() as top:
        with open(os.path.join(top, "idle.py"), "w") as file:
            file.write("import time\ntime.sleep(%d)\n" % (seconds + 60))
        run = {"root": os.path.join(top, "root"), "id": "r1"}
        order = dict(run, project_root=top, script="idle.py", engine="line", output_limit=1 << 20, interval_ms=200,
                     moments_interval_ms=moments_interval_ms)
        command("start", order)
        try:
            with open(os.path.join(top, "root", "runs", "r1", "supervisor.json")) as file:
                found = observed(json.load(file)["pid"], seconds)
        finally:
            command("cancel", run)
        found["bytes_per_second"] = os.stat(os.path.join(
            top, "root", "runs", "r1", "moments.jsonl")).st_size / (seconds + SETTLE_S)
        return found


def command(name, request):
    subprocess.run(BOARD + [name], input=json.dumps(request).encode() + b"\n", stdout=subprocess.DEVNULL, check=True)


def watching(seconds):
    process = subprocess.Popen(BOARD + ["watch"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        process.stdin.write(b'{"interval_ms":1000}\n')
        process.stdin.flush()
        return observed(process.pid, seconds)
    finally:
        process.stdin.close()
        process.wait()


def sleeping():
    process = subprocess.Popen(BOARD[:-1] + ["-c", "import time; time.sleep(60)"])
    try:
        time.sleep(1.0)
        return memory_of(process.pid)
    finally:
        process.kill()
        process.wait()


def parts():
    """Microseconds of each part of a moment on this machine, the least of several."""
    board = system.System("/")
    reader = memory.MeminfoReader(board)
    data = reader.read()
    table = processes.Processes(board)
    devices = moments.Devices(board)
    me = "/proc/%d" % os.getpid()
    with tempfile.TemporaryDirectory() as top:
        file = AppendFile(os.path.join(top, "moments.jsonl"))
        one = moments.Moments(board, file.append, 1000)
        one.begin(data)
        found = {
            "read meminfo (at every sample)": least(reader.read),
            "meminfo's fields": least(lambda: memory.fields(data)),
            "other processes, unchanged (at most 0.2 %)": least(table._look_at_others),
            "smaps of a small process (at most 0.1 %)": least(lambda: processes.read_shares(me)),
            "GPU load, zram, NvMap": least(lambda: (devices.gpu_load(), devices.zram(), devices.nvmap())),
            "a whole moment with one process of the run": least(lambda: one.take(0, data, [os.getpid()])),
        }
        one.close()
        file.close()
    return {name: round(value * 1e6, 1) for name, value in found.items()}


def least(work, rounds=50):
    best = None
    for _ in range(rounds):
        before = time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID)
        work()
        took = time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID) - before
        best = took if best is None else min(best, took)
    return best


def row(name, title, measures, unit, bar, figures, options, command):
    """A row of ours alone: nothing else watches a board like this."""
    return {
        "row": "board/" + name, "title": title, "measures": measures, "unit": unit, "better": "less", "ours": "ours",
        "goal": {"kind": "bound", "atMost": bar}, "work": {"unit": "boards", "sizes": [1]},
        "contestants": [{"name": "ours", "version": version(), "command": command, "runs": [figures]}],
        "python": sys.version.split()[0],
        "notes": ["%d processes on the machine, %d s a round" % (
            sum(each.isdigit() for each in os.listdir("/proc")), options.seconds)],
    }


def rows_of(watched, options):
    """The three rows from what was observed in each round."""
    share = "CPU time as a share of one core"
    watch = "jetson-memprof watch"
    return [
        row("supervisor", "The supervisor of an idle script", share + ", samples each 200 ms and a moment each second",
            "%", 1, [each["supervisor"]["share"] * 100 for each in watched], options, "jetson-memprof profile idle.py"),
        row("watch", "The watch command", share + ", a record each second", "%", 1,
            [each["watch"]["share"] * 100 for each in watched], options, watch),
        row("watch-memory", "The watch command: memory", "USS of the process beyond an interpreter that only sleeps",
            "MiB", 5, [each["added"] / MIB for each in watched], options, watch),
    ]


def observe(seconds):
    watch = watching(seconds)
    return {"supervisor": supervisor(seconds, 1000), "watch": watch,
            "added": watch["memory"]["uss"] - sleeping()["uss"]}


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("--seconds", type=int, default=12, help="of each observation (default: %(default)s)")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--quick", action="store_true", help="one short round")
    options.add_argument("--check", action="store_true")
    options.add_argument("--out", help="writes the rows there")
    options.add_argument("rows", nargs="*")
    options = options.parse_args()
    if options.quick:
        options.seconds, options.rounds = 4, 1
    for name, value in parts().items():
        print("%-45s %8.1f us" % (name, value))
    watched = [observe(options.seconds) for _ in range(options.rounds)]
    for name in ("supervisor", "watch"):
        last = watched[-1][name]
        print("%-12s RSS %.1f MiB, USS %.1f MiB (%.1f dirty), grew by %.2f MiB in the last round" % (
            name, last["memory"]["rss"] / MIB, last["memory"]["uss"] / MIB, last["memory"]["private_dirty"] / MIB,
            last["uss_growth"] / MIB))
    print("moments.jsonl grows by %.0f bytes a second" % watched[-1]["supervisor"]["bytes_per_second"])
    rows = [each for each in rows_of(watched, options) if not options.rows or each["row"] in options.rows]
    missed = []
    for each in rows:
        median = statistics.median(each["contestants"][0]["runs"][0])
        print("%-20s %.2f %s (bar %d)" % (each["row"], median, each["unit"], each["goal"]["atMost"]))
        missed += [each["row"]] if median > each["goal"]["atMost"] else []
    if options.out:
        write_rows(options.out, rows)
    if options.check and missed:
        print("missed: " + ", ".join(missed), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
