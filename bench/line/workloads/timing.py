"""Times a workload's own work and checks what came of it, under whatever profiler it runs."""
import builtins
import os
import time

import hold

# memory_profiler measures decorated functions only. Scalene has a `profile` too, but that would narrow what it measures.
profile = builtins.profile if "JMP_BENCH_DECORATED" in os.environ else lambda function: function


def measure(function, argument, expected, goes=1):
    """Run it so often, and write the CPU seconds of the shortest go to where the benchmark reads them; another result
    than `expected` is an error."""
    spent = min(_spent(function, argument, expected) for _ in range(goes))
    path = os.environ.get("JMP_BENCH_SPENT")
    if path is None:
        print("%.6f s of CPU" % spent)
    else:
        with open(path, "w") as file:
            file.write("%.6f" % spent)
    hold.hold()


def _spent(function, argument, expected):
    begun = time.process_time()
    found = function(argument)
    spent = time.process_time() - begun
    if found != expected:
        raise SystemExit("the workload came to %r instead of %r" % (found, expected))
    return spent
