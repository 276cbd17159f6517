"""What a `start` request asks of engine massif, checked."""
from .. import names


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
        self.lines = names.project_lines(names.field(values, "lines", list))

    @staticmethod
    def _number(values, name, low, high):
        value = names.field(values, name, (int, float))
        if not low <= value <= high:
            raise names.refuse(name, value)
        return value

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
