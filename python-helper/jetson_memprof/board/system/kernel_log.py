"""What the kernel's own log (/dev/kmsg) says of a process that it ended because memory ran out.

`re` is loaded when a process was killed: it would be a third of what the supervisor holds of its own.
"""
import os

_MOST_RECORDS = 100000
_MOST_LINES, _LONGEST_LINE = 20, 500
_KILLED = r"(?:Killed process|Kill process|oom-kill:.*\bpid=)\s*%d\b"
_REPORT_BEGINS = " invoked oom-killer"
# A report's lines that a person reads; its call trace and its list of all processes are not among them.
_TELLING = (
    r" invoked oom-killer|[Oo]ut of memory|Killed process|Kill process|^oom-kill:|^oom_reaper|^Mem-Info"
    r"|^\s*active_anon:|^\s*active_file:|^\s*unevictable:|^\s*slab_reclaimable:|^\s*mapped:|^\s*free:"
    r"|total pagecache pages|^Free swap|^Total swap|pages RAM|pages reserved|^memory: usage|^memory\+swap: usage"
    r"|^swap: usage|cma reserved")


class KernelLog(object):
    """The log from now on. Its position is kept, as its times drift from every clock on a board that is up for long."""

    def __init__(self, path):
        self._lines = []
        self._fd = -1
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return
        try:
            os.lseek(fd, 0, os.SEEK_END)
            self._fd = fd
        except OSError:
            os.close(fd)

    def lines(self):
        """All lines since the beginning, as the kernel wrote them; none where the log may not be read."""
        for _ in range(_MOST_RECORDS if self._fd >= 0 else 0):
            try:
                record = os.read(self._fd, 8192)
            except BrokenPipeError:
                continue  # overwritten while reading: the next one follows
            except OSError:
                break
            if not record:
                break
            # Lines after the first are the record's properties; line ends within it are escaped.
            text = record.decode("utf-8", "replace").partition(";")[2]
            self._lines += text.split("\n", 1)[0].split("\\x0a")
        return self._lines


def names_as_killed(line, pid):
    import re
    return re.search(_KILLED % pid, line) is not None


def kill_report(lines, pid):
    """The telling lines of the last report that names the pid as killed, else of the last report (pids may be those
    of a container); none where there is none."""
    import re
    is_telling = re.compile(_TELLING).search
    reports = []
    for line in lines:
        if _REPORT_BEGINS in line:
            reports.append([])
        if reports and is_telling(line):
            reports[-1].append(line)
    named = [one for one in reports if any(names_as_killed(line, pid) for line in one)]
    chosen = (named or reports or [[line for line in lines if names_as_killed(line, pid)]])[-1]
    # What was killed stands at the end of the report.
    if len(chosen) > _MOST_LINES:
        chosen = chosen[:_MOST_LINES // 2] + chosen[-_MOST_LINES // 2:]
    return ["".join(one if one.isprintable() else " " for one in line)[:_LONGEST_LINE].rstrip() for line in chosen]
