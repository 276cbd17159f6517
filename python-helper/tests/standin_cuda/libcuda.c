/* A stand-in for the CUDA driver's library: it hands out addresses of a GPU that is not there, and knows how much it has.
 * A context takes 150 MiB, a module 40 MiB. Like the driver's, cuGetProcAddress hands out functions that are not those of
 * the names, and cuMemGetInfo needs a context. While something is captured, as between capture_begins and capture_ends, it
 * is taken for unsafe: by a thread that has not said that it is relaxed about that, it spoils the capture. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { M = 1 << 20, BLOCKS = 1 << 16, NOT_FOUND = 500, INVALID = 1, OUT_OF_MEMORY = 2, NO_CONTEXT = 201 };
#define TOTAL (4096ull * M)
#define SHOWN __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { uint64_t at, size; } blocks[BLOCKS];
static uint64_t held, next_at = 1ull << 40, primary;
static int retained;
static __thread uint64_t current;
enum { NOT_WHILE_CAPTURED = 900, SPOILT = 901, RELAXED = 2 };
static int is_captured, is_spoilt;
static __thread int capture_mode;

static int take(uint64_t *made, uint64_t size) {
    int result = OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS && size && held + size <= TOTAL; i++) {
        if (blocks[i].at) continue;
        *made = next_at;
        next_at += (size + 511) / 512 * 512;
        blocks[i].at = *made;
        blocks[i].size = size;
        held += size;
        result = 0;
        break;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static int give(uint64_t at) {
    int result = INVALID;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS; i++) {
        if (!at || blocks[i].at != at) continue;
        held -= blocks[i].size;
        blocks[i].at = 0;
        result = 0;
        break;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* Each by its name, and by another function that cuGetProcAddress hands out. */
#define BOTH(name, shape, body) static int inner_##name shape body SHOWN int name shape body
BOTH(cuInit, (unsigned flags), { return 0; })
BOTH(cuMemGetInfo_v2, (size_t *left, size_t *total), {
    if (is_captured && capture_mode != RELAXED) {
        is_spoilt = 1;
        return NOT_WHILE_CAPTURED;
    }
    if (!current) return NO_CONTEXT;
    *left = TOTAL - held;
    *total = TOTAL;
    return 0;
})
BOTH(cuThreadExchangeStreamCaptureMode, (int *mode), {
    int before = capture_mode;
    capture_mode = *mode;
    *mode = before;
    return 0;
})
SHOWN void capture_begins(void) { is_captured = 1; is_spoilt = 0; }
SHOWN int capture_ends(void) { is_captured = 0; return is_spoilt ? SPOILT : 0; }
BOTH(cuCtxSetCurrent, (uint64_t context), { current = context; return 0; })
BOTH(cuDevicePrimaryCtxRetain, (uint64_t *made, int device), {
    int failed = retained++ ? 0 : take(&primary, 150 * M);
    *made = primary;
    return failed;
})
BOTH(cuCtxCreate_v2, (uint64_t *made, unsigned flags, int device), {
    int failed = take(made, 150 * M);
    if (!failed) current = *made;
    return failed;
})
BOTH(cuCtxCreate_v4, (uint64_t *made, void *how, unsigned flags, int device), {
    if (how != (void *)7) return INVALID;
    int failed = take(made, 150 * M);
    if (!failed) current = *made;
    return failed;
})
BOTH(cuCtxDestroy_v2, (uint64_t context), { return give(context); })
BOTH(cuModuleLoadData, (uint64_t *made, const void *image), { return take(made, 40 * M); })
BOTH(cuModuleUnload, (uint64_t module), { return give(module); })
BOTH(cuLibraryLoadData, (uint64_t *made, const void *code, void *a, void *b, unsigned c, void *d, void *e, unsigned f), { return f == 9 ? take(made, 40 * M) : INVALID; })
BOTH(cuMemAlloc_v2, (uint64_t *made, size_t size), { return take(made, size); })
BOTH(cuMemAllocPitch_v2, (uint64_t *made, size_t *pitch, size_t width, size_t height, unsigned each), {
    *pitch = (width + 511) / 512 * 512;
    return take(made, *pitch * height);
})
BOTH(cuMemAllocAsync, (uint64_t *made, size_t size, void *stream), { return stream == (void *)1 ? INVALID : take(made, size); })
BOTH(cuMemAllocAsync_ptsz, (uint64_t *made, size_t size, void *stream), { return stream == (void *)1 ? take(made, size) : INVALID; })
BOTH(cuMemAllocFromPoolAsync, (uint64_t *made, size_t size, void *pool, void *stream), { return take(made, size); })
BOTH(cuMemAllocManaged, (uint64_t *made, size_t size, unsigned flags), { return take(made, size); })
BOTH(cuMemAllocHost_v2, (void **made, size_t size), { return (*made = malloc(size)) ? 0 : OUT_OF_MEMORY; })
BOTH(cuMemHostAlloc, (void **made, size_t size, unsigned flags), { return (*made = malloc(size)) ? 0 : OUT_OF_MEMORY; })
BOTH(cuMemFreeHost, (void *at), { free(at); return 0; })
BOTH(cuMemCreate, (uint64_t *made, size_t size, const void *how, unsigned long long flags), { return take(made, size); })
BOTH(cuMemRelease, (uint64_t handle), { return give(handle); })
BOTH(cuMemMap, (uint64_t at, size_t size, size_t offset, uint64_t handle, unsigned long long flags), { return at && size && !offset && !flags ? 0 : INVALID; })
BOTH(cuMemUnmap, (uint64_t at, size_t size), { return at && size ? 0 : INVALID; })
BOTH(cuMemFree_v2, (uint64_t at), { return give(at); })
BOTH(cuMemFreeAsync, (uint64_t at, void *stream), { return give(at); })
typedef struct { size_t width, height; uint32_t format, channels; } Array;
typedef struct { size_t width, height, depth; uint32_t format, channels, flags; } Array3D;
BOTH(cuArrayCreate_v2, (uint64_t *made, const Array *a), { return take(made, 4 * a->width * (a->height ? a->height : 1) * a->channels); })
BOTH(cuArray3DCreate_v2, (uint64_t *made, const Array3D *a), { return take(made, 4 * a->width * (a->height ? a->height : 1) * (a->depth ? a->depth : 1) * a->channels); })
BOTH(cuArrayDestroy, (uint64_t array), { return give(array); })

