"""Runs a program in a terminal of its own and types. Standard input: {"argv", "cwd", "env", "answers": [[asked, typed], ...]}."""
import json
import os
import pty
import sys

job = json.loads(sys.stdin.readline())
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(job["cwd"])
    os.execve(job["argv"][0], job["argv"], job["env"])
answers, shown = job["answers"], b""
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    shown += data
    if answers and answers[0][0].encode() in shown:
        os.write(terminal, answers.pop(0)[1].encode() + b"\n")
        shown = b""
sys.exit(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
