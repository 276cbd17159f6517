/* A sampling allocation engine inside the process, to be preloaded: see chance.h for what is sampled and what that means,
 * log.h for what is kept of it.
 *
 * The names of malloc are ours, the work is done by whoever has them next: the C library's, or another allocator's. An
 * allocation that is not sampled costs a subtraction, one that is freed a look into a filter. It is never in the way: what
 * cannot be done is left out and noted.
 */
#include "base.h"
#include "chance.h"
#include "lines.h"
#include "log.h"
#include "modules.h"
#include "table.h"
#include "unwind.h"

#define SHOWN_NAME __attribute__((visibility("default")))

static pid_t measured; /* the process whose memory this is; 0: nothing is sampled */
static char folder[400];
static int log_tries;
static uintptr_t next_from, next_to; /* the code of whoever has malloc next: what it maps it hands out */

/* ---- who does the work ---- */

static void *resolve_malloc(size_t);
static void *resolve_calloc(size_t, size_t);
static void *resolve_realloc(void *, size_t);
static void resolve_free(void *);
static int resolve_posix_memalign(void **, size_t, size_t);
static void *resolve_memalign(size_t, size_t);

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*memalign)(size_t, size_t), *(*aligned_alloc)(size_t, size_t);
    int (*dlclose)(void *);
} next = {resolve_malloc, resolve_calloc, resolve_realloc, resolve_free, resolve_posix_memalign, resolve_memalign,
          resolve_memalign, NULL};

/* By the objects after ours, as dlsym(RTLD_NEXT) would: that one is in another library on older boards, and may call
 * calloc itself. */
static OUT_OF_LINE void resolve(void) {
    void *(*found_malloc)(size_t) = (void *)function_named("malloc", true, NULL);
    if (!found_malloc) {
        static const char text[] = "jetson-memprof: the program has no malloc that the heap sampler could use.\n";
        if (write(2, text, sizeof text - 1)) {}
        _exit(127);
    }
    next.calloc = (void *)function_named("calloc", true, NULL);
    next.realloc = (void *)function_named("realloc", true, NULL);
    next.free = (void *)function_named("free", true, NULL);
    next.posix_memalign = (void *)function_named("posix_memalign", true, NULL);
    next.memalign = (void *)function_named("memalign", true, NULL);
    next.aligned_alloc = (void *)function_named("aligned_alloc", true, NULL);
    next.dlclose = (void *)function_named("dlclose", true, NULL);
    if (!next.memalign) next.memalign = next.aligned_alloc;
    if (!next.aligned_alloc) next.aligned_alloc = next.memalign;
    next.malloc = found_malloc;
}

static void *resolve_malloc(size_t size) { resolve(); return next.malloc(size); }
static void *resolve_calloc(size_t count, size_t size) { resolve(); return next.calloc(count, size); }
static void *resolve_realloc(void *p, size_t size) { resolve(); return next.realloc(p, size); }
static void resolve_free(void *p) { resolve(); next.free(p); }
static int resolve_posix_memalign(void **p, size_t alignment, size_t size) {
    resolve();
    return next.posix_memalign(p, alignment, size);
}
static void *resolve_memalign(size_t alignment, size_t size) { resolve(); return next.memalign(alignment, size); }

/* ---- samples ---- */

