/* The names of mmap and mprotect. What is mapped is a part of the address space, and may go in pieces. */
#pragma once
#include "next.h"
#include "samples.h"

static bool from_allocator(const void *caller) { return (uintptr_t)caller - next_from < next_to - next_from; }

/* A thread's stack is none of it: only before glibc 2.34 did its library of threads map that by our names. */
static bool counts(int how, const void *caller) {
    return how & MAP_ANONYMOUS && !(how & MAP_STACK) && measured && !here.inside && !from_allocator(caller);
}

/* Nobody asked to keep anything in what may not be touched: such a reservation is no memory yet. It is when it is made usable. */
static uint64_t reserved_from, reserved_to; /* all that was ever reserved lies between these */

static void widen_reserved(uint64_t start, uint64_t end) {
    bool is_first = !reserved_to;
    if (is_first || start < reserved_from) __atomic_store_n(&reserved_from, start, __ATOMIC_RELAXED);
    if (is_first || end > reserved_to) __atomic_store_n(&reserved_to, end, __ATOMIC_RELAXED);
}

/* Under the lock. */
static bool is_reserved(uint64_t address) {
    int at = region_at(address);
    return at < region_count && regions[at].start <= address && regions[at].mean == RESERVED;
}

static void add_reserved(uint64_t start, uint64_t end) {
    Region r = {start, end, end - start, RESERVED, 0};
    forget_range(start, end);
    if (add_region(&r)) widen_reserved(start, end);
}

static OUT_OF_LINE void reserve(void *p, size_t size) {
    int error = errno;
    if (enter()) {
        if (has_log()) add_reserved((uint64_t)(uintptr_t)p, (uint64_t)(uintptr_t)p + size);
        leave();
    }
    errno = error;
}

/* What of a reservation was not usable before is a mapping of its own. */
static OUT_OF_LINE void make_usable(uint64_t start, uint64_t end) {
    int error = errno;
    uint32_t stack = 0;
    if (!enter()) return;
    for (uint64_t next_one = start;;) {
        int at = region_at(next_one);
        if (at == region_count || regions[at].start >= end) break;
        Region r = regions[at];
        next_one = r.end;
        if (r.mean != RESERVED) continue;
        if (!has_log()) break;
        if (r.start < start) r.start = start;
        if (r.end > end) r.end = end;
        r.size = r.end - r.start;
        forget_range(r.start, r.end);
        if (pass(r.size) || !is_sampled(r.size, &r.mean)) continue;
        r.stack = stack = stack ? stack : stack_of_here();
        if (add_region(&r)) charge_new(stack, weight_of(r.size, r.size, r.mean));
        else HEAD->untracked++;
    }
    leave();
    errno = error;
}

