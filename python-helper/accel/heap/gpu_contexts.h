/* Whose the GPU's memory is: it goes with its context, whose end nobody tells block by block. */
#pragma once
#include "gpu_next.h"
#include "samples.h"

enum { SUCCESS = 0, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3 };

/* Functions of the driver that are asked what the calls do not say. None of them ends a stream's capture or makes a context. */
#define DRIVERS(X)                                                                                                         \
    X(cuCtxGetCurrent) X(cuCtxGetDevice) X(cuDeviceGetCount) X(cuDevicePrimaryCtxGetState) X(cuDevicePrimaryCtxRetain)     \
    X(cuDevicePrimaryCtxRelease_v2) X(cuDevicePrimaryCtxRelease)
#define DRIVER_NUMBER(name) DRIVER_##name,
#define DRIVER_TEXT(name) #name "\0"
enum { DRIVERS(DRIVER_NUMBER) DRIVERS_KNOWN };
static const char driver_names[] = DRIVERS(DRIVER_TEXT);
static Next drivers[DRIVERS_KNOWN];

/* Looked for again only when something was loaded or unloaded. */
static Function driver(int which) {
    Next *n = &drivers[which];
    Walk w = {.name = NULL};
    dl_iterate_phdr(count_loads, &w);
    if (w.loads && w.loads == __atomic_load_n(&n->loads, __ATOMIC_ACQUIRE)) return __atomic_load_n(&n->real, __ATOMIC_ACQUIRE);
    const char *name = driver_names;
    for (int i = 0; i < which; i++) name += strlen(name) + 1;
    Function found = function_after(name);
    __atomic_store_n(&n->real, found, __ATOMIC_RELEASE);
    __atomic_store_n(&n->loads, w.loads, __ATOMIC_RELEASE);
    return found;
}

static bool ask_driver(int which, long first, long second, long third) {
    Function function = driver(which);
    return function && (int)function(first, second, third, 0, 0, 0, 0, 0) == SUCCESS;
}

/* 0: there is none, or it is not known. */
static uint64_t current_context(void) {
    uint64_t found = 0;
    return ask_driver(DRIVER_cuCtxGetCurrent, (long)&found, 0, 0) ? found : 0;
}

/* 0: it is not known. */
static int device_count(void) {
    static int count;
    if (!count) ask_driver(DRIVER_cuDeviceGetCount, (long)&count, 0, 0);
    return count;
}

/* The GPU of the current context; -1: as above. Where there is but one it is that one. */
static int current_device(void) {
    int found = -1;
    if (device_count() == 1) return 0;
    return ask_driver(DRIVER_cuCtxGetDevice, (long)&found, 0, 0) ? found : -1;
}

/* Whether the device's primary context is there: 1 or 0; -1: that is not known. */
static int has_primary(int device) {
    unsigned how;
    int is_there;
    if (!ask_driver(DRIVER_cuDevicePrimaryCtxGetState, device, (long)&how, (long)&is_there)) return -1;
    return is_there != 0;
}

/* Its handle. One that is there already is not made by asking for it. */
static uint64_t primary_context(int device) {
    uint64_t found = 0;
    int release = driver(DRIVER_cuDevicePrimaryCtxRelease_v2) ? DRIVER_cuDevicePrimaryCtxRelease_v2 : DRIVER_cuDevicePrimaryCtxRelease;
    if (!driver(release) || !ask_driver(DRIVER_cuDevicePrimaryCtxRetain, (long)&found, device, 0)) return 0;
    ask_driver(release, device, 0, 0);
    return found;
}

/* Contexts in which something was allocated, by their number less 1. While one is being ended its handle has ENDING in it: what
 * another thread makes anew may be given the same handle before we know that the old one is gone. */
enum { CONTEXTS = 256 };
#define ENDING (1ull << 63)
static uint64_t contexts[CONTEXTS];
static uint32_t contexts_begun; /* so many had nothing before, in all */
/* What a block may have in its place. Of the second kind is what a pool of the GPU has, or cuMemCreate made. */
enum { NO_CONTEXT_KNOWN = 0, NO_CONTEXTS = CONTEXTS + 1 };
/* While it lives there is no use for what comes after it in the list of the free ones. */
static uint32_t *context_of(Block *b) { return &b->next_free; }

/* The number of one; 0: there is no place for it. Under the lock, as all below. */
static uint32_t context_number(uint64_t handle) {
    uint32_t place = 0;
    for (uint32_t i = 0; i < CONTEXTS && handle; i++) {
        if (contexts[i] == handle) return i + 1;
        if (!contexts[i] && !place) place = i + 1;
    }
    if (!place) return 0;
    contexts[place - 1] = handle;
    __atomic_fetch_add(&contexts_begun, 1, __ATOMIC_RELAXED);
    return place;
}

/* What CUDA's libraries take down when the process exits lived at its end. Who was last to say what it does then is asked first;
 * so this is said again after the call that first took something in a context. Not under the lock: exit() frees under its own. */
static bool is_exiting;
extern int __cxa_atexit(void (*)(void *), void *, void *) __attribute__((weak));
extern void *__dso_handle;
static void exits(void *unused) {
    (void)unused;
    is_exiting = true;
}

static OUT_OF_LINE void watch_exit(void) {
    static uint32_t watched;
    uint32_t begun = __atomic_load_n(&contexts_begun, __ATOMIC_RELAXED);
    if (!__cxa_atexit || begun > CONTEXTS || __atomic_exchange_n(&watched, begun, __ATOMIC_RELAXED) == begun) return;
    __cxa_atexit(exits, NULL, &__dso_handle);
}

static void rename_context(uint64_t handle, uint64_t now) {
    for (uint32_t i = 0; i < CONTEXTS && handle; i++)
        if (contexts[i] == handle) contexts[i] = now;
}

/* All that was allocated in it is gone with it, as far as that is known. `handle` 0: it is not known which one it was. */
static void end_context(uint64_t handle, bool is_reset) {
    bool is_sure = !is_reset || !region_count || !(regions[region_count - 1].start >> 63);
    for (uint32_t i = 0; i < blocks_used; i++) {
        Block b = blocks[i];
        uint32_t its = *context_of(&b);
        bool is_its = handle && its - 1 < CONTEXTS && contexts[its - 1] == handle, is_open = !handle || its == NO_CONTEXT_KNOWN || (is_reset && its == NO_CONTEXTS);
        if (!(b.address >> 63) || !(is_its || is_open) || block_places[find_block(b.address)] != i + 1) continue;
        if (!is_its) is_sure = false;
        else if (take_block(b.address, &b)) charge_back(b.stack, weight_of(b.size, b.size, CERTAIN));
    }
    rename_context(handle, 0);
    if (!is_sure) flag(CONTEXT_ENDED);
}
