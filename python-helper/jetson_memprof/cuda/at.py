"""Where a look at what is not RSS is taken."""


class At(object):
    """A thread's open lines in `stack`, [(file index, line, serial)], outermost first, the serial that of the execution;
    `before` is when the previous event was, in seconds of perf_counter, `shared` whether other threads have open lines too."""
    __slots__ = ("thread", "stack", "before", "shared")

    def __init__(self, thread, stack, before, shared):
        self.thread = thread
        self.stack = stack
        self.before = before
        self.shared = shared