static OUT_OF_LINE void sample_region(void *p, size_t size, double of) {
    int error = errno;
    if (enter()) {
        if (has_log()) {
            uint64_t start = (uint64_t)(uintptr_t)p;
            Region r = {start, start + size, size, of, stack_of_here()};
            forget_range(r.start, r.end);
            if (add_region(&r)) charge_new(r.stack, weight_of(size, size, of));
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
        forget_range((uint64_t)(uintptr_t)p, (uint64_t)(uintptr_t)p + size);
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
    if (how & MAP_FIXED && holds_code(p, size)) __atomic_store_n(&codes_stale, 1, __ATOMIC_RELEASE);
    if (how & MAP_FIXED && !here.inside) forget_mapped(p, size);
    double of;
    if (!counts(how, caller)) return p;
    if (protection == PROT_NONE) reserve(p, size);
    else if (!pass(size) && is_sampled(size, &of)) sample_region(p, size, of);
    return p;
}

SHOWN_NAME void *mmap(void *at, size_t size, int protection, int how, int fd, off_t offset) {
    return mapped(at, size, protection, how, fd, offset, __builtin_return_address(0));
}

SHOWN_NAME void *mmap64(void *at, size_t size, int protection, int how, int fd, off_t offset) {
    return mapped(at, size, protection, how, fd, offset, __builtin_return_address(0));
}

/* Where it may be touched no more its pages are there all the same, until they are unmapped or given up by madvise: so it
 * counts until it is unmapped, and is not counted again when it may. */
SHOWN_NAME int mprotect(void *p, size_t size, int protection) {
    int failed = (int)syscall(SYS_mprotect, p, size, protection);
    if (failed || !(protection & (PROT_READ | PROT_WRITE | PROT_EXEC))) return failed;
    uint64_t start = (uint64_t)(uintptr_t)p, end = start + in_pages(size);
    bool may_be_reserved = start < __atomic_load_n(&reserved_to, __ATOMIC_RELAXED) && end > __atomic_load_n(&reserved_from, __ATOMIC_RELAXED);
    if (RARELY(may_be_reserved) && !from_allocator(__builtin_return_address(0))) make_usable(start, end);
    return 0;
}

/* Before it is done: after that somebody else may have it. */
SHOWN_NAME int munmap(void *p, size_t size) {
    bool fails = !size || (uintptr_t)p & (page_size() - 1);
    bool is_code = !fails && holds_code(p, in_pages(size));
    if (!here.inside && !fails) forget_mapped(p, in_pages(size));
    int failed = (int)syscall(SYS_munmap, p, size);
    if (RARELY(is_code)) __atomic_store_n(&codes_stale, 1, __ATOMIC_RELEASE);
    return failed;
}

/* Whether what is mapped there is no file's. Under the lock. */
static bool is_anonymous(const void *p, bool *is_usable) {
    bool found = false;
    Mapping m;
    if (!open_lines("/proc/self/maps")) return false;
    while (!found && next_mapping(&m)) found = m.start <= (uintptr_t)p && (uintptr_t)p < m.end;
    found = found && m.path[0] != '/';
    *is_usable = found && m.readable;
    close_lines();
    return found;
}

/* Under the lock, as sample_growth. */
static void move_regions(uint64_t from, size_t old_size, uint64_t to, size_t size) {
    if (size < old_size) forget_range(from + size, from + old_size);
    if (from == to) return;
    forget_range(to, to + size);
    move_range(from, old_size, to);
    if (reserved_to) widen_reserved(to, to + size);
}

/* Under the lock too: what a reservation that ends there grows by. */
static void grow_reserved(uint64_t end, uint64_t now) {
    forget_range(end, now);
    regions[region_at(end - 1)].end = now;
    widen_reserved(end, now);
}

/* What a mapping grows by is an allocation of its own, on the line that did it. */
static void sample_growth(void *to, size_t old_size, size_t size, double of) {
    bool is_usable;
    if (!is_anonymous(to, &is_usable) || !has_log()) return;
    uint64_t start = (uint64_t)(uintptr_t)to;
    if (!is_usable) {
        add_reserved(start + old_size, start + size);
        return;
    }
    Region r = {start + old_size, start + size, size - old_size, of, stack_of_here()};
    forget_range(r.start, r.end);
    if (add_region(&r)) charge_new(r.stack, weight_of(r.size, r.size, r.mean));
    else HEAD->untracked++;
}

SHOWN_NAME void *mremap(void *from, size_t old_size, size_t size, int how, ...) {
    __builtin_va_list more;
    __builtin_va_start(more, how);
    void *wanted = how & MREMAP_FIXED ? __builtin_va_arg(more, void *) : NULL;
    __builtin_va_end(more);
    size_t before = in_pages(old_size), after = in_pages(size);
    /* As soon as it has moved, somebody else may map where it was. */
    bool is_held = __atomic_load_n(&region_count, __ATOMIC_RELAXED) && enter();
    void *to = (void *)syscall(SYS_mremap, from, old_size, size, how, wanted);
    int error = errno;
    double of = 0;
    uint64_t old_end = (uint64_t)(uintptr_t)to + before;
    if (is_held && to != MAP_FAILED) move_regions((uint64_t)(uintptr_t)from, before, (uint64_t)(uintptr_t)to, after);
    bool grows = to != MAP_FAILED && after > before && measured && !from_allocator(__builtin_return_address(0)) && (is_held || !here.inside);
    bool is_unusable = grows && is_held && before && is_reserved(old_end - 1);
    if (is_unusable) grow_reserved(old_end, old_end + (after - before));
    grows = grows && !is_unusable && !pass(after - before) && is_sampled(after - before, &of);
    bool may = is_held || (grows && enter());
    if (may && grows) sample_growth(to, before, after, of);
    if (may) leave();
    errno = error;
    return to;
}
