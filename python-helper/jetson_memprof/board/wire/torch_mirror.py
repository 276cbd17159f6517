"""Sending what a process records of PyTorch: allocator snapshots and the records that name them, model accounts."""
import os
import re

from ... import lean_json
from .packed import Packed

_RECORDS = "allocator.jsonl"
_SNAPSHOT = re.compile(r"allocator\.[1-9][0-9]{0,9}\.[0-9]{1,4}\.pickle\Z")
_ACCOUNT = re.compile(r"model\.[1-9][0-9]{0,9}\.jsonl\Z")
_MOST_PROCESSES = 200
_MOST_SNAPSHOTS = 1000
_MOST_RECORDS = 1 << 24


class TorchMirror(object):
    """`mirror` sends what is sent as other files are; both sides know the names (docs/board-protocol.md)."""

    def __init__(self, folder, mirror, frames, have):
        self._folder = folder
        self._mirror = mirror
        self._packed = Packed(folder, frames)
        self._listed = None
        self._accounts = []
        self._sent = set()     # snapshots of which the host has one
        # Checkpoints that were replaced since, until packing has its share of time again; at first all that it may have.
        self._waiting = {name for name, why in self._named_before(have.get(_RECORDS, 0)) if why == "checkpoint"}
        self._sent.update(self._waiting)

    def look(self, is_last):
        """Send what is new; with `is_last` all of it."""
        for name in self._list():
            self._mirror.send_growth(name)
        # A record goes after what it names, so the host never has to ask for it.
        self._mirror.send_growth(_RECORDS, self._send_snapshots)
        for name in sorted(self._waiting):
            if is_last or self._packed.may_send():
                self._packed.send(name)
                self._waiting.discard(name)

    def _named_before(self, size):
        """What the records name that the host has already."""
        try:
            with open(self._folder.file(_RECORDS), "rb") as file:
                return list(_named(file.read(min(size, _MOST_RECORDS))))
        except OSError:
            return []

    def _list(self):
        try:
            changed = os.stat(self._folder.path).st_mtime_ns
            if changed != self._listed:
                present = sorted(os.listdir(self._folder.path))
                self._listed = changed
                self._accounts = [name for name in present if _ACCOUNT.match(name)][:_MOST_PROCESSES]
        except OSError:
            pass
        return self._accounts

    def _send_snapshots(self, data):
        """Send those that the records in `data` name; a checkpoint the host has an earlier one of may wait."""
        for name, why in _named(data):
            if why == "checkpoint" and name in self._sent:
                self._waiting.add(name)
            elif len(self._sent) < _MOST_SNAPSHOTS:
                self._sent.add(name)
                self._packed.send(name)


def _named(data):
    """(file, why) of each snapshot in a piece of allocator.jsonl."""
    for line in data.splitlines():
        try:
            record = lean_json.loads(line.decode("utf-8"))
            name, why = record["file"], record["why"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(name, str) and _SNAPSHOT.match(name):
            yield name, why
