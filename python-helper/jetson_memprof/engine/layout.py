"""Where each figure lies in a counters file. The writers (pure Python and C) and the reader agree here.

A counters file is a row of little-endian int64 words: a header, a fixed number of thread slots, then
segments that the index file beside it (`<name>.idx`, JSON lines) describes. Memory is counted in pages,
high-water marks in KiB; only the reader turns them into bytes. `accel/linetrace.c` repeats these numbers.
"""

MAGIC = 0x31524E43504D4A  # "JMPCNR1"
VERSION = 1

# Header words. H_HIGHEST is the highest mark in KiB that a line was charged with: the kernel's own is reset often.
H_MAGIC, H_VERSION, H_PID, H_PPID, H_KIND, H_STATE, H_PAGE, H_IMPLEMENTATION, H_ENGINE, H_PEAK, H_INDEX_LOST, H_HIGHEST = \
    range(12)
KINDS = ("main", "fork", "spawn")
STATE_RUNNING, STATE_FINISHED = 1, 2
IMPLEMENTATIONS = ("pure", "accelerator", "massif-lines", "massif-functions", "massif-plain")
ENGINES = ("line", "memory_profiler", "massif")

# Thread slots. S_AT is (file + 1) << 35 | line << 3 in one word, so that a reader never sees half of a change;
# 0 is an idle slot.
SLOTS_AT, SLOT_WORDS, SLOTS = 64, 16, 60
S_AT, S_RSS, S_NAME = 0, 1, 4
NAME_BYTES = (SLOT_WORDS - S_NAME) * 8
FILE_SHIFT = 35
HEADER_BYTES = (SLOTS_AT + SLOT_WORDS * SLOTS) * 8

# One cell per source line. C_MOVED counts the executions whose net was not zero: a line that only ever gave
# memory back has a negative largest increment, unless one of its executions moved nothing.
CELL_WORDS = 8
C_HITS, C_NET, C_SELF, C_MAX, C_PEAK, C_USAGE, C_UNCERTAIN, C_MOVED = range(CELL_WORDS)

# One cell per function, in the order in which they were first called.
FUNCTION_WORDS = 8
F_FILE, F_KEY, F_CALLS, F_TIME, F_NET, F_PEAK = range(6)
FUNCTIONS_PER_SEGMENT = 512

# Address space of one counters file; space on disk is reserved as it is used.
MAP_BYTES = 64 << 20
MAX_LINES = 400000
