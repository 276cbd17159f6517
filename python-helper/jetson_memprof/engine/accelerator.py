"""The C accelerator: found by its manifest, checked by hash and by trial, driven through ctypes."""
import ctypes
import json
import os
import sys
import threading

from . import layout
from ..cuda.beside import At
from ..cuda.watch import WATCHED_BYTES
from .pure import thread_name
from .registry import CONTINUES, INLINE_NAMES

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "accel")
_CLASSIFY = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.py_object, ctypes.c_int)
_TRIAL = "<accelerator trial>"
#: Bit of what C is answered of a code object: it is not measured, and a phase begins with it.
_PHASE = 8
#: A time that does not come, in seconds.
_NEVER = 1e9


class Refused(Exception):
    """Why the accelerator is not used; its text says what can be done about it."""


class _Settings(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in (
        "code_offset", "lasti_offset", "statm_fd", "clear_fd", "status_fd", "page_kib", "exact", "peak", "batches")]


class AcceleratedTracer(object):
    """Same interface and same figures as `settrace.SettraceTracer`. Raises Refused where it cannot be sure of that."""

    implementation = "accelerator"

    def __init__(self, registry, meter, exact, beside):
        if "t" in getattr(sys, "abiflags", "") or not getattr(sys, "_is_gil_enabled", lambda: True)():
            raise Refused("this Python runs without a global lock, which the accelerator relies on.")
        self._registry = registry
        self._library = _load(_checked_library())
        self._callback = _CLASSIFY(self._classify)
        self._beside = beside
        self._looking = self._look  # C does not keep it alive
        code_offset, lasti_offset = _frame_offsets()
        settings = _Settings(code_offset, lasti_offset, meter.statm, meter.clear, meter.status, meter.page_kib,
                             exact, meter.peak, meter.sync is not None)
        if self._library.jmp_configure(ctypes.byref(settings), self._callback, self._looking) != 0:
            raise Refused("Python %s lacks functions that it needs." % sys.version.split()[0])
        self._trial_source = None
        self._interrupted = False
        self._try_out()
        self._place()

    def start(self):
        self._library.jmp_rebase()
        self._tell(0)
        threading.settrace(self._enter_thread)
        self._library.jmp_thread(self._enter_thread, b"MainThread", None)

    def stop(self):
        """Returns whether this thread was still measured: False where the program put another tracer in place."""
        threading.settrace(None)
        measured = sys.gettrace() == self._enter_thread
        if measured:
            sys.settrace(None)
        self._library.jmp_stop()
        return measured

    def reopen_in_child(self):
        self._place()
        for source in self._registry.sources():
            self._place_source(source)
        for function in self._registry.functions():
            self._place_function(function)
        self._library.jmp_child()
        self._tell(0)

    def _enter_thread(self, frame, event, arg):
        """The first event of a thread; also of one whose tracer was put back by a program that had replaced it."""
        name = thread_name().encode("utf-8", "replace")
        if self._library.jmp_thread(self._enter_thread, name, id(frame)):
            self._interrupted = True

    def interrupted(self):
        """Whether another tracer was there for a while."""
        return self._interrupted

    def _place(self):
        view = self._registry.counters.view
        self._mapped = ctypes.c_char.from_buffer(view)  # keeps the mapping where C writes
        self._base = ctypes.addressof(self._mapped)
        self._library.jmp_header(self._base)

    def _place_source(self, source):
        statements, count = source.statement_of.buffer_info()
        if self._library.jmp_file(source.index, self._base + source.offset, statements, count - 1) != 0:
            raise MemoryError("no memory for %s" % source.path)

    def _place_function(self, function):
        if self._library.jmp_function(function.number, self._base + function.offset) != 0:
            raise MemoryError("no memory for a function's totals")

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
        if not known:
            return _PHASE if known is not False and self._beside.enter(known, code) else 0
        if code.co_name in INLINE_NAMES:
            return 0
        new = (code.co_firstlineno, code.co_name) not in known.functions
        function = registry.function(known, code, at)
        if new and function.number >= 0:
            self._place_function(function)
        resumes = function.resumes_after is not None and function.resumes_after != CONTINUES
        continues = function.resumes_after == CONTINUES
        return 1 | resumes << 1 | continues << 2 | known.index << 8 | (function.number + 1) << 32

    def _look(self, thread, address, count, before, shared):
        """Called by C with the thread's open lines, (file, cell, serial) of each; see beside.Beside.look."""
        words = (ctypes.c_int64 * (3 * count)).from_address(address)[:] if count else []
        stack = [(words[at], words[at + 1] // layout.CELL_WORDS, words[at + 2]) for at in range(0, 3 * count, 3)]
        counters = self._registry.counters
        used = counters.used
        self._beside.look(At(thread, stack, before * 1e-9, bool(shared)))
        self._tell(counters.used - used)

    def _tell(self, taken):
        """C learns when to look again and at which places; `taken` are bytes of counters made meanwhile."""
        watch = self._beside.watch
        places = watch.places
        addresses = (ctypes.c_int64 * len(places))(*[place.address for place in places])
        seen = b"".join(place.seen.ljust(WATCHED_BYTES, b"\0") for place in places)
        self._library.jmp_look(max(1, int(min(self._beside.next_look, _NEVER) * 1e9)), watch.descriptor, len(places),
                               addresses, seen, taken)

    def _try_out(self):
        """Measure a function whose hits are known. Raises Refused where they come out differently."""
        source = "def trial(n):\n i = 0\n while i < n:\n  i += 1\n return (i +\n  0)\n"
        scope = {}
        exec(compile(source, _TRIAL, "exec"), scope)
        statements = (ctypes.c_int32 * 7)(0, 1, 2, 3, 4, 5, 5)
        cells = (ctypes.c_int64 * (7 * layout.CELL_WORDS))()
        head = (ctypes.c_int64 * (layout.HEADER_BYTES // 8))()
        self._trial_source = source
        self._library.jmp_header(ctypes.addressof(head))
        self._library.jmp_file(0, ctypes.addressof(cells), ctypes.addressof(statements), 6)
        self._library.jmp_rebase()
        self._library.jmp_thread(self._enter_thread, b"trial", None)
        scope["trial"](5)
        sys.settrace(None)
        self._trial_source = None
        hits = list(cells[layout.C_HITS::layout.CELL_WORDS])
        idle = head[layout.SLOTS_AT] == 0
        if hits != [0, 0, 1, 6, 5, 1, 0] or not idle:
            raise Refused("its trial run on Python %s counted %r." % (sys.version.split()[0], hits))


def _checked_library():
    """The path of the library for this machine, after its bytes were compared with the manifest."""
    machine = os.uname().machine
    try:
        with open(os.path.join(_FOLDER, "manifest.json"), "rb") as file:
            entries = json.loads(file.read().decode("utf-8"))["libraries"]
        entry = next((entry for entry in entries if entry["machine"] == machine), None)
        if entry is None:
            raise Refused("it was not built for %s." % machine)
        path = os.path.join(_FOLDER, os.path.basename(entry["file"]))
        with open(path, "rb") as file:
            digest = _sha256(file.read())
        if digest != entry["sha256"]:
            raise Refused("%s is not the file that was built (its SHA-256 differs); install the helper again." % path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refused("no usable build of it is in %s (%s)." % (_FOLDER, error))
    return path


def _sha256(data):
    try:
        from _sha256 import sha256  # hashlib would load OpenSSL into the user's process
    except ImportError:
        try:
            from _sha2 import sha256
        except ImportError:
            from hashlib import sha256
    return sha256(data).hexdigest()


def _load(path):
    try:
        library = ctypes.PyDLL(path)
        pointer, i32 = ctypes.c_void_p, ctypes.c_int32
        for name, result, arguments in (
                ("jmp_configure", ctypes.c_int, (pointer, _CLASSIFY, ctypes.py_object)),
                ("jmp_rebase", None, ()),
                ("jmp_header", None, (pointer,)),
                ("jmp_file", ctypes.c_int, (i32, pointer, pointer, i32)),
                ("jmp_function", ctypes.c_int, (i32, pointer)),
                ("jmp_thread", ctypes.c_int, (ctypes.py_object, ctypes.c_char_p, pointer)),
                ("jmp_look", None, (ctypes.c_int64, i32, i32, pointer, ctypes.c_char_p, ctypes.c_int64)),
                ("jmp_stop", None, ()),
                ("jmp_child", None, ())):
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise Refused("%s cannot be loaded (%s)." % (path, error))
    return library


def _frame_offsets():
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
        memory = ctypes.string_at(id(frame), size)
        pointers = {at for at in range(16, size - 7, 8)
                    if int.from_bytes(memory[at:at + 8], sys.byteorder) == id(frame.f_code)}
        numbers = {at for at in range(16, size - 3, 4)
                   if int.from_bytes(memory[at:at + 4], sys.byteorder, signed=True) == frame.f_lasti // unit}
        codes = pointers if codes is None else codes & pointers
        lastis = numbers if lastis is None else lastis & numbers
    if len(codes) != 1 or len(lastis) != 1:
        raise Refused("the frames of Python %s are not laid out as expected." % sys.version.split()[0])
    return (codes.pop() if sys.version_info < (3, 9) else 0), lastis.pop()
