"""Hours of a run in seconds: the helper's own code records them into a run folder, with a clock that jumps ahead.

    python3 hours.py HELPER BOARD_ROOT RUN_FOLDER HOURS

A training loop of 300 lines in two files, on a board of 20 programs whose memory moves.
The turns of the supervisor in which it would write nothing are left out. Prints a line of JSON: its RSS in bytes
before, at a tenth of the time and at the end.
"""
import gc
import json
import os
import random
import sys
import time

HELPER, BOARD, RUN, HOURS = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
sys.path.insert(0, HELPER)
os.environ["JETSON_MEMPROF_SYSTEM_ROOT"] = BOARD

TICK_MS = 200
LINES, FILES = 150, 2
PROGRAMS = range(2000, 2020)
PAGE = os.sysconf("SC_PAGE_SIZE")
# What is simulated is the time that passes; it begins where the real one is.
_monotonic, _time, _jumped = time.monotonic, time.time, [0.0]
time.monotonic = lambda: _monotonic() + _jumped[0]
time.time = lambda: _time() + _jumped[0]

from jetson_memprof.board.system import proc  # noqa: E402
from jetson_memprof.board.run.lines import LineTable, Sources  # noqa: E402
from jetson_memprof.board.run.record import RunRecord, now_text  # noqa: E402
from jetson_memprof.board.run.timeline import Timeline  # noqa: E402
from jetson_memprof.engine import layout  # noqa: E402
from jetson_memprof.engine.counters import Reader  # noqa: E402
from jetson_memprof.engine.mapped import Counters  # noqa: E402

chance = random.Random(8)
MEMINFO = """MemTotal:        4059240 kB
MemFree:         %d kB
MemAvailable:    %d kB
Buffers:           90000 kB
Cached:          %d kB
SwapCached:         1200 kB
Active:          1500000 kB
Inactive:         500000 kB
AnonPages:       %d kB
Mapped:           200000 kB
Shmem:             40000 kB
Slab:             120000 kB
SReclaimable:      60000 kB
SUnreclaim:        60000 kB
KernelStack:        6000 kB
PageTables:        12000 kB
SwapTotal:       2029612 kB
SwapFree:        %d kB
NvMapMemUsed:    %d kB
"""
STATUS = "Name:\t%s\nUid:\t1000\t1000\t1000\t1000\nVmRSS:\t%d kB\nRssAnon:\t%d kB\nRssFile:\t200 kB\nRssShmem:\t30 kB\nVmSwap:\t4 kB\n"


class Board(object):
    """Files of the board, written over in their place: making them anew would take most of the time here."""

    def __init__(self):
        self._files = {}

    def meminfo(self):
        used = int(chance.random() * 80000)
        self._put("proc/meminfo", MEMINFO % (900000 - used, 2100000 - used, 700000 + used // 2, 1400000 + used,
                                             1500000 - used // 3, 300000 + used))

    def program(self, pid, kib):
        self._put("proc/%d/status" % pid, STATUS % ("program%d" % pid, kib, kib // 2))
        self._put("proc/%d/statm" % pid, "50000 %d 57 1 0 100 0\n" % (kib * 1024 // PAGE))

    def _put(self, path, text):
        if path not in self._files:
            full = os.path.join(BOARD, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            self._files[path] = os.open(full, os.O_WRONLY | os.O_CREAT)
        # Blanks at the end, so that nothing is left of a longer text.
        os.pwrite(self._files[path], text.ljust(800).encode("ascii"), 0)


def rss():
    gc.collect()
    # Other files of the kernel's may be wrong by hundreds of pages.
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("Rss:"))


def main():
    board = Board()
    board.meminfo()
    for pid in PROGRAMS:
        board.program(pid, 30000)
    project, shared = os.path.join(BOARD, "project"), os.path.join(BOARD, "shared")
    for folder in (project, shared, RUN):
        os.makedirs(folder, exist_ok=True)
    counters = Counters(shared, "main", "pure", "line")
    tables = []
    for number in range(FILES):
        offset, words = counters.segment((LINES + 1) * layout.CELL_WORDS)
        counters.note({"record": "file", "file": number, "path": os.path.join(project, "part%d.py" % number),
                       "lines": LINES, "offset": offset})
        tables.append(words)
    reader = Reader(shared)

    name = os.path.basename(RUN)
    table = LineTable(os.path.join(RUN, "lines.jsonl"), name, Sources(project))
    for number in range(FILES):
        table.add_file({"path": "part%d.py" % number, "sha256": None, "lines": LINES, "source": None}, b"[]")

    class Folder(object):
        file = staticmethod(lambda name: os.path.join(RUN, name))

    timeline = Timeline(Folder, TICK_MS, 1000)
    started, unix_s = timeline.begin()
    table.started(started)
    tree = proc.ProcessTree(-1, os.getpid())
    timeline.follow(tree, table)
    sizes, next_flush, end = {"before": rss()}, 0, int(HOURS * 3600 * 1000)
    t = turns = 0
    while t < end:
        turns += 1
        board.meminfo()
        board.program(chance.choice(PROGRAMS), 20000 + int(chance.random() * 80000))
        for words in tables:
            # All of them within some turns.
            for line in range(1 + turns % 8, LINES + 1, 8):
                cell = line * layout.CELL_WORDS
                words[cell + layout.C_HITS] += 1 + t % 1000
                words[cell + layout.C_NET] += (t * line) % 41 - 20
                words[cell + layout.C_SELF] = words[cell + layout.C_NET]
                words[cell + layout.C_USAGE] = 100000 + t % 1000
        views = reader.poll()
        if t < next_flush:
            table.look(views)
        else:
            table.collect(views)
            next_flush = t + TICK_MS * table.interval_factor() - 5
            table.flush(t)
        timeline.moment(t, timeline.sample(t, views), views)
        if t >= end / 10 and "early" not in sizes:
            sizes["early"] = rss()
        # The next turn in which anything is due, on the supervisor's grid.
        due = min(next_flush, timeline._sampler._next_ms, t + timeline._moments.wait_ms(t))
        step = max(TICK_MS, (due - t + TICK_MS - 1) // TICK_MS * TICK_MS)
        t += step
        _jumped[0] = started + t / 1000.0 - _monotonic()
    timeline.sample(t, views, last=True)
    timeline.ended(t, views)
    timeline.close()
    table.end(t)
    table.close()
    sizes["end"] = rss()
    RunRecord(os.path.join(RUN, "run.json"), {
        "schema": 1, "id": name, "state": "finished", "engine": {"name": "line", "exact": False, "peak": True,
                                                                 "accelerator": False},
        "command": {"python": sys.executable, "script": "part0.py", "args": []}, "project_root": project,
        "cwd": project, "started": now_text(unix_s), "ended": now_text(unix_s + t / 1000.0), "elapsed_ms": t,
        "exit": {"kind": "exited", "code": 0}, "environment": {}, "board": {"mem_total": 4156661760, "simulated": "Jetson Nano"},
        "versions": {}, "metrics": ["rss"], "processes": table.processes, "files": table.files,
        "output": {"stdout": {"bytes": 0, "kept": 0}, "stderr": {"bytes": 0, "kept": 0}}}).save(0, force=True)
    print(json.dumps(dict(sizes, turns=turns)))


main()
