"""Checks of what measuring costs while CUDA is up: bare and measured take turns; medians, and how far they spread."""
import os
import statistics
import time

from measuring import Unknown
from results import FAIL, UNKNOWN, figure

#: Times the bare run; and CPU microseconds that a short line takes beyond the bare one (as bench/torch/line_cost.py).
_BAR, _LINE_BAR_US = 1.05, 5
_LINES_A_TURN = 3
_HEAP = {"heap": {"mean": 512 << 10}}


def line(place):
    """CPU time that a line of a loop takes beyond the bare one while CUDA is up and nothing changes."""
    turns, more = ("20000" if place.rehearses else "200000"), _device(place)[1]
    added, bare = [], []
    for _ in _rounds(place, 2):
        alone = _seconds(place.bare("loop.py", turns, *more), "loop")
        bare.append(alone)
        added.append((_seconds(place.profiled("loop.py", turns, *more), "loop") - alone) / (int(turns) * _LINES_A_TURN) * 1e6)
    place.say("bare %.3f µs a line; spread of the rounds %.3f µs; %d rounds" % (
        statistics.median(bare) / (int(turns) * _LINES_A_TURN) * 1e6, _spread(added), len(added)))
    return _judged(place, [figure("a line beyond the bare one", round(statistics.median(added), 4), _LINE_BAR_US, unit="µs",
                                  relation="at most", because="the bar of bench/torch/line_cost.py")])


def lenet(place):
    return _net(place, "lenet", 400)


def resnet(place):
    return _net(place, "resnet", 60)


def _net(place, name, steps):
    """Median time of a training step: the rounds' medians, in turns bare, measured, and measured with native stacks."""
    device = _device(place)[0]
    arguments = (name, device, str(2 if place.rehearses else steps))
    ways = {"bare": [], "line engine": [], "with native stacks": []}
    for _ in _rounds(place, 3):
        ways["bare"].append(_seconds(place.bare("nets.py", *arguments), "step"))
        ways["line engine"].append(_seconds(place.profiled("nets.py", *arguments), "step"))
        ways["with native stacks"].append(_seconds(place.profiled("nets.py", *arguments, **_HEAP), "step"))
    place.say("; ".join("%s %.3f ms ± %.3f" % (way, statistics.median(times) * 1e3, _spread(times) * 1e3)
                        for way, times in ways.items()) + "; %d rounds" % len(ways["bare"]))
    bare = statistics.median(ways["bare"])
    noise = max(_spread(times) for times in ways.values()) / bare
    found = []
    for way in ("line engine", "with native stacks"):
        found.append(figure("a step with the " + way if way[0] == "l" else "a step " + way,
                            round(statistics.median(ways[way]) / bare, 4), _BAR, unit="×", relation="at most",
                            because="the bar of bench/heap/training.py"))
    return _judged(place, found, noise)


def _judged(place, figures, noise=0.0):
    """What is above its bar on a machine that does other work, or by less than the rounds spread, is not known."""
    for one in figures:
        busy = os.getloadavg()[0] > max(2, os.cpu_count() or 1)
        why = "only a GPU can say" if place.is_stand_in else None
        if one["state"] == FAIL and (busy or one["ours"] - one["theirs"] <= noise):
            why = "%.3g %s is above the bar, but %s" % (
                one["ours"], one["unit"], "the machine is busy" if busy else "the rounds spread by as much")
        if why is not None:
            one.update(state=UNKNOWN, why=why)
    return figures


def _device(place):
    """(device, further arguments of loop.py); on the CPU where what needs a GPU is only tried out."""
    if not place.is_stand_in:
        return "cuda", ()
    if not place.rehearses:
        raise Unknown("only a GPU can say")
    place.on_the_cpu()
    return "cpu", ("cpu",)


def _rounds(place, wanted):
    """At least one, at most so many, while there is time for another."""
    longest, began = 0.0, time.monotonic()
    for number in range(1 if place.rehearses else wanted):
        at = time.monotonic()
        if number and at - began + 1.2 * longest > place.seconds:
            return
        yield number
        longest = max(longest, time.monotonic() - at)


def _seconds(ended, name):
    return ended.note(name)["seconds"]


def _spread(figures):
    """Half of the range between the quartiles; of less than four rounds, of all."""
    ordered = sorted(figures)
    if len(ordered) < 4:
        return (ordered[-1] - ordered[0]) / 2
    return (ordered[3 * len(ordered) // 4] - ordered[len(ordered) // 4]) / 2
