"""Which Pythons this was tried with, for the others to be told from them."""
import sys

NEWEST = (3, 15)


def is_newer():
    """Whether this Python came after all that were tried."""
    return sys.version_info[:2] > NEWEST


def has_global_lock():
    """False where threads run Python at the same time. Who has the lock keeps it."""
    return "t" not in getattr(sys, "abiflags", "") and getattr(sys, "_is_gil_enabled", lambda: True)()


def doubt():
    """What a run with this Python is to say; None where such a one was tried."""
    if is_newer():
        return ("The profiler was never tried with Python %d.%d, as %d.%d is the newest that it was tried with. Its pure Python "
                "engine measured the lines; check figures that surprise you." % (sys.version_info[:2] + NEWEST))
    if not has_global_lock():
        return ("The profiler was never tried with a free-threaded Python. Its pure Python engine measured the lines, one event at a "
                "time; check figures that surprise you.")
    return None
