"""Answers the profiled processes' question which lines make one statement.

The supervisor stays small: parsing is done by a worker process forked from it,
which answers for as long as questions come and then ends, its memory with it.
The worker also keeps each file as it was run and reports its digest and
functions over a pipe.
"""
import _signal as signal  # the plain `signal` would bring `enum` along
import os
import struct

import _socket  # the plain `socket` would add a third of a MiB to the supervisor

from ... import lean_json
from .. import names
from ..errors import log_fault
from ..files import read_file, replace_file
from . import oom

LARGEST_SOURCE = 16 << 20
#: How long a worker waits for its first question (Python is starting), and then for each further one.
_READY_S = 1.0
_IDLE_S = 0.1
_QUESTION_S = 1.0
_QUESTION = 16384


class StatementsServer(object):
    """The socket, the worker that answers on it, and the worker's reports.

    A report is ({'path', 'sha256', 'lines', 'source', 'error'}, its functions as JSON in bytes).
    """

    def __init__(self, socket_path, sources, sources_folder, close_in_worker):
        self._sources = sources
        self._folder = sources_folder
        self._close_in_worker = close_in_worker
        self.listener = listen(socket_path)
        self.worker = None      # pid
        self.reports = None     # descriptor to read reports from
        self._partial = b""

    def start_worker(self, paths=()):
        """Fork a worker; `paths` (absolute) are analysed first, as nobody may ask about them."""
        reading, writing = os.pipe()
        try:
            pid = os.fork()
        except OSError:
            os.close(reading)
            os.close(writing)
            raise
        if pid == 0:
            try:
                oom.give_up()
                signal.set_wakeup_fd(-1)
                for number in (signal.SIGTERM, signal.SIGCHLD):
                    signal.signal(number, signal.SIG_DFL)
                os.close(reading)
                for fd in self._close_in_worker():
                    os.close(fd)
                _Worker(self.listener, self._sources, self._folder, writing).run(paths)
            except Exception:
                log_fault()
            finally:
                os._exit(0)
        os.close(writing)
        os.set_blocking(reading, False)
        self.worker, self.reports, self._partial = pid, reading, b""

    def turn_away(self):
        """Close a waiting connection unanswered."""
        try:
            accept(self.listener).close()
        except OSError:
            pass

    def read_reports(self):
        """(reports that came, whether the worker has closed its end)."""
        found, ended = [], False
        while True:
            try:
                data = os.read(self.reports, 1 << 16)
            except BlockingIOError:
                break
            if not data:
                ended = True
                break
            *lines, self._partial = (self._partial + data).split(b"\n")
            for line in lines:
                # The functions stay text: many of them as objects would make the supervisor grow.
                head, _, functions = line.partition(b"\t")
                found.append((lean_json.loads(head.decode("ascii")), functions))
        if ended:
            os.close(self.reports)
            self.reports = None
        return found, ended

    def close(self):
        self.listener.close()
        if self.reports is not None:
            os.close(self.reports)
            self.reports = None


def listen(path):
    """A listening Unix socket at the path, which may be longer than a socket's name can be."""
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    with_folder(path, server.bind)
    server.listen(64)
    server.setblocking(False)
    return server


def accept(listener):
    """The next connection; OSError where none comes."""
    return _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, listener._accept()[0])


def with_folder(path, call):
    """Call with a short name of a socket's path, through its folder's descriptor."""
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        return call("/proc/self/fd/%d/%s" % (folder, os.path.basename(path)))
    finally:
        os.close(folder)


def read_and_analyse(path, kept):
    """(the file's bytes, its Analysis), or (None, None) where it cannot be read.

    `kept` is where its text is or will be kept in the run's folder: that of a notebook's cell is nowhere else.
    """
    from ...engine.statements import analyse
    from ...notebook.names import is_cell  # not for the supervisor, which stays small
    if is_cell(path):
        path = kept
    try:
        source = read_file(path, LARGEST_SOURCE)
    except OSError:
        return None, None
    return source, analyse(source)


def keep(relative, source, found, folder):
    """Keep a file as it was run below `folder`; the report of it and its functions for LineTable.add_file.

    `error` in the report says in words what could not be done, else it is None.
    """
    from ...sha256 import sha256
    if found is None:
        return {"path": relative, "sha256": None, "lines": 0, "source": None,
                "error": "%s could not be read on the board, so its text is not kept with the run." % relative}, b"[]"
    kept, trouble = "sources/" + relative, None
    where = os.path.join(folder, names.native(relative))
    try:
        if not os.path.lexists(where):
            os.makedirs(os.path.dirname(where), mode=0o700, exist_ok=True)
            replace_file(where, source)
    except OSError as error:
        kept = None
        trouble = "%s could not be kept with the run: %s." % (relative, error.strerror)
    functions = lean_json.dumps([{"name": name, "key": key, "def_line": def_line, "last_line": last_line}
                            for name, key, def_line, last_line in found.functions], separators=(",", ":"))
    return {"path": relative, "sha256": sha256(source).hexdigest(), "lines": found.lines,
            "source": kept, "error": trouble}, functions.encode("ascii")


class _Worker(object):
    """Runs in the forked process."""

    def __init__(self, listener, sources, folder, report_fd):
        self._listener = listener
        self._sources = sources
        self._folder = folder
        self._report_fd = report_fd
        self._reported = set()

    def run(self, paths):
        from ...engine import statements  # before the first question
        del statements
        for path in paths:
            self._analyse(path)
        self._listener.settimeout(_READY_S)
        while True:
            try:
                connection = accept(self._listener)
            except _socket.timeout:
                return
            except BlockingIOError:
                continue
            try:
                self._answer(connection)
            except OSError:
                pass
            finally:
                connection.close()
            self._listener.settimeout(_IDLE_S)

    def _answer(self, connection):
        """Answer the questions of one connection; one that is not allowed ends it."""
        connection.settimeout(_QUESTION_S)
        waiting = b""
        while True:
            while b"\n" not in waiting:
                data = connection.recv(_QUESTION)
                if not data or len(waiting) + len(data) > _QUESTION:
                    return
                waiting += data
            question, _, waiting = waiting.partition(b"\n")
            if not self._analyse(os.fsdecode(question), connection):
                return

    def _analyse(self, path, connection=None):
        """Analyse one file, answer first, keep and report it after; False where it is refused."""
        relative = self._sources.relative(path)
        if relative is None:
            return False
        source, found = read_and_analyse(path, os.path.join(self._folder, names.native(relative)))
        if connection is not None and found is not None:
            connection.sendall(b"".join(struct.pack("<I", len(row)) + row.tobytes()
                                        for row in (found.statement_of, found.resumed)))
        if relative not in self._reported:
            self._report(*keep(relative, source, found, self._folder))
        return found is not None

    def _report(self, report, functions):
        self._reported.add(report["path"])
        data = lean_json.dumps(report).encode("ascii") + b"\t" + functions + b"\n"
        while data:
            data = data[os.write(self._report_fd, data):]
