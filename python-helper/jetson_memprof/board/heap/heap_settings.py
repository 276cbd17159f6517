"""What a `start` request asks of the sampling allocation engine, checked."""
from .. import names
from ..errors import BoardError

LEAST_MEAN = 4 << 10
MOST_MEAN = 8 << 20
#: Of marked lines, in a process: each takes two of the marks that its log has room for.
MOST_EXECUTIONS = 48


def heap_settings(request, engine):
    """A HeapSettings, or None where the request asks for none."""
    values = names.field(request, "heap", dict, None, required=False)
    if values is None:
        return None
    if engine != "line":
        raise BoardError("needs-line-engine", "Native stacks are sampled beside the line engine only; this run asks for the "
                         "engine %s." % engine, "Choose the line engine, or leave the native stacks out.")
    return HeapSettings(values)


class HeapSettings(object):
    """`mean` is how many bytes are allocated between two samples, on average. `lines` [(path relative to the project, line)]
    are measured before and after, the first `max_hits` times that they run: fewer than were asked for where all of them
    have no room."""

    def __init__(self, values):
        self.mean = names.whole_number(values.get("mean"), "mean", LEAST_MEAN, MOST_MEAN)
        self.lines = names.project_lines(names.field(values, "lines", list, [], required=False))
        self._asked = names.whole_number(names.field(values, "max_hits", (int, float), 1, required=False), "max_hits", 1, 1000)
        self.max_hits = max(1, min(self._asked, MOST_EXECUTIONS // max(1, len(self.lines))))

    def note(self):
        """What is to be said where less is measured than was asked for, else None."""
        count = len(self.lines)
        if count > MOST_EXECUTIONS:
            what = "Of %d marked lines the first %d that run are measured, once each." % (count, MOST_EXECUTIONS)
        elif not count or self.max_hits >= self._asked:
            return None
        elif count == 1:
            what = "The marked line is measured the first %d times it runs." % self.max_hits
        elif self.max_hits == 1:
            what = "Each of %d marked lines is measured the first time it runs." % count
        else:
            what = "Each of %d marked lines is measured the first %d times it runs." % (count, self.max_hits)
        return "The native stacks of a process have room for %d executions of marked lines. %s" % (MOST_EXECUTIONS, what)

    def record(self):
        """`engine.heap` of run.json as it is before the start."""
        return dict({"mean": self.mean}, **self.spec().get("heap", {}))

    def spec(self):
        """What of it goes into spec.json."""
        return {"heap": {"max_hits": self.max_hits, "lines": self.lines}} if self.lines else {}
