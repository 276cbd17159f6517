"""What /proc says of processes, and which of them belong to a run."""
import os

from ..files import read_some

PAGE = os.sysconf("SC_PAGE_SIZE")


def read(path, limit=4096):
    """What one reading gives of a file of /proc."""
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, limit)
    finally:
        os.close(fd)


def kib(data, name):
    """Bytes from the line `name` of a text as status or meminfo, where it is not the first; None where it is not told."""
    at = data.find(b"\n" + name + b":")
    if at < 0:
        return None
    at += len(name) + 2
    try:
        return int(data[at:data.index(b"kB", at)]) << 10
    except ValueError:
        return None


def boot_id():
    """This boot's identity; None where the kernel does not say."""
    try:
        return read("/proc/sys/kernel/random/boot_id").decode("ascii").strip()
    except (OSError, ValueError):
        return None


def status_of(pid):
    """(parent pid, process group, session, start time in ticks, state) or None."""
    try:
        data = read("/proc/%d/stat" % pid)
        # The name in parentheses may hold spaces and parentheses itself.
        fields = data[data.rindex(b")") + 2:].split()
        return (int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]),
                fields[0].decode("ascii"))
    except (OSError, ValueError, IndexError):
        return None


def is_alive(pid, start_time):
    """Whether the process that had this pid and start time still runs (a zombie does not)."""
    found = status_of(pid)
    return found is not None and found[3] == start_time and found[4] not in "ZX"


def runs(pid):
    """Whether a process of this number runs (a zombie does not)."""
    found = status_of(pid)
    return found is not None and found[4] not in "ZX"


def rss(pid):
    """Resident bytes; None where it cannot be read, as for a process that has ended."""
    try:
        value = int(read("/proc/%d/statm" % pid, 256).split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return None
    return value or None  # an ending process reads 0: it has no memory left to speak of


def high_water(pid):
    """The kernel's high-water mark of resident bytes; None where it is not told."""
    try:
        return kib(read("/proc/%d/status" % pid), b"VmHWM")
    except OSError:
        return None


def can_reset_peak():
    """Whether the kernel lets a process reset its own high-water mark (asked of this process)."""
    try:
        fd = os.open("/proc/self/clear_refs", os.O_WRONLY)
    except OSError:
        return False
    try:
        os.write(fd, b"5")
        return True
    except OSError:
        return False
    finally:
        os.close(fd)


def name_of(pid):
    """The command line for people, shortened."""
    try:
        words = read("/proc/%d/cmdline" % pid, 300).replace(b"\0", b" ").strip()
        words = words or read("/proc/%d/comm" % pid).strip()
    except OSError:
        return "?"
    text = words.decode("utf-8", "replace")
    return text if len(text) <= 100 else text[:99] + "…"


def listed(pids):
    """Processes for a person: `4242 (python3), 4250 (sh)`."""
    return ", ".join("%d (%s)" % (pid, name_of(pid)) for pid in pids)


def _pids():
    try:
        return {int(name) for name in os.listdir("/proc") if name.isdigit()}
    except OSError:
        return set()


class ProcessTree(object):
    """The processes of a run, found cheaply and kept by (pid, start time).

    A process belongs to the run when its session is the supervisor's, when its
    parent belongs, when its counters say so, or when it carries the run's
    environment variable.
    """

    def __init__(self, session, main_pid):
        self._session = session
        self._me = os.getpid()
        self.main_pid = main_pid
        self.members = {}  # pid -> start time
        self._others = set()
        self._last_created = None
        found = status_of(main_pid)
        if found:
            self.members[main_pid] = found[3]

    def add(self, pid):
        """Take in a process that is known to belong to the run."""
        self._others.discard(pid)
        self._adopt(pid, sure=True)

    def scan(self, pids_of_counters=()):
        """Find new members; cheap when no process was created since the last call."""
        for pid in pids_of_counters:
            self.add(pid)
        created = self._newest_pid()
        if created is not None and created == self._last_created:
            return
        self._last_created = created
        present = _pids()
        self._others &= present
        # A parent may have a higher pid than its child once pids wrap around.
        fresh = sorted(present - self._others - set(self.members) - {self._me})
        strangers = fresh
        while strangers:
            left = [pid for pid in strangers if not self._adopt(pid)]
            if len(left) == len(strangers):
                break
            strangers = left
        self._others.update(strangers)

    def scan_environments(self, marker):
        """Adopt every process whose environment holds `marker` (bytes); for the end of a run."""
        for pid in _pids() - set(self.members) - {self._me}:
            try:
                data = read_some("/proc/%d/environ" % pid, 1 << 20)
            except OSError:
                continue
            if marker in data:
                self._adopt(pid, sure=True)

    def alive(self):
        """The pids of the members that still run; the ended are forgotten."""
        ended = [pid for pid, start in self.members.items() if not is_alive(pid, start)]
        for pid in ended:
            del self.members[pid]
        return sorted(self.members)

    def _adopt(self, pid, sure=False):
        if pid in self.members:
            return True
        if pid == self._me:
            return False
        found = status_of(pid)
        if found is None or found[4] in "ZX":
            return False
        parent, _, session, start, _ = found
        if not (sure or parent in self.members or (session == self._session and parent != self._me)):
            return False
        self.members[pid] = start
        return True

    @staticmethod
    def _newest_pid():
        try:
            return read("/proc/loadavg").split()[-1]
        except (OSError, IndexError):
            return None
