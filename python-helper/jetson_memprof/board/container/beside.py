"""What the host knows of a run in a container that nobody in there does: the whole board, and the container's limit."""
from ... import lean_json
from ..files import AppendFile
from ..run.ending import OomWatch
from ..system import proc
from ..system import system as systems
from ..system.memory import MeminfoReader
from ..system.moments import Moments
from .limits import Group
from .processes import ContainerProcesses

_LONGEST_REST = 1 << 20
_MOST_PROCESSES = 1000


class Beside(object):
    """moments.jsonl of the host; `pid` is the host's number of the container's first process, None where it is not told."""

    def __init__(self, folder, pid, interval_ms):
        self._file = AppendFile(folder.file("moments.jsonl"))
        board = systems.here()
        self._meminfo = MeminfoReader(board)
        self._moments = Moments(board, self._write, interval_ms)
        self._held = b""      # the header and the baseline, until it is known when the script began; None from then on
        self._group = None if pid is None else Group(pid)
        self._processes = None if pid is None else ContainerProcesses(pid)
        self._oom = OomWatch(of=pid)
        self._rest = b""
        self._run = []        # numbers inside, the main process first
        self._cuda = self._at = None
        self.pids = {}        # number inside -> on the host, of all that were seen
        self.main = None      # the main process's number on the host

    @property
    def limit(self):
        return None if self._group is None else self._group.limit

    @property
    def error(self):
        return self._file.error

    def begin(self):
        """The baseline, before anything is started in the container."""
        self._moments.begin(self._meminfo.read())

    def began(self, monotonic):
        """The script was started in there: times are counted from then on."""
        told, now = self._moments.count_from(monotonic)
        if self._held is not None:
            self._held = self._held.replace(b'"unix_ms":%d,' % told, b'"unix_ms":%d,' % now, 1)

    def _write(self, data):
        if self._held is None:
            return self._file.append(data)
        self._held += data
        return True

    def _let_out(self):
        if self._held is not None and self._file.append(self._held):
            self._held = None

    def started(self, pid):
        """The script's number in the container, where it is known: until its own records say more."""
        if pid is not None and not self._run:
            self._run = [pid]
            self._meet(self._now())  # it may be gone by the first moment

    def heard(self, data):
        """Records of moments.jsonl as the container has them: which processes are the run's, and what CUDA says there."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[-_LONGEST_REST:]
        if lines:
            self._take_in(lines[-1])

    def _take_in(self, line):
        try:
            record = lean_json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            return
        run = record.get("run") if isinstance(record, dict) else None
        if not isinstance(run, list) or not all(_is_pid(one) for one in run):
            return
        self._run = run[:_MOST_PROCESSES]
        cuda, at = record.get("cuda"), record.get("at")
        self._cuda = cuda if isinstance(cuda, dict) and all(_is_figure(one) for one in cuda.values()) else None
        self._at = at if isinstance(at, list) and len(at) == 2 and isinstance(at[0], str) and _is_figure(at[1]) else None

    def living(self):
        """[[number on the host, its start]] of the run's processes."""
        found = [(pid, proc.status_of(pid)) for pid in sorted(self._now().values())]
        return [[pid, status[3]] for pid, status in found if status is not None]

    def _now(self):
        return {} if self._processes is None else self._processes.on_host(self._run)

    def look(self, t, last=False):
        """One moment where it is time."""
        self._oom.look()
        meminfo = self._meminfo.read()
        if not (self._moments.due(t, meminfo, self._file.size) or last):
            return
        self._let_out()
        on_host = self._now()
        self._meet(on_host)
        cuda = self._cuda
        if cuda is not None:
            pid = on_host.get(cuda.get("pid"))
            cuda = None if pid is None else dict(cuda, pid=pid)
        self._moments.take(t, meminfo, [on_host[pid] for pid in self._run if pid in on_host], cuda, self._at,
                           {"container": self._used()})

    def _meet(self, on_host):
        self.pids.update(on_host)
        if self.main is None and self._run:
            self.main = on_host.get(self._run[0])

    def _used(self):
        """[bytes that count against its limit, the limit or None]; None where the first is not told."""
        used = None if self._group is None else self._group.used()
        return None if used is None else [used, self._group.limit]

    def evidence(self):
        """As OomWatch has it, of the main process."""
        return self._oom.evidence(self.main or -1)

    def kernel_log(self):
        return self._oom.kernel_log(self.main or -1)

    def close(self):
        self._let_out()
        self._moments.close()
        self._meminfo.close()
        self._file.append(b"")
        self._file.close()


def _is_pid(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 31


def _is_figure(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
