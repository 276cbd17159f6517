"""A run whose supervisor is gone: its counters are brought into the folder and the run is closed as lost."""
import json
import os
import time

from . import names, proc, shared, valgrind
from .errors import BoardError
from .lines import LineTable, Sources
from .record import RunRecord, engine_of, now_text
from .reserve import Reserve
from .statements import keep, read_and_analyse

_RECORDS = ("lines.jsonl", "samples.jsonl", "moments.jsonl")
_KEPT_RECORDS = (b'{"record":"file"', b'{"record":"process"', b'{"record":"at"')
_NEEDED = {"file": {"file": int, "path": str}, "process": {"pid": int, "label": str}}


def rescue(folder):
    """Close the run as lost. False, and nothing happens, while its supervisor (or another rescuer) holds it."""
    lock = folder.take_lock()
    if lock is None:
        return False
    try:
        values = folder.run_record()
        if values is not None and values.get("state") != "finished":
            _close(folder, values)
        return True
    finally:
        os.close(lock)


def _close(folder, values):
    noted = folder.supervisor()
    same_boot = noted.get("boot_id") == proc.boot_id()
    record = RunRecord(folder.file("run.json"), values)
    last = _last_writing(folder)
    for name in _RECORDS:
        drop_torn_end(folder.file(name))
    known, at, t = _read_table(folder.file("lines.jsonl"))
    t = max([t] + [_last_time(folder.file(name)) for name in _RECORDS])
    table = LineTable(folder.file("lines.jsonl"), folder.id,
                      Sources(names.native(values.get("project_root") or "/")))
    table.resume(known)
    if same_boot and isinstance(noted.get("started_monotonic"), float):
        table.started(noted["started_monotonic"])
    shared_folder = folder.shared_folder()
    last_lines = []
    if shared_folder is not None:
        _take_counters(folder, table, shared_folder, record)
        last_lines = table.last_lines()
        t = max(t, table.latest)
    Reserve(folder.file("reserve")).give_up()  # the disk may be what is full
    complete = table.end(t)
    table.close()
    if not last_lines:
        last_lines = _places(at, known)
    record.warn("lost", "The helper's process on the board was ended during the run%s. The figures up to then are "
                "kept." % ("" if same_boot else ", as the board was restarted"))
    left = folder.living_pids()
    massif = engine_of(values) == "massif"
    if massif:
        valgrind.collect(folder, record, None if left else noted.get("script_pid"), {"kind": "lost"})
    if left:
        record.warn("processes-left", "Processes of the run still run on the board: %s. Cancel the run to end them."
                    % ", ".join("%d (%s)" % (pid, proc.name_of(pid)) for pid in left))
    files = {entry["path"]: entry for entry in values.get("files") or [] if isinstance(entry, dict)}
    files.update((entry["path"], entry) for entry in table.files)
    for entry in known:
        if entry.get("record") == "file" and entry["path"] not in files:
            kept = "sources/" + entry["path"]
            files[entry["path"]] = {"path": entry["path"], "sha256": entry.get("sha256"),
                                    "source": kept if os.path.isfile(folder.file(names.native(kept))) else None}
    record.update(state="finished", ended=now_text(last), elapsed_ms=t, exit={"kind": "lost"},
                  last_lines=last_lines, processes=table.processes, files=list(files.values()),
                  metrics=sorted(set(values.get("metrics") or ()).union(table.metrics)),
                  output=_output(folder, values))
    if not (record.save(0.0, force=True) and complete):
        raise BoardError("no-space", "The run %s was interrupted, and its last figures could not be written on the "
                         "board." % folder.id, "Free some space on the board's disk, then open the run again.")
    # Valgrind writes a profile at the end of those that are left, by way of the private folder: `cancel` removes it.
    if shared_folder is not None and not (massif and left):
        shared.remove(shared_folder, folder.path)


def _take_counters(folder, table, shared_folder, record):
    from ..engine.counters import Reader
    views = Reader(shared_folder).poll()
    for path in sorted(table.collect(views)):
        root = names.native(record.values.get("project_root") or "/")
        source, found = read_and_analyse(os.path.join(root, names.native(path)))
        table.add_file(*keep(path, source, found, folder.file("sources")))
    for view in views:
        for code, message in view.warnings:
            record.warn(code, message)


def drop_torn_end(path):
    """Cut a last record that has no line end: nothing may be appended behind half a record."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        end = os.fstat(fd).st_size
        while end > 0:
            start = max(0, end - 65536)
            at = os.pread(fd, end - start, start).rfind(b"\n")
            if at >= 0:
                end = start + at + 1
                break
            end = start
        os.ftruncate(fd, end)
    finally:
        os.close(fd)


def _read_table(path):
    """(file and process records, {pid: its last [(thread, file, line)]}, their last time) of a line table."""
    known, at, t = [], {}, 0
    try:
        with open(path, "rb") as file:
            for line in file:
                if not line.startswith(_KEPT_RECORDS):
                    continue
                try:
                    found = json.loads(line.decode("utf-8"))
                    kind = found["record"]
                    if kind == "at":
                        at[found["pid"]] = [(one["thread"], one["file"], one["line"]) for one in found["threads"]]
                    elif kind in _NEEDED and all(isinstance(found[key], one) for key, one in _NEEDED[kind].items()):
                        known.append(found)
                    t = max(t, int(found.get("t", 0)))
                except (ValueError, KeyError, TypeError):
                    continue  # damaged, as by a power cut
    except OSError:
        pass
    return known, at, t


def _last_time(path):
    """The time of a file's last record in ms, 0 where there is none."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 65536))
            lines = file.read().splitlines()
        return int(json.loads(lines[-1].decode("utf-8")).get("t", 0)) if lines else 0
    except (OSError, ValueError, TypeError, AttributeError):
        return 0


def _places(at, known):
    paths = {entry["file"]: entry["path"] for entry in known if entry.get("record") == "file"}
    return [{"pid": pid, "thread": thread, "path": paths[file], "line": line}
            for pid, threads in sorted(at.items()) for thread, file, line in threads if file in paths]


def _last_writing(folder):
    """When anything of the run was written last (Unix seconds)."""
    times = []
    for name in _RECORDS + ("stdout.log", "stderr.log", "run.json"):
        try:
            times.append(os.stat(folder.file(name)).st_mtime)
        except OSError:
            pass
    return max(times) if times else time.time()


def _output(folder, values):
    before = values.get("output") or {}
    result = {}
    for name in ("stdout", "stderr"):
        try:
            size = os.stat(folder.file(name + ".log")).st_size
        except OSError:
            size = 0
        counted = (before.get(name) or {}).get("bytes") or 0
        result[name] = {"bytes": max(size, counted), "kept": size}
    return result
