"""A run whose supervisor is gone: its counters are brought into the folder and the run is closed as lost.

Whoever rescues may be killed at any point too: all is done again by the next one, and nothing twice.
"""
import os
import time

from ... import lean_json
from .. import names
from ..errors import from_os_error
from ..heap import logs as heap_logs
from ..massif import valgrind
from ..system import proc
from . import shared
from .lines import LineTable, Sources
from .record import RunRecord, engine_of, now_text, time_of
from .reserve import Reserve
from .statements import keep, read_and_analyse

_RECORDS = ("lines.jsonl", "samples.jsonl", "moments.jsonl")
_LOGS = ("stdout.log", "stderr.log")
_KEPT_RECORDS = (b'{"record":"file"', b'{"record":"process"', b'{"record":"at"', b'{"record":"phase"')
_NEEDED = {"file": {"file": int, "path": str}, "process": {"pid": int, "label": str}, "phase": {"pid": int, "phase": str}}


def rescue(folder):
    """Close the run as lost. False, and nothing happens, while its supervisor (or another rescuer) holds it."""
    lock = folder.take_lock()
    if lock is None:
        return False
    try:
        values = folder.run_record()
        if values is not None and values.get("state") != "finished":
            close(folder, values)
        elif values is not None:
            _tidy(folder, values)
        return True
    finally:
        os.close(lock)


def _tidy(folder, values):
    """What is left where the one that closed the run was killed right after that."""
    left = folder.shared_folder()
    # Those that valgrind runs write their profile by way of it at their end; `cancel` removes it then.
    if left is not None and not (engine_of(values) == "massif" and folder.living_pids()):
        shared.remove(left, folder.path)


def close(folder, values, known_end=None):
    """Close a run whose lock is held. `known_end` is (exit, code and words of a warning) where somebody knows how it ended."""
    restarted = folder.is_of_another_boot()
    # Counters that outlived a restart lay on the disk: what it has of them is of any moment, its parts of several.
    counters = None if restarted else folder.shared_folder()
    told = None if counters is None else shared.last_word(counters, folder.id)
    record = RunRecord(folder.file("run.json"), told or values)
    last = _last_writing(folder)
    for name in _RECORDS:
        drop_torn_end(folder.file(name))
    known, at, t = _read_table(folder.file("lines.jsonl"))
    t = max([t] + [_last_time(folder.file(name)) for name in _RECORDS])
    table = LineTable(folder.file("lines.jsonl"), folder.id,
                      Sources(names.native(values.get("project_root") or "/")))
    table.resume(known)
    last_lines = []
    if counters is not None:
        began = folder.supervisor().get("started_monotonic")
        if isinstance(began, float):
            table.started(began)
        _take_counters(folder, table, counters, record)
        last_lines = table.last_lines()
        t = max(t, table.latest)
    Reserve(folder.file("reserve")).give_up()  # the disk may be what is full
    if restarted:
        for name in _LOGS:
            drop_trailing_nuls(folder.file(name))
    elif not table.end(t):
        raise _not_written(folder, table.error)
    table.close()
    record.update(processes=table.processes, files=_files(folder, record.values, table, known),
                  metrics=sorted(set(values.get("metrics") or ()).union(table.metrics)))
    if told is None:
        if counters is not None and (heap_logs.asked(values) or {}).get("state") == "sampled":
            root = names.native(values.get("project_root") or "/")
            heap_logs.bring_in(counters, folder, root, record, heap_logs.BRIEFLY_S)
        _call_lost(folder, record, t, last, restarted, known_end)
        record.update(last_lines=last_lines or _places(at, known))
    if not record.save(0.0, force=True):
        raise _not_written(folder, record.error)
    _tidy(folder, record.values)


