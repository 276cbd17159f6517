#!/usr/bin/env python3
"""What the heap sampler adds to a pair of malloc(64) and free, in nanoseconds of the processor.

    python3 bench/heap/malloc_pair.py [--rounds N] [--quick] [--check] [--out FILE]

A C program makes 2 x 10^7 pairs, bare and with the library, in turns. `--check`: exit code 1 where a pair at the usual
mean costs more than 15 ns above the bare one, in the medians.
"""
import os
import shutil
import statistics
import subprocess
import tempfile

import taking_turns

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int count, char **given) {
    long pairs = atol(given[1]);
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    for (long i = 0; i < pairs; i++) { void *volatile p = malloc(64); free(p); }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    printf("%.4f\n", ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / pairs);
}
"""
BARE, USUAL = "bare", "with it, mean 512 KiB"
WAYS = {BARE: None, "loaded, not sampling": 0, "with it, mean 8 MiB": 8 << 20, USUAL: 512 << 10, "with it, mean 64 KiB": 64 << 10}
BAR_NS = 15


def main():
    options = taking_turns.arguments(__doc__, 7)
    folder = tempfile.mkdtemp(prefix="jmp-pair-")
    try:
        program = os.path.join(folder, "pair")
        with open(program + ".c", "w") as file:
            file.write(PROGRAM)
        subprocess.check_call(["cc", "-O2", "-fno-builtin", "-o", program, program + ".c"])
        pairs = "2000000" if options.quick else "20000000"
        ways = taking_turns.Ways(WAYS)
        ways.rounds(2 if options.quick else options.rounds,
                    lambda environment: float(subprocess.check_output([program, pairs], env=environment)))
    finally:
        shutil.rmtree(folder)
    ways.table("ns a pair")
    added = statistics.median(ways.figures[USUAL]) - statistics.median(ways.figures[BARE])
    print("added at the usual mean: %.2f ns (bar: %d)" % (added, BAR_NS))
    row = ways.row(USUAL, BARE, "python3 bench/heap/malloc_pair.py", row="heap/malloc-pair", unit="ns",
                   title="A pair of malloc(64) and free", measures="nanoseconds of the processor for one pair, beyond the bare one",
                   goal={"kind": "bound", "atMost": BAR_NS},
                   work={"unit": "pairs", "sizes": [int(pairs)]})
    taking_turns.finish(options, [row], added <= BAR_NS)


if __name__ == "__main__":
    main()
