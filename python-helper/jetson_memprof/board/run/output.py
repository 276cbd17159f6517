"""What the script writes: into its log up to a limit, counted beyond it; the script never waits."""
import os

from ..errors import is_full
from ..files import AppendFile

_BLOCK = 1 << 16
_BLOCKS_AT_ONCE = 16


class OutputLog(object):
    """One of stdout and stderr: the log, and from `follow` on the pipe's reading end that feeds it."""

    def __init__(self, path, limit):
        self.fd = -1
        self.bytes = 0
        self.limit = limit
        self.error = None
        self._kept = 0
        self._log = AppendFile(path)
        self._skipped = 0
        self._cut = False

    def follow(self, fd):
        os.set_blocking(fd, False)
        self.fd = fd

    @property
    def kept(self):
        """The script's bytes that the log holds."""
        return self._kept - self._log.unwritten

    def pump(self):
        """Take what is there; False at the pipe's end."""
        for _ in range(_BLOCKS_AT_ONCE):
            try:
                data = os.read(self.fd, _BLOCK)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            self._take(data)
        return True

    def _take(self, data):
        self.bytes += len(data)
        if self._cut:
            return
        room = self.limit - self._kept
        if self._skipped and not self._say_missing():
            self._skipped += len(data)
            return
        self._skipped = 0
        keep = data[:room]
        if keep:
            if not self._write(keep):
                self._skipped += len(data)
                return
            self._kept += len(keep)
        if len(data) > room:
            self._cut = self._write(
                b"\n[The output is longer than the %d bytes kept of it. The script continues; the rest "
                b"is counted, not kept.]\n" % self.limit)

    def _say_missing(self):
        return self._write(b"\n[%d bytes of output are missing here: the board's disk was full]\n" % self._skipped)

    def _write(self, data):
        taken = self._log.append(data)
        if self._log.error is not None:
            self.error = self._log.error
        return taken

    def figures(self):
        return {"bytes": self.bytes, "kept": self.kept}

    def unfollow(self):
        """Nothing comes any more, or what comes is not the run's."""
        os.close(self.fd)
        self.fd = -1

    def end(self):
        """Write what is left, and at the log's end what is missing there; False while the disk is too full for it."""
        if self._skipped:
            if not self._say_missing():
                return not is_full(self._log.error)
            self._skipped = 0
        return self._log.append(b"") or not is_full(self._log.error)

    def close(self):
        self._log.close()
        self.error = self._log.error or self.error
