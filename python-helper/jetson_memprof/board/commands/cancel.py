"""The `cancel` command: asks the supervisor to end the run, or ends what a dead one left behind."""
import os
import signal
import time

from ..massif import massif_files
from ..run import shared, stopping
from ..run.record import engine_of
from ..run.rescue import rescue
from ..run.runs import open_run
from ..system import proc

_PATIENCE_S = stopping.LONGEST_S + 10.0
_POLL_S = 0.03


def cancel(request):
    """End the run's processes; 'finished' where it had ended by itself."""
    folder = open_run(request)
    until = time.monotonic() + _PATIENCE_S
    asked = False
    while folder.is_held():
        record = folder.run_record()
        if record is not None and record.get("state") == "finished":
            break
        noted = folder.supervisor()
        pid = noted.get("pid")
        if isinstance(pid, int) and isinstance(noted.get("start_time"), int) \
                and not folder.is_of_another_boot() and proc.is_alive(pid, noted["start_time"]):
            if not asked:
                private = folder.shared_folder()
                if private is not None:
                    shared.note_cancel(private)
                os.kill(pid, signal.SIGTERM)
                asked = True
            elif time.monotonic() > until:
                # It does not listen any more; its counters are rescued below.
                os.kill(pid, signal.SIGKILL)
        elif time.monotonic() > until:
            break
        time.sleep(_POLL_S)
    # Somebody who is attached may be rescuing it just now: what is answered below stands in what that writes.
    while not rescue(folder) and time.monotonic() < until:
        time.sleep(_POLL_S)
    left = end_left_behind(folder)
    record = folder.run_record() or {}
    ended = record.get("exit") or {}
    if ended.get("kind") == "cancelled" or ((asked or left) and ended.get("kind") == "lost"):
        return {"state": "cancelled"}
    return {"state": "finished"}


def end_left_behind(folder):
    """End processes of the run that outlived its supervisor; whether there were any."""
    from ..container.left import end_inside
    if end_inside(folder):
        return True
    tree = proc.ProcessTree(-1, -1)
    for pid in folder.living_pids():
        tree.add(pid)
    marker = b"JETSON_MEMPROF_SPEC=" + os.fsencode(
        os.path.join(str(folder.supervisor().get("shared")), "spec.json"))
    tree.scan_environments(marker)  # the supervisor may have ended before it noted them all
    if not tree.alive():
        return False
    massif = engine_of(folder.run_record() or {}) == "massif"
    ending = stopping.Stopping(tree, marker, stopping.UNDER_VALGRIND if massif else stopping.STEPS)
    ending.begin(time.monotonic())
    while tree.alive() and not ending.gave_up(time.monotonic()):
        ending.advance(time.monotonic())
        time.sleep(_POLL_S)
        tree.scan()
    if massif:
        massif_files.collect(folder.path)  # what valgrind wrote at these ends
        private = folder.shared_folder()
        if private is not None:
            shared.remove(private, folder.path)
    return True
