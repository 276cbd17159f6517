"""Programs with and without the heap sampler take turns; what the processor did for each is the figure."""
import argparse
import os
import shutil
import statistics
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HELPER = os.path.join(HERE, "..", "..", "python-helper")
sys.path[:0] = [HELPER, os.path.join(HERE, "..", "support")]

from jetson_memprof.heap import layout  # noqa: E402
from result import version, write_rows  # noqa: E402

LIBRARY = os.path.abspath(os.path.join(HELPER, "accel", "heap-%s.so" % os.uname().machine))


def arguments(text, rounds):
    parser = argparse.ArgumentParser(description=text.strip().split("\n")[0])
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, less work")
    parser.add_argument("--check", action="store_true", help="exit code 1 where the bar is missed in the median")
    parser.add_argument("--out", help="write the rows here, as bench/README.md says")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="names of rows; all where none is named")
    return parser.parse_args()


class Ways(object):
    """`names`: {name: None for the bare program, 0 for the library without a folder, else the mean in bytes}."""

    def __init__(self, names):
        self._names = names
        self._folder = tempfile.mkdtemp(prefix="jmp-bench-")
        self.figures = dict((name, []) for name in names)

    def environment(self, mean):
        values = dict(os.environ)
        if mean is not None:
            values["LD_PRELOAD"] = LIBRARY
        if mean:
            values.update({layout.FOLDER: self._folder, layout.MEAN: str(mean)})
        return values

    def rounds(self, count, once):
        """`once(environment)` is the figure of one run."""
        try:
            for number in range(count):
                for name, mean in self._names.items():
                    self.figures[name].append(once(self.environment(mean)))
                    for log in os.listdir(self._folder):
                        os.unlink(os.path.join(self._folder, log))
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def table(self, unit):
        for name, figures in self.figures.items():
            print("%-34s %8.2f %s   (%.2f to %.2f, %d rounds)" % (
                name, statistics.median(figures), unit, min(figures), max(figures), len(figures)))

    def row(self, ours, bare, command, **more):
        """Of what each adds to the bare program, round by round."""
        contestants = [{"name": name, "version": version(), "command": command,
                        "runs": [[figure - other for figure, other in zip(figures, self.figures[bare])]]}
                       for name, figures in self.figures.items() if name != bare]
        return dict(more, ours=ours, better="less", contestants=contestants,
                    reference={"name": bare, "runs": [self.figures[bare]]})


def finish(options, rows, within):
    if options.out:
        write_rows(options.out, rows)
    sys.exit(0 if within or not options.check else 1)