static int found(const char *name, void **function, int version, uint64_t flags) {
    static const struct { const char *name; int from; uint64_t flags; void *function; } all[] = {
#define ROW(name, asked, from, flags) {asked, from, flags, (void *)inner_##name},
#define PLAIN(name) ROW(name, #name, 0, 0)
#define SECOND(name) ROW(name##_v2, #name, 3020, 0)
        PLAIN(cuInit) SECOND(cuMemGetInfo) PLAIN(cuCtxSetCurrent) PLAIN(cuDevicePrimaryCtxRetain) ROW(cuCtxCreate_v4, "cuCtxCreate", 12050, 0)
        SECOND(cuCtxCreate) SECOND(cuCtxDestroy) PLAIN(cuModuleLoadData) PLAIN(cuModuleUnload) PLAIN(cuLibraryLoadData) SECOND(cuMemAlloc)
        SECOND(cuMemAllocPitch) ROW(cuMemAllocAsync_ptsz, "cuMemAllocAsync", 11020, 2) PLAIN(cuMemAllocAsync) PLAIN(cuMemAllocFromPoolAsync)
        PLAIN(cuMemAllocManaged) SECOND(cuMemAllocHost) PLAIN(cuMemHostAlloc) PLAIN(cuMemFreeHost) PLAIN(cuMemCreate) PLAIN(cuMemRelease)
        PLAIN(cuMemMap) PLAIN(cuMemUnmap)
        SECOND(cuMemFree) PLAIN(cuMemFreeAsync) SECOND(cuArrayCreate) SECOND(cuArray3DCreate) PLAIN(cuArrayDestroy)
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, name) || version < all[i].from || (all[i].flags & flags) != all[i].flags) continue;
        *function = all[i].function;
        return 0;
    }
    *function = NULL;
    return NOT_FOUND;
}

SHOWN int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) { return found(name, function, version, flags); }

SHOWN int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
    int failed = found(name, function, version, flags);
    if (status) *status = failed ? 1 : 0;
    return 0; /* as the driver's */
}
