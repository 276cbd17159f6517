"""Asking another program: in its own session, so that it has no terminal to ask anybody; killed when it takes long."""
import os
import select
import signal
import subprocess
import time

TIMEOUT_S = 5.0
_LONGEST = 1 << 20


class Answer(object):
    """`status` is None where the program could not be run, took too long or said too much."""

    def __init__(self, status, output="", errors=""):
        self.status = status
        self.output = output
        self.errors = errors


class Asked(object):
    """A program that is at it; whoever needs no answer any more drops it."""

    def __init__(self, arguments, timeout_s=TIMEOUT_S):
        environment = dict(os.environ, LC_ALL="C")
        environment.pop("SUDO_ASKPASS", None)
        self._until = time.monotonic() + timeout_s
        try:
            # Not where the login shell starts: a Python with -c imports what lies there.
            self._process = subprocess.Popen(arguments, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, start_new_session=True, env=environment)
        except OSError:
            self._process = None

    def answer(self):
        process = self._process
        if process is None:
            return Answer(None)
        try:
            said = _listen([process.stdout, process.stderr], self._until)
            if said is None:
                return Answer(None)
            status = process.wait(max(0.0, self._until - time.monotonic()))
            return Answer(status, *[text.decode("utf-8", "replace") for text in said])
        except subprocess.TimeoutExpired:
            return Answer(None)
        finally:
            self.drop()

    def drop(self):
        process, self._process = self._process, None
        if process is not None:
            _end(process)


def ask(arguments, timeout_s=TIMEOUT_S):
    """What a program says."""
    return Asked(arguments, timeout_s).answer()


def _listen(streams, until):
    """All bytes of the streams; None where they did not end in time or are too long."""
    said = {stream.fileno(): b"" for stream in streams}
    poller = select.poll()
    for fd in said:
        poller.register(fd, select.POLLIN)
    open_ones = set(said)
    while open_ones:
        left = until - time.monotonic()
        if left <= 0 or max(map(len, said.values())) > _LONGEST:
            return None
        for fd, _ in poller.poll(left * 1000):
            part = os.read(fd, 1 << 16)
            said[fd] += part
            if not part:
                poller.unregister(fd)
                open_ones.discard(fd)
    return [said[stream.fileno()] for stream in streams]


def _end(process):
    """What is left of the program and of what it started in its group."""
    if process.returncode is None:  # else its number may be another group's by now
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            pass
    process.stdout.close()
    process.stderr.close()
    process.wait()
