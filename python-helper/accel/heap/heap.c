/* A sampling allocation engine inside the process, to be preloaded: see chance.h for what is sampled and what that means,
 * log.h for what is kept of it.
 *
 * The names of malloc are ours, the work is done by whoever has them next: the C library's, or another allocator's. An
 * allocation that is not sampled costs a subtraction, one that is freed a look into a filter. It is never in the way: what
 * cannot be done is left out and noted.
 */
#include "gpu_find.h"
#include "loop.h"
#include "mappings.h"
#include "next.h"
#include "samples.h"

/* ---- the names ---- */

/* The rest of the library is compiled to be small, as few of its functions run often. */
#pragma GCC push_options
#pragma GCC optimize("O2")

SHOWN_NAME void *malloc(size_t size) {
    if (pass(size)) return next.malloc(size);
    void *p = next.malloc(size);
    sample(p, size);
    return p;
}

SHOWN_NAME void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (RARELY(__builtin_mul_overflow(count, size, &bytes)) || pass(bytes)) return next.calloc(count, size);
    void *p = next.calloc(count, size);
    sample(p, bytes);
    return p;
}

SHOWN_NAME void free(void *p) {
    Block b;
    if (RARELY(may_be_sampled(p)) && p) forget(p, &b);
    next.free(p);
}

/* A block that was made larger or smaller is a new one, on the line that did it. */
SHOWN_NAME void *realloc(void *p, size_t size) {
    Block b;
    bool was = RARELY(may_be_sampled(p)) && p && forget(p, &b);
    bool passed = pass(size);
    void *q = next.realloc(p, size);
    if (RARELY(was) && !q && size) put_back(&b);
    if (RARELY(!passed)) sample(q, size);
    return q;
}

SHOWN_NAME void *reallocarray(void *p, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, bytes);
}

SHOWN_NAME int posix_memalign(void **at, size_t alignment, size_t size) {
    bool passed = pass(size);
    int failed = next.posix_memalign(at, alignment, size);
    if (RARELY(!passed)) sample(failed ? NULL : *at, size);
    return failed;
}

static void *aligned(void *(*of)(size_t, size_t), size_t alignment, size_t size) {
    bool passed = pass(size);
    void *p = of(alignment, size);
    if (RARELY(!passed)) sample(p, size);
    return p;
}

SHOWN_NAME void *memalign(size_t alignment, size_t size) { return aligned(next.memalign, alignment, size); }
SHOWN_NAME void *aligned_alloc(size_t alignment, size_t size) { return aligned(next.aligned_alloc, alignment, size); }

/* Every allocator has these in its own way or not at all: by memalign they are whoever's the rest is. */
SHOWN_NAME void *valloc(size_t size) { return memalign(page_size(), size); }

SHOWN_NAME void *pvalloc(size_t size) {
    size_t page = page_size();
    if (size > SIZE_MAX - page) {
        errno = ENOMEM;
        return NULL;
    }
    return memalign(page, (size + page - 1) / page * page);
}

#pragma GCC pop_options

/* What was unloaded is not to be read any more. */
SHOWN_NAME int dlclose(void *handle) {
    if (!next.dlclose) next.dlclose = (void *)function_named("dlclose", true, NULL);
    __atomic_store_n(&codes_stale, 1, __ATOMIC_RELEASE);
    int failed = next.dlclose ? next.dlclose(handle) : -1;
    __atomic_store_n(&codes_stale, 1, __ATOMIC_RELEASE);
    return failed;
}

/* ---- other processes ---- */

static uint64_t forked;

static void before_fork(void) {
    if (here.inside) return; /* a signal's handler forks while we work */
    /* A child of a raw clone: the lock may be one that nobody here gives back. */
    if ((pid_t)syscall(SYS_getpid) != measured) return;
    here.inside = here.forks = 1;
    lock();
    forked++;
}

static void after_fork(void) {
    if (!here.forks) return;
    here.forks = 0;
    leave();
}

