"""Sending massif's files: those that grow, those that are replaced as the run goes on, those written once."""
import os
import re
import time

from ... import lean_json
from ..wire.packed import Packed

_GROWING = re.compile(r"massif\.(frames|lines)\.([1-9][0-9]{0,9})\.jsonl\Z")
_REPLACED = re.compile(r"(?:(?:massif|gpu)\.out\.[1-9][0-9]{0,9}|(?:heap|gpu)\.[1-9][0-9]{0,9}\.json)\Z")
_MOST_PROCESSES = 200
_MOST_TREES = 4000
_LOOK_EVERY_S = 0.5


class MassifMirror(object):
    """`mirror` sends what is sent as other files are; both sides know the names (docs/board-protocol.md)."""

    def __init__(self, folder, mirror, frames):
        self._folder = folder
        self._mirror = mirror
        self._packed = Packed(folder, frames)
        self._listed = None
        self._growing = []   # (name, pid, whether it names trees)
        self._replaced = []
        self._trees = 0
        self._look_at = 0.0

    def look(self, is_last):
        """Send what is new; with `is_last` all of it, and at once."""
        now = time.monotonic()
        if now < self._look_at and not is_last:
            return
        self._look_at = now + _LOOK_EVERY_S
        self._list()
        for name, pid, names_trees in self._growing:
            # A record goes after what it names, so the host never has to ask for it.
            self._mirror.send_growth(name, (lambda data: self._send_trees(pid, data)) if names_trees else None)
        for name in self._replaced:
            if is_last or self._packed.may_send():
                self._packed.send(name)

    def _list(self):
        try:
            changed = os.stat(self._folder.path).st_mtime_ns
            if changed == self._listed:
                return
            present = sorted(os.listdir(self._folder.path))
        except OSError:
            return
        self._listed = changed
        growing = [(name, _GROWING.match(name)) for name in present]
        self._growing = [(name, match.group(2), match.group(1) == "lines")
                         for name, match in growing if match is not None][:4 * _MOST_PROCESSES]
        self._replaced = [name for name in present if _REPLACED.match(name)][:4 * _MOST_PROCESSES]

    def _send_trees(self, pid, data):
        """Send the detailed snapshots that the records in `data` name."""
        for line in data.splitlines():
            try:
                tree = lean_json.loads(line.decode("utf-8")).get("tree")
            except (ValueError, AttributeError, RecursionError):
                continue
            if type(tree) is int and 0 <= tree < 10 ** 9 and self._trees < _MOST_TREES:
                self._trees += 1
                for side in ("before", "after"):
                    self._mirror.send_once("massif-lines/%s/%d.%s" % (pid, tree, side))
