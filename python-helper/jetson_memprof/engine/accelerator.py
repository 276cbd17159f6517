"""The C accelerator, an extension module: found by its manifest, checked by hash and by trial."""
import os
import sys
from _frozen_importlib import ModuleSpec
from _imp import create_dynamic
from _struct import pack

from . import layout
from .. import built
from ..cuda.at import At
from ..cuda.watch import WATCHED_BYTES
from ..tried import has_global_lock
from .mapped import raise_descriptor
from .meter import code_to_map
from .readings import gate_and_price, pool_sizes
from .registry import CONTINUES, INLINE_NAMES
from .threads import thread_name

_FOLDER = built.FOLDER
_MODULE = __package__ + ".linetrace"
_TRIAL = "<accelerator trial>"
#: Bit of what C is answered of a code object: it is not measured, and a phase begins with it.
_PHASE = 8
#: Such a bit too: nothing of its file is measured.
_NOT_MEASURED = 16
#: A time that does not come, in seconds.
_NEVER = 1e9


class Refused(Exception):
    """Why the accelerator is not used; its text says what can be done about it."""


class AcceleratedTracer(object):
    """Same interface and same figures as `settrace.SettraceTracer`. Raises Refused where it cannot be sure of that."""

    implementation = "accelerator"

    def __init__(self, registry, meter, exact, beside):
        if not has_global_lock():
            raise Refused("this Python runs without a global lock, which the accelerator relies on.")
        if hasattr(sys, "getobjects"):
            raise Refused("this Python keeps a list of all objects, for which the accelerator is not built.")
        self._registry = registry
        self._library = _checked_library()
        self._beside = beside
        code_offset, lasti_offset = _frame_offsets(self._library)
        gate, price = gate_and_price(exact)
        file, offset = meter.counts > 0 and code_to_map(pool_sizes(meter.counts)[1]) or (-1, 0)
        try:
            refusal = self._library.configure(self._classify, self._look, code_offset, lasti_offset, meter.statm, meter.clear,
                                              meter.status, meter.page_kib, round(gate * 1e9), round(price * 1e9),
                                              meter.peak, meter.counts, meter.kept_of_mark, file, offset)
        finally:
            if file >= 0:
                os.close(file)
        if refusal is not None:
            raise Refused(refusal)
        self._trial_source = None
        self._interrupted = False
        self._try_out()
        self._place()

    def start(self):
        self._library.rebase()
        self._tell(0)
        self._registry.new_threads.trace(self._enter_thread)
        self._library.thread(self._enter_thread, b"MainThread", 0)

    def stop(self):
        """Returns whether this thread was still measured: False where the program put another tracer in place."""
        self._registry.new_threads.stop()
        measured = sys.gettrace() == self._enter_thread
        if measured:
            sys.settrace(None)
        self._library.stop()
        return measured

    def reopen_in_child(self):
        self._place()
        for source in self._registry.sources():
            self._place_source(source)
        for function in self._registry.functions():
            self._place_function(function)
        self._library.child()
        self._tell(0)

    def _enter_thread(self, frame, event, arg):
        """The first event of a thread; also of one whose tracer was put back by a program that had replaced it."""
        name = thread_name().encode("utf-8", "replace")
        if self._library.thread(self._enter_thread, name, id(frame)):
            self._interrupted = True

    def interrupted(self):
        """Whether another tracer was there for a while."""
        return self._interrupted

    def _place(self):
        self._library.counters(self._registry.counters.view)

    def _place_source(self, source):
        self._library.file(source.index, source.offset, source.statement_of, source.resumed)
        marked = self._registry.marked
        if marked is not None and source.marked:
            lines = b"".join(pack("qii", cell, line, 0) for cell, line in sorted(source.marked.items()))
            self._library.marks(source.index, lines, marked.hits, marked.room)

    def _place_function(self, function):
        self._library.function(function.number, function.offset)

    def _classify(self, code, at):
        """Called by C for each code object it meets first; the answer's bits are described there."""
        if self._trial_source is not None:
            return 1 if code.co_filename == _TRIAL else 0
        registry = self._registry
        known = registry.files.get(code.co_filename)
        if known is None:
            known = registry.source_file(code.co_filename)
            if known:
                self._place_source(known)
        if known is False:
            return _NOT_MEASURED
        if not known:
            return _PHASE if known.enter(code) else 0
        if code.co_name in INLINE_NAMES:
            return 0
        new = (code.co_firstlineno, code.co_name) not in known.functions
        function = registry.function(known, code, at)
        if new and function.number >= 0:
            self._place_function(function)
        resumes = function.resumes_after is not None and function.resumes_after != CONTINUES
        continues = function.resumes_after == CONTINUES
        return 1 | resumes << 1 | continues << 2 | known.index << 8 | (function.number + 1) << 32

    def _look(self, thread, lines, before, shared):
        """Called by C with the thread's open lines, int64 (file, cell, when it began in ns) of each; see beside.Beside.look."""
        words = memoryview(lines).cast("q") if lines else ()
        stack = [(words[at], words[at + 1] // layout.CELL_WORDS, words[at + 2] * 1e-9) for at in range(0, len(words), 3)]
        counters = self._registry.counters
        used = counters.used
        self._beside.look(At(thread, stack, before * 1e-9, bool(shared)))
        self._tell(counters.used - used)

    def _tell(self, taken):
        """C learns when to look again and at which places; `taken` are bytes of counters made meanwhile."""
        watch = self._beside.watch
        places = watch.places
        addresses = pack("%dq" % len(places), *[place.address for place in places])
        seen = b"".join(place.seen.ljust(WATCHED_BYTES, b"\0") for place in places)
        self._library.look(max(1, int(min(self._beside.next_look, _NEVER) * 1e9)), watch.descriptor, addresses, seen, taken)

    def _try_out(self):
        """Measure a function whose hits are known. Raises Refused where they come out differently."""
        source = "def trial(n):\n i = 0\n while i < n:\n  i += 1\n return (i +\n  0)\n"
        scope = {}
        exec(compile(source, _TRIAL, "exec"), scope)
        statements = pack("7i", 0, 1, 2, 3, 4, 5, 5)
        counters = bytearray(layout.HEADER_BYTES + 7 * layout.CELL_WORDS * 8)
        self._trial_source = source
        self._library.counters(counters)
        self._library.file(0, layout.HEADER_BYTES, statements, b"")
        self._library.rebase()
        self._library.thread(self._enter_thread, b"trial", 0)
        scope["trial"](5)
        sys.settrace(None)
        self._trial_source = None
        words = memoryview(counters).cast("q")
        hits = words[layout.HEADER_BYTES // 8 + layout.C_HITS::layout.CELL_WORDS].tolist()
        idle = words[layout.SLOTS_AT] == 0
        if hits != [0, 0, 1, 6, 5, 1, 0] or not idle:
            raise Refused("its trial run on Python %s counted %r." % (sys.version.split()[0], hits))


def _checked_library():
    """The library for this machine, loaded after its bytes were compared with the manifest."""
    try:
        path, file = built.open_library("libraries", _FOLDER)
    except built.NotBuilt as error:
        raise Refused(str(error))
    with file:
        return _load(path, file.fileno())


def _load(path, fd):
    """Load what the descriptor has open, whatever bears its name by now; `path` is for people."""
    high = raise_descriptor(os.dup(fd))
    try:
        # Spelt as nobody else does: the loader takes two libraries of one name for one.
        return create_dynamic(ModuleSpec(_MODULE, None, origin="/proc/self/fd/./%d" % high))
    except ImportError as error:
        raise Refused("%s cannot be loaded (%s)." % (path, error))
    finally:
        os.close(high)


def _frame_offsets(library):
    """Where a frame keeps its code (up to 3.8) and its last instruction (up to 3.10); 0 where a function tells.

    Found by comparing a generator's frame with what Python says of it at several moments; more than one match, or
    none, is refused.
    """
    if sys.version_info >= (3, 11):
        return 0, 0

    def steps():
        yield 1
        yield len(str(2))
        for value in (3, 4):
            yield value

    generator = steps()
    frame = generator.gi_frame
    size = min(sys.getsizeof(frame), 512)
    unit = 2 if sys.version_info >= (3, 10) else 1
    codes = lastis = None
    for _ in generator:
        memory = library.peek(frame, size)
        pointers = {at for at in range(16, size - 7, 8)
                    if int.from_bytes(memory[at:at + 8], sys.byteorder) == id(frame.f_code)}
        numbers = {at for at in range(16, size - 3, 4)
                   if int.from_bytes(memory[at:at + 4], sys.byteorder, signed=True) == frame.f_lasti // unit}
        codes = pointers if codes is None else codes & pointers
        lastis = numbers if lastis is None else lastis & numbers
    if len(codes) != 1 or len(lastis) != 1:
        raise Refused("the frames of Python %s are not laid out as expected." % sys.version.split()[0])
    return (codes.pop() if sys.version_info < (3, 9) else 0), lastis.pop()
