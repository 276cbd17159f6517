"""Runs SCRIPT with its arguments and prints {figure: {line: bytes}} of it by tracemalloc: blocks that it left."""
import os
import runpy
import sys
import tracemalloc


def live(snapshot, path):
    """{line: bytes of the blocks that were allocated while it was open}."""
    sizes = {}
    for blocks in snapshot.statistics("traceback"):
        for line in {frame.lineno for frame in blocks.traceback if frame.filename == path}:
            sizes[line] = sizes.get(line, 0) + blocks.size
    return sizes


if __name__ == "__main__":
    script = sys.argv[1]
    del sys.argv[0]
    sys.path[0] = os.path.dirname(script)
    left = runpy.run_path(script, run_name="__main__")
    print({"net": live(tracemalloc.take_snapshot(), script)})
