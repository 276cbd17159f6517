"""The Jetson Memory Profiler's helper: measures a Python script's memory line by line on the board it runs on."""
VERSION = "0.1.0"


def load_ipython_extension(shell):
    """What `%load_ext jetson_memprof` calls."""
    from .notebook.magics import load
    load(shell)


def unload_ipython_extension(shell):
    """What `%unload_ext jetson_memprof` calls."""
    from .notebook.magics import unload
    unload(shell)
