"""Where each figure lies in a log of the heap sampler. `accel/heap/log.h` is what writes it."""
from struct import Struct

MAGIC, VERSION, LOG_BYTES, SUFFIX = b"JMPHEAP\0", 4, 8 << 20, ".heap"

#: What a process's environment says to the library.
FOLDER, MEAN, SEED = "JETSON_MEMPROF_HEAP", "JETSON_MEMPROF_HEAP_MEAN", "JETSON_MEMPROF_HEAP_SEED"
LEAST_MEAN, USUAL_MEAN, MOST_MEAN = 1 << 12, 1 << 19, 1 << 23

HEAD = Struct("<8sII16qII6I256s1024sq5q3q3I")
NO_ROOM, LOG_FULL, TABLE_FULL, NOT_FIRST, ENDED, HAS_LINES, SPARSER, SIZE_UNKNOWN, CONTEXT_UNKNOWN, CONTEXT_ENDED = (
    1 << bit for bit in range(10))
#: What of CUDA a process met; what a stack of it is; see log.h.
SEEN_RUNTIME, SEEN_DRIVER, SEEN_LIBRARY = 1, 2, 4
BY_CALL, BY_FREE_MEMORY, GPU_GROUP = 1, 2, 3

SNAPSHOTS_AT, SNAPSHOT, SNAPSHOTS = 4096, Struct("<qqqqq"), 240  # ms, bytes, variance, count, the GPU's bytes
MARKS_AT, MARK, MARKS = SNAPSHOTS_AT + SNAPSHOTS * SNAPSHOT.size, Struct("<qqqqII88s"), 96
MODULES_AT, MODULE, MODULES = 1 << 16, Struct("<QII"), 1024  # bias, path's place and length
#: Of a path with its identity; of three numbers with blanks.
MODULE_BYTES, IDENTITY_BYTES = 8192 + 80, 80
TEXT_AT, TEXT_BYTES = MODULES_AT + MODULES * MODULE.size, 192 << 10
DETAILS_AT, DETAIL, DETAILS = 512 << 10, Struct("<Ifq"), 96 << 10  # stack, variance, bytes
NODES_AT, NODE, NODES = 2 << 20, Struct("<QII"), 224 << 10  # key, parent, stack
STACKS_AT, STACK = 5632 << 10, Struct("<II3q3q4q")
STACKS = (LOG_BYTES - STACKS_AT) // STACK.size

#: What a program without lines of the project must have held to be shown.
WORTH_BYTES = 1 << 20


def is_worth(fields):
    """Whether a log with these fields of its head is to be shown."""
    return bool(fields[2] & HAS_LINES or fields[21] or fields[33] or fields[13] >= WORTH_BYTES)  # marks, calls of CUDA, the peak


#: What the variances are in, and of what the counts are parts.
VARIANCE_UNIT, COUNT_UNIT = 4096, 256

#: A node's key: the module's number (0: none) and the address in it, or Python's file and line.
MODULE_SHIFT, ADDRESS_MASK, PYTHON, FILE_SHIFT, LINE_MASK = 48, (1 << 48) - 1, 0xFFFF, 20, (1 << 20) - 1
#: Or a call of CUDA by its number, from GROUP on a kind; both with a GPU's number + 1, 0: it is not known, or there is none.
GPU, GROUP, CALL_MASK, GPU_SHIFT, GPU_MASK = 0xFFFE, 1 << 20, (1 << 12) - 1, 12, 255
#: More frames than a stack can have.
MOST_FRAMES = 128
