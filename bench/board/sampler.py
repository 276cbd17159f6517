#!/usr/bin/env python3
"""What watching the board costs: the supervisor of an idle script, the `watch` command, and each part of a moment.

    python3 bench/board/sampler.py [--seconds N] [--check]

CPU is what the kernel counts for the process (schedstat), as a share of one core. Memory is what the process has to
itself (USS, of which most is Private_Dirty), beside an interpreter that only sleeps. Prints words, then one line of
JSON. `--check`: exit code 1 where a bar is missed: 1 % of one core for each process, 5 MiB more than the interpreter
for `watch`.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HELPER = os.path.join(HERE, "..", "..", "python-helper")
sys.path.insert(0, HELPER)

from jetson_memprof.board import memory, moments, processes, system  # noqa: E402
from jetson_memprof.board.files import AppendFile  # noqa: E402

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


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("--seconds", type=int, default=30)
    options.add_argument("--check", action="store_true")
    options = options.parse_args()
    seconds = options.seconds
    found = {"python": sys.version.split()[0], "processes": sum(name.isdigit() for name in os.listdir("/proc")),
             "parts_us": parts(), "interpreter": sleeping(), "supervisor": supervisor(seconds, 1000),
             "supervisor_with_a_moment_a_minute": supervisor(seconds, 60000), "watch": watching(seconds)}
    for name, value in found["parts_us"].items():
        print("%-45s %8.1f us" % (name, value))
    for name in ("supervisor", "supervisor_with_a_moment_a_minute", "watch"):
        one = found[name]
        print("%-35s %.2f %% of one core over %d s; RSS %.1f MiB, USS %.1f MiB (%.1f dirty), grew by %.2f MiB" % (
            name.replace("_", " "), one["share"] * 100, seconds, one["memory"]["rss"] / MIB, one["memory"]["uss"] / MIB,
            one["memory"]["private_dirty"] / MIB, one["uss_growth"] / MIB))
    bare = found["interpreter"]
    added = found["watch"]["memory"]["uss"] - bare["uss"]
    print("a sleeping interpreter: RSS %.1f MiB, USS %.1f MiB; watch adds %.1f MiB" % (
        bare["rss"] / MIB, bare["uss"] / MIB, added / MIB))
    print("moments.jsonl grows by %.0f bytes a second" % found["supervisor"]["bytes_per_second"])
    print(json.dumps(found))
    missed = [name for name in ("supervisor", "watch") if found[name]["share"] > 0.01]
    missed += ["memory of watch"] if added > 5 * MIB else []
    if options.check and missed:
        print("missed: " + ", ".join(missed), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
