/* A stand-in for the CUDA driver's library: it hands out addresses of GPUs that are not there (STAND_IN_GPUS of them, else
 * one), and knows how much each has. A context takes 150 MiB, a module 40 MiB; what was allocated in one goes with it. Where
 * nothing is held any more, addresses begin anew. Like the driver's, cuGetProcAddress hands out functions that are not those of
 * the names, and cuMemGetInfo needs a context. While something is captured, as between capture_begins and capture_ends, it
 * is taken for unsafe: by a thread that has not said that it is relaxed about that, it spoils the capture. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { M = 1 << 20, BLOCKS = 1 << 16, NOT_FOUND = 500, INVALID = 1, OUT_OF_MEMORY = 2, NO_CONTEXT = 201 };
#define TOTAL (4096ull * M)
#define SHOWN __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { uint64_t at, size, context; int device; } blocks[BLOCKS];
enum { GPUS = 4, CONTEXTS = 64 };
static uint64_t held[GPUS], next_at = 1ull << 40;
static struct { uint64_t at; int device; } contexts[CONTEXTS];
static struct { uint64_t context; int retained; } primaries[GPUS];
static __thread uint64_t current;
enum { NOT_WHILE_CAPTURED = 900, SPOILT = 901, RELAXED = 2 };
static int is_captured, is_spoilt;
static __thread int capture_mode;

static int gpus(void) {
    static const char name[] = "STAND_IN_GPUS=";
    for (char **at = environ; *at; at++) /* getenv may be another's */
        if (!strncmp(*at, name, sizeof name - 1)) return atoi(*at + sizeof name - 1);
    return 1;
}

static int device_of(uint64_t context) {
    for (int i = 0; i < CONTEXTS; i++)
        if (context && contexts[i].at == context) return contexts[i].device;
    return -1;
}

