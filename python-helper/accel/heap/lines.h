/* Which lines of Python the calling thread has open: the line engine has them in its counters file, in the slot of the
 * thread, for each of its threads. So nothing is added to what a line costs. jetson_memprof/engine/layout.py has the
 * shape of the file. */
#pragma once
#include "log.h"
#include <sys/stat.h>

enum {
    SLOTS_AT = 64, SLOT_WORDS = 48, SLOTS = 60, S_THREAD = 2, S_OUTER = 16, OUTER = 32, SHOWN = 23,
    H_MAGIC = 0, H_VERSION = 1, H_PID = 2, COUNTERS_VERSION = 4, CELL_WORDS = 9, FILE_SHIFT = 35, DEPTH_SHIFT = 22,
    SLOTS_BYTES = (SLOTS_AT + SLOT_WORDS * SLOTS) * 8
};
#define COUNTERS_MAGIC 0x31524E43504D4A
#define PYTHON_KEY (0xFFFFull << 48)

static const int64_t *slots; /* a mapping of our own: the engine's goes when it likes */

static bool map_slots(const char *stem) {
    char path[512];
    size_t length = strlen(stem);
    if (length > sizeof HEAD->counters - 1 || length > sizeof path - 5) return false;
    memcpy(path, stem, length);
    memcpy(path + length, ".cnt", 5);
    int fd = open_file(path, O_RDONLY);
    if (fd < 0) return false;
    struct stat file; /* of a shorter one the end may be mapped, but not read */
    bool is_whole = !syscall(SYS_fstat, fd, &file) && file.st_size >= SLOTS_BYTES;
    void *found = is_whole ? map_pages(NULL, SLOTS_BYTES, PROT_READ, MAP_SHARED, fd) : MAP_FAILED;
    close_file(fd);
    if (found == MAP_FAILED) return false;
    const int64_t *head = found;
    if (head[H_MAGIC] != COUNTERS_MAGIC || head[H_VERSION] != COUNTERS_VERSION || head[H_PID] != getpid()) {
        syscall(SYS_munmap, found, SLOTS_BYTES);
        return false;
    }
    if (slots) syscall(SYS_munmap, slots, SLOTS_BYTES);
    slots = found;
    return true;
}

static uint64_t key_of(int64_t word) {
    uint64_t file = (uint64_t)(word >> FILE_SHIFT) - 1, line = (uint64_t)(word & ((1 << DEPTH_SHIFT) - 1)) / CELL_WORDS;
    return word > 0 && file < 1ull << 28 && line ? PYTHON_KEY | file << 20 | line : 0;
}

/* The keys of the open lines, outermost first; at most SHOWN + 1. */
static int open_python_lines(uint64_t *keys) {
    if (!slots) return 0;
    if (!here.id) here.id = (pid_t)syscall(SYS_gettid);
    for (int i = 0; i < SLOTS; i++) {
        const int64_t *slot = slots + SLOTS_AT + i * SLOT_WORDS;
        int64_t word = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (!word || slot[S_THREAD] != here.id) continue;
        int count = 0, depth = (int)(word >> DEPTH_SHIFT & (2 * OUTER - 1));
        for (int at = depth - (depth < SHOWN ? depth : SHOWN); at <= depth; at++) {
            uint64_t key = key_of(at < depth ? slot[S_OUTER + at % OUTER] : word);
            if (key) keys[count++] = key;
        }
        return count;
    }
    return 0;
}