static void renew(void *table, size_t size) {
    if (syscall(SYS_madvise, table, size, MADV_DONTNEED)) /* of locked memory */
        map_pages(table, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
    syscall(SYS_madvise, table, size, MADV_NOHUGEPAGE);
}

/* Of what was mapped, what is only reserved: a forked child makes its own memory of it. */
static void keep_reserved(void) {
    int kept = 0;
    for (int i = 0; i < region_count; i++)
        if (regions[i].mean == RESERVED) regions[kept++] = regions[i];
    region_count = reserved_count = kept;
    size_t unit = 65536, used = ((size_t)kept * sizeof(Region) + unit - 1) / unit * unit; /* see IN_PAGES */
    renew((char *)regions + used, sizeof regions - used);
    region_pages = (uint32_t)(used / PAGE);
}

static void begin_tables(void) {
    renew(node_places, sizeof node_places);
    renew(blocks, sizeof blocks);
    renew(block_places, sizeof block_places);
    memset(sieve, 0, sizeof sieve);
    renew(filter, sizeof filter);
    renew(lately, sizeof lately);
    keep_reserved();
    block_count = blocks_used = free_block = thinner_blocks = thinner_regions = 0;
    block_pages = 0;
    memset(jetson_memprof_heap_taken, 0, sizeof jetson_memprof_heap_taken);
    memset(pending, 0, sizeof pending);
    has_pending = 0;
    memset(contexts, 0, sizeof contexts);
}

/* The child begins with nothing but address space: what its parent has is its parent's. */
static void in_child(void) {
    /* In the midst of a sample, which goes on when the handler returns and finds nothing there; or not measured before. */
    if (!here.forks) {
        if (log_at) map_pages(log_at, LOG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
        measured = 0;
        lock_word = 0; /* it may have been waiting for a thread that is not here */
        return;
    }
    if (log_at) syscall(SYS_munmap, log_at, LOG_BYTES);
    if (slots) syscall(SYS_munmap, slots, SLOTS_BYTES);
    log_at = NULL;
    slots = NULL;
    log_tries = 0;
    flags &= NOT_FIRST;
    gpu_seen = 0; /* its parent's CUDA is of no use to it */
    codes_stale = 1; /* its log knows none of them yet */
    begin_tables();
    here.id = 0;
    pid_t child = (pid_t)syscall(SYS_getpid);
    if (measured) measured = child;
    if (here.random) { /* not what its parent or its siblings draw */
        here.random = mixed(here.random + forked + (seed ? 0 : (uint64_t)child)) | 1;
        draw();
    }
    lock_word = 0;
    here.inside = here.forks = 0;
}

/* In all versions of the C library under this name; pthread_atfork is none of it. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
extern const char *gnu_get_libc_version(void) __attribute__((weak));
extern char **environ;

static const char *variable(const char *name) {
    size_t length = strlen(name);
    for (char **at = environ; at && *at; at++)
        if (!strncmp(*at, name, length) && (*at)[length] == '=') return *at + length + 1;
    return NULL;
}

static uint64_t decimal(const char *text) {
    uint64_t value = 0;
    for (; text && *text >= '0' && *text <= '9' && value < 1ull << 56; text++) value = value * 10 + (uint64_t)(*text - '0');
    return value;
}

static void find_next_code(void) {
    if (!open_lines("/proc/self/maps")) return;
    Mapping m;
    while (next_mapping(&m))
        if (m.start <= (uintptr_t)next.malloc && (uintptr_t)next.malloc < m.end) {
            next_from = m.start;
            next_to = m.end;
        }
    close_lines();
}

__attribute__((constructor)) static void begin(void) {
    if (next.malloc == resolve_malloc) resolve();
    find_loader();
    const char *place = variable("JETSON_MEMPROF_HEAP");
    size_t length = place ? strlen(place) : 0;
    /* With musl there is none: its own programs run as without us. */
    if (!length || place[0] != '/' || length >= sizeof folder || !gnu_get_libc_version || !__register_atfork) return;
    memcpy(folder, place, length);
    uint64_t wanted = decimal(variable("JETSON_MEMPROF_HEAP_MEAN"));
    if (wanted) mean = (double)(wanted < LEAST_MEAN ? LEAST_MEAN : wanted > MOST_MEAN ? MOST_MEAN : wanted);
    large = (size_t)mean;
    seed = decimal(variable("JETSON_MEMPROF_HEAP_SEED"));
    here.random = 0; /* what was allocated before was drawn without all this */
    here.left = 0;
    begin_tables();
    find_next_code();
    for (const struct link_map *object = first_object(); object && !is_own_object(object); object = object->l_next)
        if (in_object(object, "malloc")) flags |= NOT_FIRST; /* the program's own is asked, not ours */
    if (__register_atfork(before_fork, after_fork, in_child, &__dso_handle)) return;
    measured = (pid_t)syscall(SYS_getpid);
}

/* A small program that ran no Python of the project is not worth a file. */
enum { WORTH_BYTES = 1 << 20 };

__attribute__((destructor)) static void end(void) {
    if (!enter()) return;
    if (log_at) {
        HEAD->ended_ms = now_ms();
        HEAD->flags |= ENDED;
        if (!(HEAD->flags & HAS_LINES) && HEAD->peak_bytes < WORTH_BYTES && !HEAD->marks && !HEAD->gpu_calls) unlink(log_path);
    }
    leave();
}

/* ---- what may be called ---- */

/* The line engine's counters of this process are <stem>.cnt. Returns 0, or why this process is not sampled: 1: it was not
 * begun, 2: no log can be made, 3: that is no such file. Takes the memory that the tables need now, not on somebody's line. */
SHOWN_NAME int jetson_memprof_heap_lines(const char *stem) {
    if (!enter()) return 1;
    int result = 0;
    log_tries = 0;
    if (!has_log()) result = 2;
    else if (!map_slots(stem)) result = 3;
    else {
        memcpy(HEAD->counters, stem, strlen(stem) + 1);
        flag(HAS_LINES);
        if (!loop.to) find_loop();
        touch(node_places, sizeof node_places);
        touch(block_places, sizeof block_places);
        touch(filter, sizeof filter);
        touch(lately, sizeof lately);
        touch(rule_places, sizeof rule_places);
        touch(trails, sizeof trails);
        if (codes_stale) read_codes();
    }
    leave();
    return result;
}

/* What lives at this moment is kept, by stack. Whether there was room. */
SHOWN_NAME int jetson_memprof_heap_mark(const char *label) {
    if (!enter()) return 0;
    uint32_t before = has_log() ? HEAD->marks : MARKS;
    if (before < MARKS) take_mark(label ? label : "");
    int taken = before < MARKS && HEAD->marks > before;
    leave();
    return taken;
}
