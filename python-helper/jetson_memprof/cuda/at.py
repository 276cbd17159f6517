"""Where a look at what is not RSS is taken."""

_ALL_THE_TIME = float("inf")


class At(object):
    """A thread's open lines in `stack`, [(file index, line, serial)], outermost first; the serial is that of the
    execution, and the time at which it began. `before` is when the previous event was, both in seconds of perf_counter,
    `shared` whether other threads have open lines too."""
    __slots__ = ("thread", "stack", "before", "shared")

    def __init__(self, thread, stack, before, shared):
        self.thread = thread
        self.stack = stack
        self.before = before
        self.shared = shared

    def doubtful_since(self, read_at, others):
        """{(file index, line): seconds}: how long after the reading at `read_at` each line began, of those that did. What
        moved in that time is in its net and may be that of lines before it. With `others`, as where it may be another
        thread's, it is all lines, and all the time."""
        found = {}
        if not self.stack:
            return found
        times = [began for _, _, began in self.stack]
        times[-1] = self.before  # what the innermost line took itself it took since then
        for (file, line, _), began in zip(self.stack, times):
            seconds = _ALL_THE_TIME if others else began - read_at
            if seconds > 0:
                found[file, line] = max(seconds, found.get((file, line), 0.0))
        return found
