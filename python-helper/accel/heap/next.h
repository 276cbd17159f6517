/* Who does the work: whoever has the names of malloc next. */
#pragma once
#include "modules.h"

static uintptr_t next_from, next_to; /* the code of that one: what it maps it hands out */

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
