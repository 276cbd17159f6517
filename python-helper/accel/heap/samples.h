/* What is done at a sample, and when what was sampled goes. */
#pragma once
#include "chance.h"
#include "lines.h"
#include "log.h"
#include "table.h"
#include "unwind.h"

static char folder[400];
static int log_tries;

static OUT_OF_LINE void forget_pending(void) {
    __atomic_store_n(&has_pending, 0, __ATOMIC_SEQ_CST);
    for (int i = 0; i < PENDING; i++) {
        uint64_t address = __atomic_exchange_n(&pending[i], 0, __ATOMIC_SEQ_CST);
        Block b;
        if (address && take_block(address, &b) && log_at) charge_back(b.stack, weight_of(b.size, b.size, b.mean));
    }
}

/* False in a process that shares memory with ours or was made of it without our handlers: vfork and clone. */
static bool enter(void) {
    if (!measured || here.inside || (pid_t)syscall(SYS_getpid) != measured) return false;
    here.inside = 1;
    lock();
    if (RARELY(!measured)) { /* a signal's handler forked while we waited, and this is the child */
        unlock();
        here.inside = 0;
        return false;
    }
    if (RARELY(__atomic_load_n(&has_pending, __ATOMIC_ACQUIRE))) forget_pending();
    return true;
}

static void leave(void) {
    unlock();
    here.inside = 0;
}

/* Whether there is a log, or can be made. What fails is tried again, ever more rarely. */
static bool has_log(void) {
    if (log_at) return true;
    log_tries++;
    return (log_tries & (log_tries - 1)) == 0 && begin_log(folder, measured);
}

/* What the thread has open. */
typedef struct { uint64_t python[SHOWN + 1], native[DEPTH]; int lines, frames; } Open;

static void find_open(Open *o) {
    o->lines = open_python_lines(o->python);
    o->frames = unwind(o->native, o->lines > 0);
}

/* The node of all that is open; false: there is no room for it. */
static bool node_of(const Open *o, uint32_t *node) {
    *node = 0;
    for (int i = 0; i < o->lines; i++)
        if (!(*node = node_below(*node, o->python[i]))) return false;
    for (int i = o->frames - 1; i >= 0; i--)
        if (!(*node = node_below(*node, o->native[i]))) return false;
    return true;
}

/* Stacks that were met lately, by their keys' hash: else each of fifty frames is a look into a table that no cache holds. */
enum { LATELY = 1 << 12 };
static struct { uint64_t hash; uint32_t stack; } lately[LATELY] IN_PAGES;

static uint64_t with_keys(uint64_t hash, const uint64_t *keys, int count) {
    for (int i = 0; i < count; i++) {
        hash = (hash ^ keys[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static uint32_t stack_of_here(void) {
    Open o;
    uint32_t node;
    find_open(&o);
    uint64_t hash = mixed(with_keys(with_keys((uint64_t)o.lines, o.python, o.lines), o.native, o.frames));
    uint32_t at = (uint32_t)hash & (LATELY - 1);
    if (lately[at].hash != hash || !lately[at].stack) {
        lately[at].stack = node_of(&o, &node) ? stack_at(node) : 0;
        lately[at].hash = hash;
    }
    return lately[at].stack;
}

/* Whether this allocation, which did not pass, has a mark, drawn with the mean `of`. Draws the next one. */
static bool is_sampled(size_t size, double *of) {
    if (here.left >= 0) { /* it was not subtracted */
        *of = CERTAIN;
        return true;
    }
    if (!size) return false; /* in a signal's handler: the mark is that of what it interrupted */
    if (!here.random) {
        static uint64_t threads;
        uint64_t number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
        here.random = mixed(mixed(seed ? seed : (uint64_t)clock_ns(CLOCK_MONOTONIC)) + number) | 1;
        draw();
        here.left -= (int64_t)size;
        if (here.left >= 0) return false;
    }
    *of = here.mean;
    draw();
    return true;
}

/* Whether nothing is to be done about an allocation of this size. */
IN_LINE bool pass(size_t size) {
    if (RARELY(size >= large)) return false;
    here.left -= (int64_t)size;
    return !RARELY(here.left < 0);
}

static OUT_OF_LINE void sample(void *p, size_t size) {
    double of;
    if (!is_sampled(size, &of) || !p) return;
    int error = errno;
    if (!enter()) {
        errno = error;
        return;
    }
    if (has_log()) {
        Block b = {(uint64_t)(uintptr_t)p, size, of, stack_of_here(), 0}, old;
        if (take_block(b.address, &old)) charge_back(old.stack, weight_of(old.size, old.size, old.mean)); /* nobody told us */
        if (add_block(&b)) charge_new(b.stack, weight_of(size, size, b.mean));
        else HEAD->untracked++;
    }
    leave();
    errno = error;
}

static OUT_OF_LINE bool forget(void *p, Block *taken) {
    int error = errno;
    bool found = false;
    if (!enter()) {
        /* In a signal's handler that came while we had the lock: later. */
        for (int i = 0; i < PENDING && here.inside && (pid_t)syscall(SYS_getpid) == measured; i++) {
            uint64_t nothing = 0;
            if (__atomic_compare_exchange_n(&pending[i], &nothing, (uint64_t)(uintptr_t)p, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) break;
        }
        __atomic_store_n(&has_pending, 1, __ATOMIC_SEQ_CST);
    } else {
        found = take_block((uint64_t)(uintptr_t)p, taken);
        if (found && log_at) charge_back(taken->stack, weight_of(taken->size, taken->size, taken->mean));
        leave();
    }
    errno = error;
    return found;
}

static void put_back(const Block *b) {
    int error = errno;
    if (enter()) {
        if (log_at && add_block(b)) charge(b->stack, weight_of(b->size, b->size, b->mean));
        leave();
    }
    errno = error;
}
