"""Where each figure lies in a counters file. The writers (pure Python and C) and the reader agree here.

A counters file is a row of little-endian int64 words: a header, a fixed number of thread slots, then
segments that the index file beside it (`<name>.idx`, JSON lines) describes. Memory is counted in pages,
high-water marks in KiB; only the reader turns them into bytes. `accel/linetrace.c` repeats these numbers.
"""

MAGIC = 0x31524E43504D4A  # "JMPCNR1"
VERSION = 4

# Header words. H_HIGHEST is the highest mark in KiB that a line was charged with: the kernel's own is reset often.
H_MAGIC, H_VERSION, H_PID, H_PPID, H_KIND, H_STATE, H_PAGE, H_IMPLEMENTATION, H_ENGINE, H_PEAK, H_INDEX_LOST, H_HIGHEST = \
    range(12)
# The rank that the process's launcher gave it, from 1 on, and how many there are; 0: none did.
H_RANK, H_RANKS = 12, 13
# Two places for what PyTorch's CUDA allocator said, written in turn: the later stamp counts, and a kill while one is
# being written leaves the other. A stamp is the monotonic clock in ns, 0: nothing there.
H_CUDA, CUDA_PLACES, CUDA_WORDS = 16, 2, 4
U_STAMP, U_ALLOCATED, U_RESERVED, U_PEAK = range(CUDA_WORDS)
# How PyTorch's CUDA allocator is read: 0 where it is not, else READ with the bits of what holds.
H_CUDA_READING = 24
READ, READ_BY_ASKING, READ_EXACT_PEAKS = 1, 2, 4
# Where CUDA's memory is, as CUDA says; 0: not known.
H_CUDA_IS_IN = 25
IN_BOARDS_RAM, IN_ITS_OWN = 1, 2
# An allocator snapshot is asked for by another number in the second word; the first says, by 1, that the process takes them.
H_SNAPSHOTS, H_ASKED = 62, 63
KINDS = ("main", "fork", "spawn")
STATE_RUNNING, STATE_FINISHED = 1, 2
IMPLEMENTATIONS = ("pure", "accelerator", "massif-lines", "massif-functions", "massif-plain", "memory_profiler")
ENGINES = ("line", "memory_profiler", "massif")

# Thread slots. S_AT is (file + 1) << 35 | depth << 22 | line << 3 in one word, so that a reader never sees half of a
# change, at whatever moment the process is killed; 0 is an idle slot. `depth` is how many lines of the thread are open
# further out (from 64 on, 32 and the rest by 32); the word of the one at depth d is at S_STACK + d % 32. Only the 23
# innermost of them count, so there is always a place to write to that does not count at that moment.
SLOTS_AT, SLOT_WORDS, SLOTS = 64, 48, 60
# S_THREAD is the thread as the kernel counts it, 0 where that is not known: the heap sampler looks for its slot by it.
S_AT, S_RSS, S_THREAD, S_NAME, S_STACK = 0, 1, 2, 4, 16
NAME_BYTES = (S_STACK - S_NAME) * 8
STACK_WORDS, STACK_SHOWN = 32, 23
FILE_SHIFT, DEPTH_SHIFT = 35, 22
CELL_MASK = (1 << DEPTH_SHIFT) - 1
HEADER_BYTES = (SLOTS_AT + SLOT_WORDS * SLOTS) * 8

# One cell per source line. C_MOVED counts the executions whose net was not zero: a line that only ever gave
# memory back has a negative largest increment, unless one of its executions moved nothing. C_PEAK_MOST is how high the
# peak can have been, where that is doubtful; it can have been as much lower.
CELL_WORDS = 9
C_HITS, C_NET, C_SELF, C_MAX, C_PEAK, C_USAGE, C_UNCERTAIN, C_MOVED, C_PEAK_MOST = range(CELL_WORDS)

# One cell per function, in the order in which they were first called.
FUNCTION_WORDS = 8
F_FILE, F_KEY, F_CALLS, F_TIME, F_NET, F_PEAK = range(6)
FUNCTIONS_PER_SEGMENT = 64

# Rows that are added as lines are first charged; R_FILE (0: not in use) is written last. Sizes are bytes, UNKNOWN is
# one that was never read. R_MOVED counts the executions during which a change was seen.
CUDA_ROW_WORDS = 16
R_FILE, R_LINE, R_NET, R_SELF, R_MAX, R_MOVED, R_PEAK, R_PEAK_MOST, R_RESERVED_NET, R_RESERVED_SELF, R_RESERVED_PEAK, \
    R_DEVICE_NET, R_UNCERTAIN = range(13)
SYSTEM_ROW_WORDS = 8
Y_FILE, Y_LINE, Y_NET, Y_SELF, Y_NVMAP_NET, Y_UNCERTAIN = range(6)
ROWS_PER_SEGMENT = 128
UNKNOWN = -1 << 63

# The phases of a process that uses PyTorch, in the order in which they came; P_PHASE (0: none yet) is written last.
# P_STAMP is the monotonic clock in ns; P_FILE is 0 where no line of the project was open.
PHASES = ("import-torch", "cuda", "to-device", "first-forward", "first-backward", "first-step", "steady")
PHASE_WORDS = 12
P_PHASE, P_STAMP, P_FILE, P_LINE, P_RSS, P_AVAILABLE, P_NVMAP, P_ALLOCATED, P_RESERVED, P_DEVICE_USED = range(10)

# Address space of one counters file; space on disk is reserved as it is used.
MAP_BYTES = 64 << 20
MAX_LINES = 400000  # (MAX_LINES + 1) * CELL_WORDS fits into CELL_MASK


def depth_bits(depth):
    return (depth if depth < 2 * STACK_WORDS else depth % STACK_WORDS + STACK_WORDS) << DEPTH_SHIFT
