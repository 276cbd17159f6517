"""What a `start` request asks of engine massif, checked."""
from .. import names

_MOST_LINES = 1000


class MassifSettings(object):
    """`threshold` in per cent, `depth` in frames, `lines` [(path relative to the project, line)]."""

    def __init__(self, request):
        values = names.field(request, "massif", dict)
        # 0 would keep every allocation's stack: files of gigabytes.
        self.threshold = self._number(values, "threshold", 0.001, 100)
        self.depth = int(self._number(values, "depth", 1, 200))
        self.pages_as_heap = names.field(values, "pages_as_heap", bool)
        self.gpu = names.field(values, "gpu", bool)
        self.frames = names.field(values, "frames", bool)
        self.checkpoint_s = self._number(values, "checkpoint_s", 1, 3600)
        self.max_hits = int(self._number(values, "max_hits", 0, 1000))
        self.lines = self._lines(names.field(values, "lines", list))

    @staticmethod
    def _number(values, name, low, high):
        value = names.field(values, name, (int, float))
        if not low <= value <= high:
            raise names.refuse(name, value)
        return value

    @staticmethod
    def _lines(listed):
        if len(listed) > _MOST_LINES:
            raise names.refuse("lines", listed)
        found = []
        for entry in listed:
            if not isinstance(entry, list) or len(entry) != 2:
                raise names.refuse("lines", entry)
            found.append((names.relative_path(entry[0], "lines"), names.whole_number(entry[1], "lines", 1)))
        return found

    def record(self, version):
        """`engine.massif` of run.json; `version` is valgrind's or None."""
        values = {"threshold": self.threshold, "depth": self.depth, "pages_as_heap": self.pages_as_heap,
                  "gpu": self.gpu, "max_hits": self.max_hits, "lines": self.lines}
        if version is not None:
            values["valgrind"] = version
        return values

    def spec(self, folder):
        """`massif` of spec.json; `folder` is where the process writes its files, without blanks and %."""
        return {"folder": folder, "frames": self.frames, "checkpoint_s": self.checkpoint_s,
                "max_hits": self.max_hits, "lines": self.lines}
