/* What all parts use: raw system calls, since the names of libc may be ours; a lock; what each thread has. */
#pragma once
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define RARELY(what) __builtin_expect(!!(what), 0)
#define SHOWN_NAME __attribute__((visibility("default")))
#define IN_LINE static inline __attribute__((always_inline))
#define OUT_OF_LINE __attribute__((noinline, cold))
/* Tables begin and end at pages of any size that Linux has, so that new zeroed pages can be put in their place. */
#define IN_PAGES __attribute__((aligned(65536)))

typedef struct {
    int64_t left;    /* bytes until the next mark, less than 0: past it, */
    double mean;     /* and what they were drawn with */
    uint64_t random; /* 0: the thread has asked for nothing yet */
    uintptr_t stack_low, stack_high;
    pid_t id; /* as the kernel counts threads; 0: not asked yet, or in another process */
    int32_t inside; /* in the sampler: what it calls may call malloc */
    int32_t forks;  /* and holds the lock for the fork that is under way */
    int32_t gpu;    /* in a call of CUDA that is recorded (1), or measured by the GPU's free memory (2) */
} Here;

/* Initial-exec: it is there before anybody runs, and reaching it calls nothing. The library is loaded at start only. */
static __thread Here here __attribute__((tls_model("initial-exec")));

static void *map_pages(void *at, size_t size, int protection, int flags, int fd) {
    return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, 0);
}

/* Those of libc are places where a thread that is to be cancelled ends, with the lock in its hands. */
static int open_file(const char *path, int how) { return (int)syscall(SYS_openat, AT_FDCWD, path, how | O_CLOEXEC, 0600); }
static void close_file(int fd) { syscall(SYS_close, fd); }

static pid_t measured; /* the process whose memory this is; 0: nothing is sampled */

/* Our own memory by the kernel, where it may not be mapped any more. How many bytes there were, from the first one on. */
static size_t read_memory(uint64_t at, void *into, size_t size) {
    static bool refused; /* by a container, an emulator, or a kernel without it */
    ssize_t got = -1;
    if (!refused) {
        struct iovec to = {into, size}, from = {(void *)(uintptr_t)at, size};
        got = syscall(SYS_process_vm_readv, measured, &to, 1, &from, 1, 0);
        refused = got < 0 && errno != EFAULT && errno != ENOMEM;
    }
    if (refused) {
        int memory = open_file("/proc/self/mem", O_RDONLY);
        if (memory < 0) return 0;
        got = syscall(SYS_pread64, memory, into, size, at);
        close_file(memory);
    }
    return got > 0 ? (size_t)got : 0;
}

static int64_t clock_ns(clockid_t clock) {
    struct timespec t = {0, 0};
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* 0: free, 1: held, 2: held and somebody waits */
static int lock_word;

static void lock(void) {
    int found = 0;
    if (__atomic_compare_exchange_n(&lock_word, &found, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    while (__atomic_exchange_n(&lock_word, 2, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, &lock_word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void) {
    if (__atomic_exchange_n(&lock_word, 0, __ATOMIC_RELEASE) == 2)
        syscall(SYS_futex, &lock_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static uint64_t mixed(uint64_t x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Reads a file of /proc by pieces and hands out its lines. One at a time, under the lock. */
typedef struct {
    int fd;
    size_t from, to;
    char text[8192];
} Lines;
static Lines lines_of;

static bool open_lines(const char *path) {
    lines_of.from = lines_of.to = 0;
    lines_of.fd = open_file(path, O_RDONLY);
    return lines_of.fd >= 0;
}

/* The next line, ended by 0; NULL after the last. One that is too long is cut. */
static char *next_line(void) {
    Lines *l = &lines_of;
    for (;;) {
        char *end = memchr(l->text + l->from, '\n', l->to - l->from);
        if (end) {
            char *line = l->text + l->from;
            *end = 0;
            l->from = (size_t)(end + 1 - l->text);
            return line;
        }
        memmove(l->text, l->text + l->from, l->to - l->from);
        l->to -= l->from;
        l->from = 0;
        if (l->to == sizeof l->text) l->to = 0;
        ssize_t got = syscall(SYS_read, l->fd, l->text + l->to, sizeof l->text - l->to);
        if (got <= 0) return NULL;
        l->to += (size_t)got;
    }
}

static void close_lines(void) { close_file(lines_of.fd); }

static uint64_t hexadecimal(char **at) {
    uint64_t value = 0;
    for (;; ++*at) {
        char c = **at;
        if (c >= '0' && c <= '9') value = value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f') value = value << 4 | (uint64_t)(c - 'a' + 10);
        else return value;
    }
}

/* One of /proc/self/maps. `path` is "" for anonymous memory. */
typedef struct {
    uint64_t start, end, offset;
    bool readable, runs;
    char *path;
} Mapping;

static bool next_mapping(Mapping *m) {
    char *at = next_line();
    if (!at) return false;
    m->start = hexadecimal(&at);
    at++;
    m->end = hexadecimal(&at);
    at++;
    m->readable = at[0] == 'r';
    m->runs = at[2] == 'x';
    at += 5;
    m->offset = hexadecimal(&at);
    for (int blanks = 0; *at && blanks < 3; at++) blanks += *at == ' ';
    while (*at == ' ') at++;
    m->path = at;
    return true;
}

/* The sampler's own memory that became resident while the program ran, in bytes: of the log, and of tables. It falls on
 * whoever's line is open then, so the line engine, which has this name, takes it away again. */
enum { IN_LOG, IN_TABLES, PAGE = 4096 };
SHOWN_NAME int64_t jetson_memprof_heap_taken[2];

/* `size` bytes that are there from now on. */
static void touch(void *at, size_t size) {
    for (size_t done = 0; done < size; done += PAGE) *((volatile char *)at + done) = *((volatile char *)at + done);
}

static void take_memory(int of, int64_t bytes) { __atomic_fetch_add(&jetson_memprof_heap_taken[of], bytes, __ATOMIC_RELAXED); }

/* Of a table that is used from its beginning on: `bytes` of it are, `pages` were so far. */
static void take_up_to(uint32_t *pages, size_t bytes) {
    for (; *pages * (size_t)PAGE < bytes; ++*pages) take_memory(IN_TABLES, PAGE);
}

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }
