"""Asking another program: in its own session, so that it has no terminal to ask anybody; killed when it takes long."""
import os
import signal
import subprocess

TIMEOUT_S = 5.0


class Answer(object):
    """`status` is None where the program could not be run or took too long."""

    def __init__(self, status, output, errors):
        self.status = status
        self.output = output
        self.errors = errors


def ask(arguments, timeout_s=TIMEOUT_S):
    """What a program says."""
    environment = dict(os.environ, LC_ALL="C")
    environment.pop("SUDO_ASKPASS", None)
    try:
        process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True, env=environment)
    except OSError:
        return Answer(None, "", "")
    try:
        output, errors = process.communicate(timeout=timeout_s)
        status = process.returncode
    except subprocess.TimeoutExpired:
        status, output, errors = None, b"", b""
    finally:
        _end(process)
    return Answer(status, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"))


def _end(process):
    """What is left of the program and of what it started in its group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    process.stdout.close()
    process.stderr.close()
    process.wait()
