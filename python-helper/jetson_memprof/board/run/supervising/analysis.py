"""When a process is forked to look at source files: as somebody asks, or where nobody does; what it reports."""
import os
import time

from ... import names
from ..statements import StatementsServer

# How long the analysis of the last files may take.
_LAST_FILES_S = 5.0
# A measured file that nobody asked about in this time is analysed unasked.
_UNASKED_S = 3.0


class Analysis(object):
    """`not_for_the_worker()` are descriptors that must not live on in the process. What it finds goes to `table`."""

    def __init__(self, socket_path, sources, kept, project_root, loop, record, not_for_the_worker):
        self._server = StatementsServer(socket_path, sources, kept, self._closed_in_the_worker)
        self._root = project_root
        self._loop = loop
        self._record = record
        self._others = not_for_the_worker
        self._table = None
        self._missing = {}      # relative path -> when it was first seen unanalysed
        self._closing = False

    def begin(self, table):
        self._table = table
        self._listen()

    def start_worker(self, relative_paths=()):
        """While the worker lives it accepts the connections, and this process does not look."""
        if self._server.reports is not None:
            self._loop.ignore(self._server.reports)
            self._on_reports()
        try:
            self._server.start_worker([os.path.join(self._root, names.native(path)) for path in relative_paths])
        except OSError as error:
            # No room for another process: who asks finds out by itself, at its own cost.
            self._server.turn_away()
            self._record.warn("no-analysis", "The board could not start a process to look at a source file: %s."
                              % error.strerror)
            return
        self._loop.ignore(self._server.listener.fileno())
        self._loop.listen(self._server.reports, self._on_reports)

    def worker_ended(self, pid):
        """A child process of this one has ended; it may be the worker."""
        if pid == self._server.worker:
            self._server.worker = None
            if not self._closing:
                self._listen()

    def want(self, paths, now):
        """Have files analysed that nobody asked about: the line table waits for them."""
        self._missing = {path: self._missing.get(path, now) for path in paths}
        overdue = [path for path, since in self._missing.items() if now - since >= _UNASKED_S]
        if overdue and self._server.worker is None:
            self.start_worker(overdue)

    def close(self, signals):
        """Wait for the last files, so that their rows can be written; `signals` tells when a worker has ended."""
        until = time.monotonic() + _LAST_FILES_S
        while self._missing and time.monotonic() < until:
            if self._server.worker is None:
                self.start_worker(self._missing)
            self._loop.wait(100, (self._server.reports, signals))
            known = {entry["path"] for entry in self._table.files}
            self._missing = {path: since for path, since in self._missing.items() if path not in known}
        for path in self._missing:
            self._table.add_file({"path": path, "sha256": None, "lines": 0, "source": None}, b"[]")
        self._closing = True
        self._loop.ignore(self._server.listener.fileno())

    def _listen(self):
        self._loop.listen(self._server.listener.fileno(), self.start_worker)

    def _closed_in_the_worker(self):
        return self._others() - {self._server.listener.fileno()}

    def _on_reports(self):
        fd = self._server.reports
        reports, ended = self._server.read_reports()
        for report, functions in reports:
            self._table.add_file(report, functions)
            if report["error"]:
                self._record.warn("source-not-kept", report["error"])
        if ended:
            self._loop.ignore(fd)
