/* A stand-in for the CUDA runtime: it finds the driver's functions by dlsym, one by one, as CUDA 10.2's, or with ASKS by
 * cuGetProcAddress as those from 11.3 on. CUDART is what its names have before them: static where it is part of another
 * library, as cuDNN's. The first call on a GPU makes its context and loads a module. With PRIVATE the device
 * that is set is told to the driver by the next call, as before CUDA 12, and reset by a function that has no name of CUDA's. With RELEASES it gives back its modules and
 * contexts when the process exits. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifndef CUDART
#define CUDART __attribute__((visibility("default")))
#endif

static struct {
    int (*init)(unsigned), (*retain)(uint64_t *, int), (*current)(uint64_t), (*module)(uint64_t *, const void *);
    int (*alloc)(void **, size_t), (*async)(void **, size_t, void *), (*pool)(void **, size_t, void *, void *);
    int (*managed)(void **, size_t, unsigned), (*host)(void **, size_t), (*registered)(void **, size_t, unsigned);
    int (*pitch)(void **, size_t *, size_t, size_t, unsigned), (*array)(void **, const void *), (*array3)(void **, const void *);
    int (*free)(void *), (*free_async)(void *, void *), (*free_host)(void *), (*destroy)(void *);
    int (*reset)(int), (*release)(int), (*unload)(uint64_t);
} driver;

static void *function(void *library, const char *name, const char *asked) {
#ifdef ASKS
    static int (*ask)(const char *, void **, int, uint64_t, int *);
    void *found = NULL;
    if (!ask) ask = dlsym(library, ASKS);
    /* As the runtime's: since when there is such a function. */
    int since = strcmp(name, asked) ? 3020 : strstr(name, "Async") ? 11020 : 2000;
    if (ask(asked, &found, since, 0, NULL)) abort();
#else
    void *found = dlsym(library, name);
#endif
    if (!found) abort();
    return found;
}

static uint64_t contexts[4], modules[4];
static _Thread_local int device;

#ifdef RELEASES
static void end(void) {
    for (int i = 0; i < 4; i++)
        if (contexts[i] && (driver.unload(modules[i]) || driver.release(i))) abort();
}
#endif

static int begin(void) {
    if (!driver.init) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW);
        if (!library) return 35;
#define FIND(field, name, second) *(void **)&driver.field = function(library, #name #second, #name);
        FIND(retain, cuDevicePrimaryCtxRetain, ) FIND(current, cuCtxSetCurrent, ) FIND(module, cuModuleLoadData, )
        FIND(alloc, cuMemAlloc, _v2) FIND(async, cuMemAllocAsync, ) FIND(pool, cuMemAllocFromPoolAsync, ) FIND(managed, cuMemAllocManaged, )
        FIND(host, cuMemAllocHost, _v2) FIND(registered, cuMemHostAlloc, ) FIND(pitch, cuMemAllocPitch, _v2) FIND(array, cuArrayCreate, _v2)
        FIND(array3, cuArray3DCreate, _v2) FIND(free, cuMemFree, _v2) FIND(free_async, cuMemFreeAsync, ) FIND(free_host, cuMemFreeHost, )
        FIND(destroy, cuArrayDestroy, ) FIND(reset, cuDevicePrimaryCtxReset, ) FIND(init, cuInit, )
        FIND(release, cuDevicePrimaryCtxRelease, ) FIND(unload, cuModuleUnload, )
#ifdef RELEASES
        if (atexit(end)) abort();
#endif
        driver.init(0);
    }
    if (contexts[device]) return driver.current(contexts[device]);
    uint64_t context;
    int failed = driver.retain(&context, device) || driver.current(context) || driver.module(&modules[device], "code");
    if (!failed) contexts[device] = context;
    return failed ? 46 : 0;
}

#define BEGIN do { int failed = begin(); if (failed) return failed; } while (0)
typedef struct { size_t width, height, depth; } Extent;
typedef struct { void *at; size_t pitch, width, height; } Pitched;
typedef struct { int x, y, z, w, kind; } Channels;
typedef struct { size_t width, height; uint32_t format, channels; } Array;
typedef struct { size_t width, height, depth; uint32_t format, channels, flags; } Array3D;
static uint32_t channels_of(const Channels *c) { return (uint32_t)(c->x + c->y + c->z + c->w) / 32; }

CUDART int cudaMalloc(void **made, size_t size) { BEGIN; return driver.alloc(made, size); }
CUDART int cudaMallocAsync(void **made, size_t size, void *stream) { BEGIN; return driver.async(made, size, stream); }
CUDART int cudaMallocFromPoolAsync(void **made, size_t size, void *pool, void *stream) { BEGIN; return driver.pool(made, size, pool, stream); }
CUDART int cudaMallocManaged(void **made, size_t size, unsigned flags) { BEGIN; return driver.managed(made, size, flags); }
CUDART int cudaMallocHost(void **made, size_t size) { BEGIN; return driver.host(made, size); }
CUDART int cudaHostAlloc(void **made, size_t size, unsigned flags) { BEGIN; return driver.registered(made, size, flags); }
CUDART int cudaMallocPitch(void **made, size_t *pitch, size_t width, size_t height) { BEGIN; return driver.pitch(made, pitch, width, height, 4); }
CUDART int cudaMalloc3D(Pitched *made, Extent e) { BEGIN; return driver.pitch(&made->at, &made->pitch, e.width, e.height * e.depth, 4); }
CUDART int cudaMallocArray(void **made, const Channels *c, size_t width, size_t height, unsigned flags) {
    BEGIN;
    return driver.array(made, &(Array){width, height, 0x20, channels_of(c)});
}
CUDART int cudaMalloc3DArray(void **made, const Channels *c, Extent e, unsigned flags) {
    BEGIN;
    return flags != 6 ? 1 : driver.array3(made, &(Array3D){e.width, e.height, e.depth, 0x20, channels_of(c), flags});
}
CUDART int cudaFree(void *at) { BEGIN; return at ? driver.free(at) : 0; }
CUDART int cudaFreeAsync(void *at, void *stream) { BEGIN; return driver.free_async(at, stream); }
CUDART int cudaFreeHost(void *at) { BEGIN; return driver.free_host(at); }
CUDART int cudaFreeArray(void *at) { BEGIN; return driver.destroy(at); }
#ifdef PRIVATE
CUDART int cudaSetDevice(int wanted) { device = wanted; return 0; }
CUDART int cudaDeviceReset(void) {
    int (*reset)(int) = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "private_reset");
    contexts[device] = 0;
    return reset(device);
}
#else
CUDART int cudaSetDevice(int wanted) { device = wanted; return begin(); }
CUDART int cudaDeviceReset(void) {
    BEGIN;
    contexts[device] = 0;
    return driver.reset(device);
}
#endif
