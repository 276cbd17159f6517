"""What a run records of memory over time: samples.jsonl and moments.jsonl, both from one reading of meminfo."""
import time

from ..files import AppendFile
from ..system import system
from ..system.memory import MeminfoReader
from ..system.moments import Moments
from .loading import Loading
from .sampler import Sampler


class Timeline(object):
    """All that can fail does so as this is made; `views` are the counters of the run's processes."""

    def __init__(self, folder, sample_ms, moment_ms):
        self._file = AppendFile(folder.file("moments.jsonl"))
        self._sampler = Sampler(folder.file("samples.jsonl"), sample_ms)
        board = system.here()
        self._meminfo = MeminfoReader(board)
        self._moments = Moments(board, self._file.append, moment_ms)
        self._loading = Loading()
        self._tree = self._table = None

    def begin(self):
        """Take the baseline; when the run begins after that, on the clocks of time.monotonic and time.time."""
        began, unix_s = self._moments.begin(self._meminfo.read())
        self._sampler.started_unix_ms = int(unix_s * 1000)
        return began, unix_s

    def follow(self, tree, table):
        """The run's processes, a proc.ProcessTree, and the lines.LineTable that knows where they are."""
        self._tree, self._table = tree, table

    @property
    def error(self):
        return self._sampler.error or self._file.error

    def sample(self, t, views, last=False):
        """One sample where it is time; the reading of meminfo, for `moment`."""
        meminfo = self._meminfo.read()
        if last or self._sampler.due(t):
            self._sampler.see_peak(self._table.highest_rss)
            self._sampler.take(t, self._tree, views, self._table.place(self._tree.main_pid), meminfo)
        return meminfo

    def moment(self, t, meminfo, views):
        """One moment where it is time."""
        if self._moments.due(t, meminfo, self._file.size):
            self._take(t, meminfo, views)

    def loads(self, t, meminfo):
        """What long lines load is shown to the table."""
        places = self._table.main_threads(sorted(self._tree.members))
        self._table.add_loads(self._loading.look(t, places, meminfo, time.monotonic()))

    def ended(self, t, views):
        """One moment in any case: a process of the run, or the run, has ended."""
        self._take(t, self._meminfo.read(), views)

    def _take(self, t, meminfo, views):
        main = self._tree.main_pid
        run = sorted(self._tree.alive(), key=lambda pid: (pid != main, pid))
        at = self._table.where(main) if main in run else None
        self._moments.take(t, meminfo, run, _cuda([view for view in views if view.pid in run]), at)

    def close(self):
        self._moments.close()
        self._sampler.close()
        self._meminfo.close()
        self._file.append(b"")
        self._file.close()


def _cuda(views):
    """What PyTorch said in the process that holds most of the GPU's memory, as moments.jsonl has it."""
    told = [dict(figures, pid=view.pid) for view, figures in ((view, view.cuda) for view in views) if figures]
    return max(told, key=lambda one: one["reserved"]) if told else None
