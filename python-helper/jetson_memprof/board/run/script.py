"""Starting the user's script exactly as `python script args…` would."""
import _signal as signal  # the plain `signal` would bring `enum` along
import os

from . import oom, stopping

_RESET = [number for number in range(1, signal.NSIG)
          if number not in (signal.SIGKILL, signal.SIGSTOP)]
# Those of the script's variables that change how PyTorch, CUDA and malloc use memory: no others are written down.
_RECORDED = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING",
             "CUDA_MODULE_LOADING", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "MALLOC_ARENA_MAX", "PYTHONMALLOC")
_LONGEST_VALUE = 1000
_PR_SET_PDEATHSIG = 1


def environment(extra, boot_folder, spec_path):
    """The script's environment (bytes to bytes): the board's own, the request's, and what loads the engine."""
    values = dict(os.environb)
    values.update((key.encode("utf-8"), value.encode("utf-8")) for key, value in extra.items())
    # Live output; a pipe would be written in blocks otherwise.
    values[b"PYTHONUNBUFFERED"] = b"1"
    before = values.get(b"PYTHONPATH")
    values[b"PYTHONPATH"] = os.fsencode(boot_folder) + (b":" + before if before else b"")
    values[b"JETSON_MEMPROF_SPEC"] = os.fsencode(spec_path)
    return values


def recorded(values):
    """What run.json says of an environment (bytes to bytes)."""
    found = {name: values.get(name.encode("ascii")) for name in _RECORDED}
    return {name: value.decode("utf-8", "replace")[:_LONGEST_VALUE] for name, value in found.items()
            if value is not None}


def as_from_shell():
    """In a child that becomes another program: signals, and the kernel's choice when memory runs out, as a shell leaves them."""
    oom.give_up()
    for number in _RESET:
        try:
            signal.signal(number, signal.SIG_DFL)
        except (OSError, ValueError):
            pass
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def die_with(parent, number):
    """In such a child: have the kernel send it a signal when its parent is killed. Without ctypes nothing does."""
    try:
        import ctypes  # here, where its memory goes at once
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
    except (ImportError, OSError, AttributeError, MemoryError):  # the last where it may make no machine code
        return
    if os.getppid() != parent:
        os._exit(127)


class Script(object):
    """The started process: its pid, and our ends of its standard streams."""

    def __init__(self, pid, stdin, stdout, stderr):
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr


class Directly(object):
    """The script is run by Python alone; sampled.Sampled and valgrind.UnderValgrind are the other ways."""

    steps = stopping.STEPS
    # What ends the script when the supervisor is killed: nobody reads what it prints any more, nor ends it.
    end_signal = signal.SIGKILL
    # After the script's end: how long its remaining processes may still write.
    grace_s = 5.0
    # Whether processes that outlive the run still write into its folder, by way of the private one.
    writes_at_ends = False

    def command(self, python, arguments):
        return python, arguments

    def environment(self, values):
        return values

    def spec(self):
        return {}

    def look(self, now):
        pass

    def finish(self, main_pid, ended, last_line_ms, record):
        pass


def spawn(program, arguments, cwd, values, end_signal):
    """Start `program arguments…` in its own process group; OSError where that failed.

    It gets `end_signal` when this process ends; None: it goes on.
    """
    me = os.getpid()
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    told_read, told_write = os.pipe()  # closed by a successful exec
    pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            as_from_shell()
            os.dup2(in_read, 0)
            os.dup2(out_write, 1)
            os.dup2(err_write, 2)
            os.chdir(cwd)
            if end_signal is not None:
                die_with(me, end_signal)
            os.execve(program, [program] + arguments, values)
        except OSError as error:
            os.write(told_write, str(error.errno).encode("ascii"))
        finally:
            os._exit(127)
    for fd in (in_read, out_write, err_write, told_write):
        os.close(fd)
    try:
        os.setpgid(pid, pid)  # whoever comes first: the group exists before anyone signals it
    except OSError:
        pass
    said = os.read(told_read, 16)
    os.close(told_read)
    if said:
        for fd in (in_write, out_read, err_read):
            os.close(fd)
        os.waitpid(pid, 0)
        number = int(said)
        raise OSError(number, os.strerror(number), cwd if not os.access(cwd, os.X_OK) else program)
    return Script(pid, in_write, out_read, err_read)
