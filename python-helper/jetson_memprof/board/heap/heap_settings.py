"""What a `start` request asks of the sampling allocation engine, checked."""
from .. import names
from ..errors import BoardError

LEAST_MEAN = 4 << 10
MOST_MEAN = 8 << 20


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
    """`mean` is how many bytes are allocated between two samples, on average."""

    def __init__(self, values):
        self.mean = names.whole_number(values.get("mean"), "mean", LEAST_MEAN, MOST_MEAN)

    def record(self):
        """`engine.heap` of run.json as it is before the start."""
        return {"mean": self.mean}
