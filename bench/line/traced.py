"""Runs a script as `python -X tracemalloc traced.py SCRIPT ARGUMENTS` and prints what its lines hold at the end."""
import runpy
import sys
import tracemalloc

del sys.argv[0]
sys.path[0] = ""
try:
    held = runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    for entry in tracemalloc.take_snapshot().statistics("lineno")[:100]:
        print(entry)
