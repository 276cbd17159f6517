"""The frame evaluator with landing pads: makes each Python frame a frame of the native stack, with a name of its own.

Python calls `hook` for each frame; it calls the interpreter's own evaluator with the landing pad of the frame's code as
return address. All pads do the same, so moving that address to another one changes what valgrind shows and nothing else.
"""
import ctypes
import mmap
import os
import sys
from _thread import allocate_lock, get_ident
from _weakref import ref

from . import machine, thread_state

_API = ctypes.pythonapi
_word = ctypes.c_uint64.from_address
#: A code entry's key once its code object is gone (as the machine code's `forget` writes it); no object lies there.
_GONE = 1
_ARENA_BYTES = 1 << 20
#: How _miss()'s argument is handed over: an object.
_MISS_FORMAT = ctypes.create_string_buffer(b"O")

OLD = sys.version_info < (3, 9)


def write_library(folder):
    """Write the library for this machine and Python to `folder`, unless it is there. Returns its path.

    The supervisor does so beforehand: under valgrind it takes seconds, and its memory would be the script's first peak.
    Raises OSError, machine.Unsupported.
    """
    path = os.path.join(folder, "python-frames-%s.so" % ("old" if OLD else "new"))
    if not os.path.exists(path):
        from . import elf
        part = "%s.%d" % (path, os.getpid())
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o700)
        with open(fd, "wb") as file:
            file.write(elf.library(machine.this_machine()[0], OLD))
        os.rename(part, path)
    return path


class Library(object):
    """The library of machine code in `folder`: `code` and `data` are addresses, `machine` describes what differs.

    Raises OSError where it cannot be written or loaded, machine.Unsupported.
    """

    def __init__(self, folder):
        self.machine_name, self.machine = machine.this_machine()
        self._library = ctypes.CDLL(write_library(folder))
        self.code = ctypes.cast(self._library.pyhook, ctypes.c_void_p).value
        self.data = self.code + machine.DATA


def load_library(folders):
    """The Library in the first of `folders` that may hold one: some file systems forbid to run what lies there."""
    refusal = None
    for folder in folders:
        try:
            return Library(folder)
        except OSError as error:
            refusal = error
    raise refusal


