"""Prints what the benchmark reads: CPU seconds of one call, and the process's RSS in bytes after it."""
import os
import sys
import time


def measure(function, argument):
    start = time.process_time()
    function(argument)
    spent = time.process_time() - start
    with open("/proc/self/statm") as statm:
        rss = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    sys.stderr.write("MEASURED %.6f %d\n" % (spent, rss))