static int take_of(uint64_t *made, uint64_t size, int device, uint64_t context) {
    int result = OUT_OF_MEMORY;
    if (device < 0) return NO_CONTEXT;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS && size && held[device] + size <= TOTAL; i++) {
        if (blocks[i].at) continue;
        uint64_t all = 0;
        for (int j = 0; j < GPUS; j++) all += held[j];
        if (!all) next_at = 1ull << 40;
        *made = next_at;
        next_at += (size + 511) / 512 * 512;
        blocks[i].at = *made;
        blocks[i].size = size;
        blocks[i].context = context;
        blocks[i].device = device;
        held[device] += size;
        result = 0;
        break;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static int take(uint64_t *made, uint64_t size) { return take_of(made, size, device_of(current), current); }
/* By a pool, which is the GPU's. */
static int take_pooled(uint64_t *made, uint64_t size) { return take_of(made, size, device_of(current), 0); }

static int give(uint64_t at) {
    int result = INVALID;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS; i++) {
        if (!at || blocks[i].at != at) continue;
        held[blocks[i].device] -= blocks[i].size;
        blocks[i].at = 0;
        result = 0;
        break;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static int make_context(uint64_t *made, int device) {
    if (device < 0 || device >= gpus()) return INVALID;
    for (int i = 0; i < CONTEXTS; i++) {
        if (contexts[i].at) continue;
        int failed = take_of(made, 150 * M, device, 0);
        if (!failed) contexts[i].at = *made;
        contexts[i].device = device;
        return failed;
    }
    return OUT_OF_MEMORY;
}

/* Called when one has gone, before the call that ended it returns. */
SHOWN void (*when_gone)(void);

static int end_context(uint64_t context) {
    for (int i = 0; i < BLOCKS; i++)
        if (context && blocks[i].context == context) give(blocks[i].at);
    for (int i = 0; i < CONTEXTS; i++)
        if (contexts[i].at == context) contexts[i].at = 0;
    if (current == context) current = 0;
    int failed = give(context);
    if (when_gone) when_gone();
    return failed;
}

static int end_primary(int device) {
    uint64_t context = primaries[device].context;
    primaries[device].context = primaries[device].retained = 0;
    return context ? end_context(context) : 0;
}

typedef struct { int type, handles, location, device; } Properties;
static int take_physical(uint64_t *made, uint64_t size, const Properties *how) {
    return take_of(made, size, how && how->location == 1 ? how->device : device_of(current), 0);
}

/* What another process takes of the GPU while this one retains a primary context. */
SHOWN uint64_t others_take;

/* Each by its name, and by another function that cuGetProcAddress hands out. */
#define BOTH(name, shape, body) static int inner_##name shape body SHOWN int name shape body
BOTH(cuInit, (unsigned flags), { return 0; })
BOTH(cuMemGetInfo_v2, (size_t *left, size_t *total), {
    if (is_captured && capture_mode != RELAXED) {
        is_spoilt = 1;
        return NOT_WHILE_CAPTURED;
    }
    if (device_of(current) < 0) return NO_CONTEXT;
    *left = TOTAL - held[device_of(current)];
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
    if (device < 0 || device >= gpus()) return INVALID;
    held[device] += others_take;
    int failed = primaries[device].retained++ ? 0 : make_context(&primaries[device].context, device);
    *made = primaries[device].context;
    return failed;
})
static int release(int device) {
    if (device < 0 || device >= gpus() || !primaries[device].retained) return INVALID;
    return --primaries[device].retained ? 0 : end_primary(device);
}
BOTH(cuDevicePrimaryCtxRelease, (int device), { return release(device); })
BOTH(cuDevicePrimaryCtxRelease_v2, (int device), { return release(device); })
BOTH(cuDevicePrimaryCtxReset, (int device), { return device < 0 || device >= gpus() ? INVALID : end_primary(device); })
BOTH(cuDevicePrimaryCtxReset_v2, (int device), { return device < 0 || device >= gpus() ? INVALID : end_primary(device); })
SHOWN int private_reset(int device) { return end_primary(device); }
BOTH(cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active), {
    if (device < 0 || device >= gpus()) return INVALID;
    *active = primaries[device].retained > 0;
    return 0;
})
BOTH(cuDeviceGetCount, (int *count), { *count = gpus(); return 0; })
BOTH(cuCtxGetCurrent, (uint64_t *context), { *context = current; return 0; })
BOTH(cuCtxGetDevice, (int *device), { *device = device_of(current); return *device < 0 ? NO_CONTEXT : 0; })
BOTH(cuCtxCreate_v2, (uint64_t *made, unsigned flags, int device), {
    int failed = make_context(made, device);
    if (!failed) current = *made;
    return failed;
})
BOTH(cuCtxCreate_v4, (uint64_t *made, void *how, unsigned flags, int device), {
    if (how != (void *)7) return INVALID;
    int failed = make_context(made, device);
    if (!failed) current = *made;
    return failed;
})
BOTH(cuCtxDestroy_v2, (uint64_t context), { return device_of(context) < 0 ? INVALID : end_context(context); })
BOTH(cuModuleLoadData, (uint64_t *made, const void *image), { return take(made, 40 * M); })
BOTH(cuModuleUnload, (uint64_t module), { return give(module); })
BOTH(cuLibraryLoadData, (uint64_t *made, const void *code, void *a, void *b, unsigned c, void *d, void *e, unsigned f), { return f == 9 ? take(made, 40 * M) : INVALID; })
BOTH(cuMemAlloc_v2, (uint64_t *made, size_t size), { return take(made, size); })
BOTH(cuMemAllocPitch_v2, (uint64_t *made, size_t *pitch, size_t width, size_t height, unsigned each), {
    *pitch = (width + 511) / 512 * 512;
    return take(made, *pitch * height);
})
BOTH(cuMemAllocAsync, (uint64_t *made, size_t size, void *stream), { return stream == (void *)1 ? INVALID : take_pooled(made, size); })
BOTH(cuMemAllocAsync_ptsz, (uint64_t *made, size_t size, void *stream), { return stream == (void *)1 ? take_pooled(made, size) : INVALID; })
BOTH(cuMemAllocFromPoolAsync, (uint64_t *made, size_t size, void *pool, void *stream), { return take_pooled(made, size); })
BOTH(cuMemAllocManaged, (uint64_t *made, size_t size, unsigned flags), { return take(made, size); })
BOTH(cuMemAllocHost_v2, (void **made, size_t size), { return (*made = malloc(size)) ? 0 : OUT_OF_MEMORY; })
BOTH(cuMemHostAlloc, (void **made, size_t size, unsigned flags), { return (*made = malloc(size)) ? 0 : OUT_OF_MEMORY; })
BOTH(cuMemFreeHost, (void *at), { free(at); return 0; })
BOTH(cuMemCreate, (uint64_t *made, size_t size, const Properties *how, unsigned long long flags), { return take_physical(made, size, how); })
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
        PLAIN(cuMemMap) PLAIN(cuMemUnmap) PLAIN(cuDeviceGetCount) PLAIN(cuCtxGetCurrent) PLAIN(cuCtxGetDevice)
        ROW(cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000, 0) PLAIN(cuDevicePrimaryCtxReset) PLAIN(cuDevicePrimaryCtxGetState)
        ROW(cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease", 11000, 0) PLAIN(cuDevicePrimaryCtxRelease)
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