class Pads(object):
    """`offsets` is a probe.Offsets. `describe(code)` gives (number of its name, lines (first, count) or None, whether it
    is shown as its caller)."""

    def __init__(self, library, offsets, describe):
        self._library = library
        self._describe = describe
        self._pads_at = library.code + machine.PADS + machine.return_offset(library.machine_name)
        self._codes_at = library.data + machine.CODES_AT
        # By entry. All of it now: one that grew would be the program's on the line that it grew in.
        self._references = [None] * machine.CODE_ENTRIES
        self._entries = 0
        self._lock = allocate_lock()
        self._describing = set()  # threads
        self._codes = ()
        self._pending = []  # code objects first called by describe()
        self._arena = None
        self._arena_used = _ARENA_BYTES
        self._arenas = []
        self.tables = {}  # id(code) -> address of its line table, also of code that is gone
        self._words = (ctypes.c_uint64 * 0x200).from_address(library.data)
        self._code_words = (ctypes.c_uint64 * (machine.CODE_ENTRIES * machine.CODE_ENTRY_WORDS)).from_address(
            self._codes_at)
        self._default = ctypes.cast(_API._PyEval_EvalFrameDefault, ctypes.c_void_p).value
        self._slot = _evaluator_slot(self._default)
        self._callback = kept(self._miss)
        # No Python: an exception that a signal's handler raised in it would be lost.
        self._forget = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(library.code + machine.FORGET)
        words = self._words
        words[machine.D_DEFAULT] = self._default
        for word, function in ((machine.D_LINE_NUMBER, _API.PyFrame_GetLineNumber), (machine.D_CALL, _API.PyObject_CallFunction),
                               (machine.D_MATCHES, _API.PyErr_ExceptionMatches), (machine.D_CLEAR, _API.PyErr_Clear)):
            words[word] = ctypes.cast(function, ctypes.c_void_p).value
        words[machine.D_NONE], words[machine.D_RECURSION_ERROR] = id(None), id(RecursionError)
        words[machine.D_MISS_FORMAT] = ctypes.addressof(_MISS_FORMAT)
        words[machine.D_CODE_AT] = offsets.code_at
        words[machine.D_POSITION_AT] = offsets.position_at
        words[machine.D_FRAME_AT] = offsets.frame_at
        words[machine.D_GENERIC:machine.D_GENERIC + 4] = (0, self.address(0), 0, 0)
        words[machine.D_GET_STATE] = thread_state.get_state() if OLD else 0
        caller_at, caller_in = thread_state.caller(offsets.frame_at) or (0, -1)
        words[machine.D_CALLER_AT], words[machine.D_CALLER_IN] = caller_at, ctypes.c_uint64(caller_in).value

    def address(self, number):
        """Where an evaluator returns to for the pad of that number."""
        return self._pads_at + number * machine.PAD_BYTES

    def is_pad(self, address):
        return self.address(0) <= address <= self.address(machine.PAD_COUNT - 1)

    def install(self):
        self.know(self._miss.__code__)  # which otherwise would call itself
        self._words[machine.D_MISS] = id(self._callback)
        self._slot.set(self._library.code)

    def uninstall(self):
        """Put the interpreter's own evaluator back, unless another tool has put its own in place, which may still call
        ours."""
        self._words[machine.D_MISS] = 0
        if self._slot.get() == self._library.code:
            self._slot.set(self._default)

    def forget_all(self):
        for reference in filter(None, self._references):
            ctypes.memset(reference._as_parameter_, 0, machine.CODE_ENTRY_WORDS * 8)
        self._references = []
        self._entries = 0

    def reopen_in_child(self):
        """After a fork: the lines' counters are others now, so each line is looked up again."""
        self._lock = allocate_lock()
        self._describing.clear()
        del self._pending[:]
        for table in self.tables.values():
            ctypes.memset(table + 16, 0, _word(table + 8).value * 32)

    def know(self, code):
        """Enter `code` now instead of at its first call. Returns whether there was room."""
        number, lines, as_caller = self._describe(code)
        with self._lock:
            entry = self._entry_for(id(code))
            if entry is None:
                return False
            words, at = self._code_words, entry * machine.CODE_ENTRY_WORDS
            if words[at] != id(code):
                table = self._make_table(*lines) if lines else 0
                reference = self._references[entry] = _CodeReference(code, self._forget)
                reference._as_parameter_ = self._codes_at + at * 8
                if table:
                    self.tables[id(code)] = table
                words[at:at + 4] = (id(code), self.address(number), table, as_caller)
        return True

    def know_for_good(self, codes, number):
        """Enter code objects that stay, under one name: what measuring takes is shown as the profiler's own."""
        words, address = self._code_words, self.address(number)
        for code in codes:
            at = self._entry_for(id(code))
            if at is not None:
                at *= machine.CODE_ENTRY_WORDS
                words[at:at + 4] = (id(code), address, 0, 0)
        self._codes = codes

    def _miss(self, code):
        """Called by the machine code. Returns None where `code` has an entry now."""
        me = get_ident()
        if me in self._describing:
            self._pending.append(code)
            return False
        self._describing.add(me)
        try:
            known = self.know(code)
            while self._pending:
                self.know(self._pending.pop())
            return None if known else False
        except BaseException as error:  # at the limit of the recursion or of memory: it is tried again at the next call
            if is_of_program(error):
                raise
            return False
        finally:
            self._describing.discard(me)

    def _entry_for(self, key):
        """The entry that `key` has, or else a free one; None where they are used up."""
        # An eighth stays free, so that looking for what is not there ends soon.
        if self._entries >= machine.CODE_ENTRIES * 7 // 8:
            return None
        words, at, free = self._code_words, key >> 4, None
        while True:
            at &= machine.CODE_ENTRIES - 1
            held = words[at * machine.CODE_ENTRY_WORDS]
            if held == key:
                return at
            if held == _GONE and free is None:
                free = at
            if not held:
                self._entries += free is None
                return at if free is None else free
            at += 1

    def _make_table(self, first, count):
        size = (2 + 4 * count) * 8
        if self._arena_used + size > _ARENA_BYTES:
            # Mapped, not allocated: massif counts the program's own heap. Private: a forked child's lines count elsewhere.
            chunk = mmap.mmap(-1, max(_ARENA_BYTES, size), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            self._arenas.append(chunk)
            self._arena = ctypes.addressof(ctypes.c_char.from_buffer(chunk))
            self._arena_used = 0
        address = self._arena + self._arena_used
        self._arena_used += size
        _word(address).value, _word(address + 8).value = first, count
        return address


def kept(function):
    """`function`, never freed: a thread may need it while the interpreter ends."""
    _API.Py_IncRef(ctypes.py_object(function))
    return function


def is_of_program(error):
    """Whether an exception that came up in here is that of a signal's handler, which belongs to the program."""
    if isinstance(error, (RecursionError, MemoryError)):
        return False
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    package = trace.tb_frame.f_globals.get("__package__") or ""
    return isinstance(error, KeyboardInterrupt) or not package.startswith("jetson_memprof")


class _CodeReference(ref):
    """Its callback is a ctypes function, which takes `_as_parameter_`, an address, instead of it."""
    __slots__ = ("_as_parameter_",)


class _FunctionSlot(object):
    """The interpreter's evaluator through the functions that Python 3.9 and later have for it."""

    def __init__(self):
        _API.PyInterpreterState_Get.restype = ctypes.c_void_p
        self._interpreter = ctypes.c_void_p(_API.PyInterpreterState_Get())
        _API._PyInterpreterState_GetEvalFrameFunc.restype = ctypes.c_void_p
        _API._PyInterpreterState_SetEvalFrameFunc.restype = None

    def get(self):
        return _API._PyInterpreterState_GetEvalFrameFunc(self._interpreter)

    def set(self, function):
        _API._PyInterpreterState_SetEvalFrameFunc(self._interpreter, ctypes.c_void_p(function))


class _MemorySlot(object):
    """The interpreter's evaluator where it lies in the interpreter's state, for Python 3.6 to 3.8."""

    WORDS = 512

    def __init__(self, default):
        _API.PyInterpreterState_Head.restype = ctypes.c_void_p
        state = _API.PyInterpreterState_Head()
        for at in range(0, self.WORDS * 8, 8):
            self._cell = _word(state + at)
            if self._cell.value == default:
                return
        raise machine.Unsupported("the place of its frame evaluator was not found")

    def get(self):
        return self._cell.value

    def set(self, function):
        self._cell.value = function


def _evaluator_slot(default):
    slot = _MemorySlot(default) if OLD else _FunctionSlot()
    if slot.get() != default:
        raise machine.Unsupported("another tool has put its own frame evaluator in place")
    return slot
