"""Starts the engine before the user's script; the script itself is then run by Python exactly as always.

Python imports `sitecustomize` by itself. This one takes its folder off sys.path again, lets the one that the
system has (if any) run as if this one were not there, and disappears.
"""
import os
import sys


def _step_aside():
    here = os.path.dirname(os.path.abspath(__file__))
    for entry in [entry for entry in sys.path if os.path.abspath(entry or ".") == here]:
        sys.path.remove(entry)
    sys.path_importer_cache.pop(here, None)
    return here


def _start(helper):
    specification = os.environ.get("JETSON_MEMPROF_SPEC")
    if not specification:
        return
    sys.path.insert(0, helper)
    try:
        from jetson_memprof.engine import launch
    finally:
        sys.path.remove(helper)
    launch.start(specification)


try:
    _start(os.path.dirname(_step_aside()))
except Exception as error:
    sys.stderr.write("jetson-memprof: measuring did not start: %s: %s\n" % (type(error).__name__, error))

del sys.modules["sitecustomize"]
# Where there is no other one this raises ImportError, which `site` expects: then nothing of this one remains.
import sitecustomize  # noqa: E402,F401
