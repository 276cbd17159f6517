"""How a script says where it is, outside the measured project, so that a test has something to compare with."""
import json
import mmap
import struct
import sys
import time

_INLINE = ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>")


def stop():
    """Print the open lines of the calling thread, outermost first, as Python has them, and wait for a line of input."""
    frame, lines = sys._getframe(1), []
    while frame is not None:
        if frame.f_code.co_name not in _INLINE and frame.f_code.co_filename.endswith("script.py"):
            lines.insert(0, frame.f_lineno)
        frame = frame.f_back
    print(json.dumps(lines), flush=True)
    sys.stdin.readline()


class Marks(object):
    """A number in a shared file: n while hold(n) runs, -n from its end on."""

    def __init__(self, path):
        with open(path, "r+b") as file:
            self._shared = mmap.mmap(file.fileno(), 8)

    def hold(self, number):
        struct.pack_into("=q", self._shared, 0, number)
        end = time.process_time() + 0.003  # of its own time, so that a busy machine does not make it short
        while time.process_time() < end:
            pass
        struct.pack_into("=q", self._shared, 0, -number)