def _call_lost(folder, record, t, last, restarted, known_end):
    """Nobody knows how the run ended: `t` is its last time in ms, `last` when something was written last (Unix s)."""
    values = record.values
    ended, code, words = known_end or (
        dict({"kind": "lost"}, **({"restarted": True} if restarted else {})),
        "lost", "The helper's process on the board was ended during the run%s. The figures up to then are "
        "kept." % (", as the board was restarted" if restarted else ""))
    record.warn(code, words)
    left = folder.living_pids()
    if engine_of(values) == "massif":
        main = None if left else folder.supervisor().get("script_pid")
        valgrind.collect(folder, record, main, {"kind": "lost"})
    if left:
        record.warn("processes-left", "Processes of the run still run on the board: %s. This ends them: jetson-memprof cancel %s"
                    % (proc.listed(left), folder.id))
    began = time_of(values.get("started"))
    record.update(state="finished", ended=now_text(last if began is None else began + t / 1000.0), elapsed_ms=t,
                  exit=ended, output=_output(folder, values))


def _files(folder, values, table, known):
    """The measured files as run.json lists them: those it had, and those that only the line table knows."""
    files = {entry["path"]: entry for entry in values.get("files") or [] if isinstance(entry, dict)}
    files.update((entry["path"], entry) for entry in table.files)
    for entry in known:
        if entry.get("record") == "file" and entry["path"] not in files:
            kept = "sources/" + entry["path"]
            files[entry["path"]] = {"path": entry["path"], "sha256": entry.get("sha256"),
                                    "source": kept if os.path.isfile(folder.file(names.native(kept))) else None}
    return list(files.values())


def _not_written(folder, error):
    """The counters stay where they are: who opens the run next tries again."""
    return from_os_error(error, "Writing the last figures of the interrupted run %s on the board" % folder.id)


def _take_counters(folder, table, shared_folder, record):
    from ...engine.counters import Reader
    views = Reader(shared_folder).poll()
    for path in sorted(table.collect(views)):
        root = names.native(record.values.get("project_root") or "/")
        source, found = read_and_analyse(os.path.join(root, names.native(path)),
                                         os.path.join(folder.file("sources"), names.native(path)))
        table.add_file(*keep(path, source, found, folder.file("sources")))
    for view in views:
        for code, message in view.warnings:
            record.warn(code, message)


def drop_torn_end(path):
    """Cut a last record that has no line end: nothing may be appended behind half a record."""
    _cut_end(path, lambda data: data.rfind(b"\n") + 1)


def drop_trailing_nuls(path):
    """Cut the NULs that a file system leaves at the end of a file whose last blocks a power cut took."""
    _cut_end(path, lambda data: len(data.rstrip(b"\0")))


def _cut_end(path, kept_of):
    """Cut a file where its whole part ends: `kept_of` says how many of some bytes before that belong to it."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        end, kept = os.fstat(fd).st_size, 0
        while end > 0 and not kept:
            start = max(0, end - 65536)
            kept = kept_of(os.pread(fd, end - start, start))
            end = start + kept
        os.ftruncate(fd, end)
    finally:
        os.close(fd)


def _read_table(path):
    """(file, process and phase records, {pid: its last [(thread, file, line)]}, their last time) of a line table."""
    known, at, t = [], {}, 0
    try:
        with open(path, "rb") as file:
            for line in file:
                if not line.startswith(_KEPT_RECORDS):
                    continue
                try:
                    found = lean_json.loads(line.decode("utf-8"))
                    kind = found["record"]
                    if kind == "at":
                        at[found["pid"]] = [(one["thread"], one["file"], one["line"]) for one in found["threads"]]
                    elif kind in _NEEDED and all(isinstance(found[key], one) for key, one in _NEEDED[kind].items()):
                        known.append(found)
                    t = max(t, int(found.get("t", 0)))
                except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
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
        return int(lean_json.loads(lines[-1].decode("utf-8")).get("t", 0)) if lines else 0
    except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return 0


def _places(at, known):
    paths = {entry["file"]: entry["path"] for entry in known if entry.get("record") == "file"}
    return [{"pid": pid, "thread": thread, "path": paths[file], "line": line}
            for pid, threads in sorted(at.items()) for thread, file, line in threads if file in paths]


def _last_writing(folder):
    """When anything of the run was written last (Unix seconds)."""
    times = []
    for name in _RECORDS + _LOGS + ("run.json",):
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
