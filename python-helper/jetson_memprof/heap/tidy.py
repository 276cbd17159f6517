"""Takes away the logs of small programs that have ended, while the run goes on. Loads nothing else: the supervisor calls it."""
import os

from . import layout, regular


def tidy(folder):
    """Those of ended processes that ran no Python of the project has no marks and never held much."""
    for name in os.listdir(folder):
        pid = name.partition("-")[0]
        if name.endswith(layout.SUFFIX) and pid.isdigit() and not os.path.exists("/proc/" + pid):
            path = os.path.join(folder, name)
            try:
                fields = layout.HEAD.unpack(regular.read(path, layout.HEAD.size))
                if fields[0] != layout.MAGIC or not layout.is_worth(fields):
                    os.unlink(path)
            except (OSError, ValueError):
                pass
            except Exception as error:  # struct.error of a file that is no log
                if type(error).__name__ != "error":
                    raise