/* False in a process that shares memory with ours or was made of it without our handlers: vfork and clone. */
static bool enter(void) {
    if (!measured || here.inside || (pid_t)syscall(SYS_getpid) != measured) return false;
    here.inside = 1;
    lock();
    for (int i = 0; i < PENDING; i++) {
        uint64_t address = __atomic_exchange_n(&pending[i], 0, __ATOMIC_RELAXED);
        Block b;
        if (address && take_block(address, &b) && log_at) charge_back(b.stack, weight_of(b.size, b.size, b.mean));
    }
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

static uint32_t stack_of_here(void) {
    uint64_t python[SHOWN + 1], native[DEPTH];
    int lines = open_python_lines(python), frames = unwind(native, lines > 0 && eval_to);
    uint32_t node = 0;
    for (int i = 0; i < lines; i++)
        if (!(node = node_below(node, python[i]))) return 0;
    for (int i = frames - 1; i >= 0; i--)
        if (!(node = node_below(node, native[i]))) return 0;
    return stack_at(node);
}

/* Whether this allocation, which has been subtracted, has a mark, drawn with the mean `of`. Draws the next one. */
static bool is_sampled(size_t size, double *of) {
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

/* Those above what an int64 could be brought below 0 with do not succeed, so they are not subtracted. */
static inline bool pass(size_t size) {
    if (RARELY((ptrdiff_t)size < 0)) return true;
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
            if (__atomic_compare_exchange_n(&pending[i], &nothing, (uint64_t)(uintptr_t)p, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
        }
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

/* ---- the names ---- */

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

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

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

/* ---- mappings ---- */

static bool from_allocator(const void *caller) { return (uintptr_t)caller - next_from < next_to - next_from; }

/* Nobody asked to keep anything in what may not be touched: such a reservation is no memory yet. */
static bool counts(int protection, int how, const void *caller) {
    return how & MAP_ANONYMOUS && protection != PROT_NONE && measured && !here.inside && !from_allocator(caller);
}

static OUT_OF_LINE void sample_region(void *p, size_t size, double of) {
    int error = errno;
    if (enter()) {
        if (has_log()) {
            uint64_t start = (uint64_t)(uintptr_t)p;
            Region r = {start, start + size, size, of, stack_of_here()};
            forget_range(r.start, r.end);
            if (add_region(&r)) charge_new(r.stack, weight_of_region(&r, size));
            else HEAD->untracked++;
        }
        leave();
    }
    errno = error;
}

static void forget_mapped(void *p, size_t size) {
    if (!__atomic_load_n(&region_count, __ATOMIC_RELAXED)) return;
    int error = errno;
    if (enter()) {
        if (log_at) forget_range((uint64_t)(uintptr_t)p, (uint64_t)(uintptr_t)p + size);
        leave();
    }
    errno = error;
}

static size_t in_pages(size_t size) {
    size_t page = page_size();
    return size > SIZE_MAX - page ? size : (size + page - 1) / page * page;
}

static void *mapped(void *at, size_t size, int protection, int how, int fd, off_t offset, const void *caller) {
    void *p = (void *)syscall(SYS_mmap, at, size, protection, how, fd, offset);
    if (p == MAP_FAILED) return p;
    size = in_pages(size);
    if (how & MAP_FIXED && !here.inside) forget_mapped(p, size);
    double of;
    if (counts(protection, how, caller) && !pass(size) && is_sampled(size, &of)) sample_region(p, size, of);
    return p;
}

SHOWN_NAME void *mmap(void *at, size_t size, int protection, int how, int fd, off_t offset) {
    return mapped(at, size, protection, how, fd, offset, __builtin_return_address(0));
}

SHOWN_NAME void *mmap64(void *at, size_t size, int protection, int how, int fd, off_t offset) {
    return mapped(at, size, protection, how, fd, offset, __builtin_return_address(0));
}

/* Before it is done: after that somebody else may have it. */
SHOWN_NAME int munmap(void *p, size_t size) {
    if (!here.inside) forget_mapped(p, in_pages(size));
    return (int)syscall(SYS_munmap, p, size);
}

/* Whether what is mapped there is no file's. Under the lock. */
static bool is_anonymous(const void *p) {
    bool found = false;
    Mapping m;
    if (!open_lines("/proc/self/maps")) return false;
    while (!found && next_mapping(&m)) found = m.start <= (uintptr_t)p && (uintptr_t)p < m.end;
    found = found && m.path[0] != '/';
    close_lines();
    return found;
}

/* What a mapping grows by is an allocation of its own, on the line that did it; where it was moved all go with it. */
static void remapped(void *from, size_t old_size, void *to, size_t size, const void *caller) {
    double of = 0;
    bool grows = size > old_size && measured && !from_allocator(caller) && !pass(size - old_size) &&
                 is_sampled(size - old_size, &of);
    if (!grows && !__atomic_load_n(&region_count, __ATOMIC_RELAXED)) return;
    int error = errno;
    if (enter()) {
        uint64_t start = (uint64_t)(uintptr_t)from, moved = (uint64_t)(uintptr_t)to;
        if (log_at && size < old_size) forget_range(start + size, start + old_size);
        if (log_at && from != to) move_range(start, old_size, moved);
        if (grows && is_anonymous(to) && has_log()) {
            Region r = {moved + old_size, moved + size, size - old_size, of, stack_of_here()};
            forget_range(r.start, r.end);
            if (add_region(&r)) charge_new(r.stack, weight_of_region(&r, r.size));
            else HEAD->untracked++;
        }
        leave();
    }
    errno = error;
}

SHOWN_NAME void *mremap(void *from, size_t old_size, size_t size, int how, ...) {
    __builtin_va_list more;
    __builtin_va_start(more, how);
    void *wanted = how & MREMAP_FIXED ? __builtin_va_arg(more, void *) : NULL;
    __builtin_va_end(more);
    void *to = (void *)syscall(SYS_mremap, from, old_size, size, how, wanted);
    if (to != MAP_FAILED && !here.inside) {
        if (how & MREMAP_FIXED) forget_mapped(to, in_pages(size));
        remapped(from, in_pages(old_size), to, in_pages(size), __builtin_return_address(0));
    }
    return to;
}

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
    map_pages(table, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
    syscall(SYS_madvise, table, size, MADV_NOHUGEPAGE);
}

static void begin_tables(void) {
    renew(node_places, sizeof node_places);
    renew(blocks, sizeof blocks);
    renew(block_places, sizeof block_places);
    renew(filter, sizeof filter);
    renew(regions, sizeof regions);
    block_count = blocks_used = free_block = thinner_blocks = thinner_regions = 0;
    region_count = 0;
    memset(pending, 0, sizeof pending);
}

/* The child begins with nothing: what its parent has is its parent's. */
static void in_child(void) {
    if (!here.forks) { /* in the midst of a sample, which goes on when the handler returns: it finds nothing there */
        if (log_at) map_pages(log_at, LOG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
        measured = 0;
        return;
    }
    if (log_at) syscall(SYS_munmap, log_at, LOG_BYTES);
    if (slots) syscall(SYS_munmap, slots, SLOTS_BYTES);
    log_at = NULL;
    slots = NULL;
    log_tries = 0;
    flags &= NOT_FIRST;
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
extern void *__dso_handle;
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
    const char *place = variable("JETSON_MEMPROF_HEAP");
    size_t length = place ? strlen(place) : 0;
    /* With musl there is none: its own programs run as without us. */
    if (!length || place[0] != '/' || length >= sizeof folder || !gnu_get_libc_version || !__register_atfork) return;
    memcpy(folder, place, length);
    uint64_t wanted = decimal(variable("JETSON_MEMPROF_HEAP_MEAN"));
    if (wanted) mean = (double)(wanted < LEAST_MEAN ? LEAST_MEAN : wanted > MOST_MEAN ? MOST_MEAN : wanted);
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
        if (!(HEAD->flags & HAS_LINES) && HEAD->peak_bytes < WORTH_BYTES && !HEAD->marks) unlink(log_path);
    }
    leave();
}

/* ---- what may be called ---- */

static void touch(void *table, size_t size) {
    for (size_t at = 0; at < size; at += 4096) *((volatile char *)table + at) = *((volatile char *)table + at);
}

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
        if (!eval_to) {
            uint64_t size = 0;
            eval_from = function_named("_PyEval_EvalFrameDefault", false, &size);
            eval_to = eval_from + size;
        }
        touch(node_places, sizeof node_places);
        touch(block_places, sizeof block_places);
        touch(filter, sizeof filter);
        if (codes_stale) read_codes();
    }
    leave();
    return result;
}

/* What lives at this moment is kept, by stack. */
SHOWN_NAME void jetson_memprof_heap_mark(const char *label) {
    if (!enter()) return;
    if (has_log()) take_mark(label ? label : "");
    leave();
}
