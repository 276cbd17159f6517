"""Room on the disk that is kept back, so that a run's last records fit when the disk is full."""
import os

from ..errors import is_full

_BYTES = 128 << 10


class Reserve(object):
    def __init__(self, path):
        self._path = path

    def make(self):
        """Keep the room back; OSError where the disk has not got it."""
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.posix_fallocate(fd, 0, _BYTES)
        except OSError as error:
            if is_full(error):
                raise  # a file system that cannot reserve is no reason not to run
        finally:
            os.close(fd)

    def give_up(self):
        """Let others have the room; False where there was none left to give."""
        try:
            os.unlink(self._path)
        except OSError:
            return False
        return True
