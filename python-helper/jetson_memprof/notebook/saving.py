"""Writes what was measured in a kernel as a run folder that the editor opens: docs/run-folder.md."""
import json
import os
import re
import sys
import time

from .. import VERSION
from ..board.commands.identity import board
from ..board.files import replace_file
from ..board.run.lines import LineTable, Sources, encode
from ..board.run.record import now_text
from ..board.run.statements import keep, read_and_analyse
from ..board.system import system as systems
from ..engine.statements import analyse
from .names import cell_path

_FOLDER = ".jetson-memprof"
_LONGEST_NAME = 200
#: What a notebook is called that nobody names.
_UNKNOWN = "notebook.ipynb"
_UNNAMED = ("Jupyter does not say which notebook this is, so the editor will show the figures in no cell of it: the run is "
            "kept as one of %s. Name the notebook with --save --notebook=PATH.")


def save(report, chosen, shell, failed):
    """Write the run of a reporting.Reporting by options.Options; returns what to tell the user. Raises OSError."""
    root = _project(report.measured.folder)
    told = _notebook(chosen.notebook, shell, report.measured.folder, root)
    notebook = told or _UNKNOWN
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", os.path.basename(notebook)[:-len(".ipynb")]).strip("-")[:40] or "notebook"
    began = report.measured.began
    tail = "%03x%s" % (int(began * 1000) % 1000, os.urandom(2).hex()[1:])  # as the extension names runs
    run = "%s-%s-%s" % (time.strftime("%Y%m%d-%H%M%S", time.gmtime(began)), stem, tail)
    runs = os.path.join(root, _FOLDER, "runs")
    folder = os.path.join(runs, run)
    making = os.path.join(runs, ".starting-" + run)
    os.makedirs(making, mode=0o700)
    record = _write(report, shell, root, notebook, run, making)
    record["exit"] = {"kind": "exited", "code": int(failed)}
    if chosen.save:
        _put(making, "label.json", {"schema": 1, "name": chosen.save[:_LONGEST_NAME]})
    _put(making, "run.json", record)
    os.rename(making, folder)
    kept = "Kept as the run %s in %s." % (run, runs)
    return kept if told else kept + "\n" + _UNNAMED % _UNKNOWN


def _write(report, shell, root, notebook, run, folder):
    """Write lines.jsonl, samples.jsonl and the sources; returns run.json."""
    measured = report.measured
    view, cells, elapsed = measured.view(), [], int((measured.ended - measured.began) * 1000)
    sources = Sources(root)
    table = LineTable(os.path.join(folder, "lines.jsonl"), run, sources)
    numbers = _numbers(report.cells, view.files)
    for index, found in enumerate(view.files):
        if not report.cells.is_one(found):
            continue
        relative = cell_path(notebook, numbers[found])
        cells.append({"number": numbers[found], "id": _cell_id(shell) if found == report.name else None, "path": relative})
        view.files[index] = os.path.join(root, relative)
        text = "\n".join(report.cells.lines(found)).encode("utf-8", "replace")
        table.add_file(*keep(relative, text, analyse(report.cells.code(found).encode("utf-8", "replace")),
                             os.path.join(folder, "sources")))
    for relative in table.collect([view]):
        table.add_file(*keep(relative, *read_and_analyse(os.path.join(root, relative), None),
                             folder=os.path.join(folder, "sources")))
    table.end(elapsed)
    table.close()
    before, after = measured.before, measured.after
    with open(os.path.join(folder, "samples.jsonl"), "wb") as file:
        file.write(encode({"schema": 1, "record": "header", "started_unix_ms": int(measured.began * 1000),
                           "interval_ms": max(1, elapsed)}))
        for t, rss, highest in ((0, before, before), (elapsed, after, report.highest)):
            file.write(encode({"t": t, "hits": report.hits if t else 0, "rss": rss,
                               "rss_peak": highest, "processes": [[os.getpid(), rss]]}))
    return {
        "schema": 1, "id": run, "state": "finished",
        "engine": {"name": "line", "exact": measured.exact, "peak": measured.has_peaks, "accelerator": False},
        "command": {"python": sys.executable, "script": notebook, "args": []}, "project_root": root, "cwd": measured.folder,
        "notebook": {"path": notebook, "cells": cells},
        "started": now_text(measured.began), "ended": now_text(measured.ended), "elapsed_ms": elapsed,
        "board": board(systems.here()),
        "versions": dict({"helper": VERSION, "python": ".".join(map(str, sys.version_info[:3]))}, **_torch()),
        "metrics": table.metrics, "processes": table.processes, "files": table.files,
        "warnings": [{"code": "notebook-note", "message": note} for note in report.notes()]}


def _put(folder, name, value):
    replace_file(os.path.join(folder, name), json.dumps(value, indent=1).encode("ascii") + b"\n")


def _project(folder):
    """The nearest folder around `folder` that has runs already, else itself."""
    above = folder
    while True:
        if os.path.isdir(os.path.join(above, _FOLDER)) and above != os.path.expanduser("~"):
            return above
        if os.path.dirname(above) == above:
            return folder
        above = os.path.dirname(above)


def _notebook(named, shell, folder, root):
    """The notebook's path below the project, as the user names it or the kernel is told it; else None."""
    for told in (named, shell.user_ns.get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME")):
        if isinstance(told, str) and told.endswith(".ipynb"):
            path = os.path.relpath(os.path.join(folder, told), root)
            return os.path.basename(told) if path.startswith("..") else path.replace(os.sep, "/")
    return None


def _numbers(cells, files):
    """A number for each cell: Jupyter's where it has one, else one that no other has."""
    numbers, taken = {}, set()
    for found in files:
        if cells.is_one(found):
            number = cells.number(found) or 1
            while number in taken:
                number += 1
            taken.add(number)
            numbers[found] = number
    return numbers


def _cell_id(shell):
    """The measured cell's id in the notebook, where the front end says it."""
    parent = getattr(shell, "parent_header", None)
    metadata = parent.get("metadata") if isinstance(parent, dict) else None
    found = metadata.get("cellId") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) and "/" not in found else None


def _torch():
    torch = sys.modules.get("torch")
    version = getattr(torch, "__version__", None)
    return {} if version is None else {"torch": str(version)}
