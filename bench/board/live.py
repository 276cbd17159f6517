#!/usr/bin/env python3
"""How fast the board answers: a script's output on its way home, and the plan of a sync where nothing has changed.

    python3 bench/board/live.py [--check]

Output is timed from the script's write to the frame at the host, the clock being the same; the plan of 2,000 files from
the request to the reply, of which the interpreter's start is a part. Prints words, then one line of JSON. `--check`:
exit code 1 where a bar is missed: 150 ms (median of 30 lines), 600 ms (the least of five plans).
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HELPER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python-helper")
BOARD = [sys.executable, "-E", "-s", "-B", os.path.join(HELPER, "board.py")]
SCRIPT = """\
import time
time.sleep(0.5)
for _ in range(30):
    print(time.monotonic())
    time.sleep(0.07)
"""
FILES = 2000


def command(name, request):
    done = subprocess.run(BOARD + [name], input=json.dumps(request).encode() + b"\n", stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.decode())


def output(top):
    """The median of the lines' delays in seconds."""
    with open(os.path.join(top, "script.py"), "w") as file:
        file.write(SCRIPT)
    run = {"root": os.path.join(top, "root"), "id": "r1"}
    command("start", dict(run, project_root=top, script="script.py", engine="line", output_limit=1 << 20))
    attached = subprocess.Popen(BOARD + ["attach"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    attached.stdin.write(json.dumps(dict(run, have={})).encode() + b"\n")
    attached.stdin.flush()
    delays = []
    for line in iter(attached.stdout.readline, b""):
        frame = json.loads(line.decode())
        data = attached.stdout.read(frame.get("length", 0))
        if frame.get("file") == "stdout.log":
            delays += [time.monotonic() - float(word) for word in data.split()]
    attached.stdin.close()
    attached.wait()
    return sorted(delays)[len(delays) // 2]


def plan(top):
    """The least of five plans' times in seconds, of files that are all there."""
    root, listed = os.path.join(top, "root"), []
    for number in range(FILES):
        name = "pkg%d/module_%d.py" % (number % 40, number)
        path = os.path.join(root, "projects", "demo", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write("x = %d\n" % number)
        found = os.stat(path)
        listed.append([name, found.st_size, found.st_mtime_ns // 1000000, False])
    took = []
    for _ in range(5):
        began = time.monotonic()
        reply = command("sync-plan", {"root": root, "project": "demo", "files": listed})
        took.append(time.monotonic() - began)
        if reply["send"] or reply["hash"]:
            raise SystemExit("the plan wants files to be sent that are there")
    return min(took)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("--check", action="store_true")
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as top:
        found = {"output_ms": output(top) * 1000, "plan_ms": plan(top) * 1000}
    print("a line of output is at home after %.0f ms; the plan of %d unchanged files takes %.0f ms" % (
        found["output_ms"], FILES, found["plan_ms"]))
    print(json.dumps(found))
    missed = [name for name, bar in (("output_ms", 150), ("plan_ms", 600)) if found[name] > bar]
    if options.check and missed:
        print("missed: " + ", ".join(missed), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
