"""Takes away the logs of small programs that have ended, while the run goes on. Loads nothing else: the supervisor calls it."""
import os

from . import layout


def tidy(folder):
    """Those of ended processes that ran no Python of the project and never held much."""
    for name in os.listdir(folder):
        pid = name.partition("-")[0]
        if name.endswith(layout.SUFFIX) and pid.isdigit() and not os.path.exists("/proc/" + pid):
            path = os.path.join(folder, name)
            try:
                with open(path, "rb") as file:
                    fields = layout.HEAD.unpack(file.read(layout.HEAD.size))
                if fields[0] != layout.MAGIC or (not fields[2] & layout.HAS_LINES and fields[13] < layout.WORTH_BYTES):
                    os.unlink(path)
            except (OSError, ValueError):
                pass
            except Exception as error:  # struct.error of a file that is no log
                if type(error).__name__ != "error":
                    raise
