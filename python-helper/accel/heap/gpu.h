/* The names of CUDA's calls that allocate, of the runtime and of the driver. Who is linked with them meets ours first; who
 * looks for them by dlsym or cuGetProcAddress is given ours (gpu_find.h).
 *
 * The outermost call of a thread is recorded: a runtime's call makes the driver's below it. Our names are there also where
 * no CUDA is: then dlsym finds none, as without us, but a program with a weak reference sees ours, which answer that
 * nothing was initialised.
 */
#pragma once
#include "gpu_record.h"

static uint64_t positive(uint64_t value) { return value ? value : 1; }

/* Of an array's format, in bytes; 0: not known, as of compressed ones. */
static uint64_t format_bytes(uint32_t format) {
    switch (format) {
    case 0x01: case 0x08: return 1;
    case 0x02: case 0x09: case 0x10: return 2;
    case 0x03: case 0x0A: case 0x20: return 4;
    default: return 0;
    }
}

static uint64_t channel_bytes(const int *bits) {
    return ((uint64_t)bits[0] + (uint64_t)bits[1] + (uint64_t)bits[2] + (uint64_t)bits[3]) / 8;
}

/* How many bytes a call that succeeded was asked for; false: it does not say. Rows of pitched memory are as long as CUDA
 * made them, arrays are as asked. */
static bool size_of(const Call *c, const long *a, uint64_t *size) {
    uint64_t each, extent[3] = {0, 0, 0};
    switch (c->how) {
    case SIZED: *size = (uint64_t)a[1]; return true;
    case PITCHED: *size = *(const size_t *)a[1] * (uint64_t)a[3]; return true;
    case CHANNELS:
        each = channel_bytes((const int *)a[1]);
        *size = each * (uint64_t)a[2] * positive((uint64_t)a[3]);
        return each > 0;
    default: {
        bool is_3d = c->how == DESCRIBED_3D;
        size_t length = (is_3d ? 3 : 2) * sizeof extent[0];
        uint32_t format_and_channels[2];
        memcpy(extent, (const void *)a[1], length);
        memcpy(format_and_channels, (const char *)a[1] + length, sizeof format_and_channels);
        each = format_bytes(format_and_channels[0]) * format_and_channels[1];
        *size = each * extent[0] * positive(extent[1]) * positive(extent[2]);
        return each > 0;
    }
    }
}

static bool is_recorded(void) { return measured && !here.gpu && !here.inside; }

static __thread uint32_t resets;

/* Before a call that may end it; 0: it is not known which one. */
static OUT_OF_LINE void ends(uint64_t context) {
    int error = errno;
    if (context && enter()) {
        rename_context(context, context | ENDING);
        leave();
    }
    errno = error;
}

/* After it: whether it has. */
static OUT_OF_LINE void ended(uint64_t context, bool has_ended, bool is_reset) {
    int error = errno;
    if (enter()) {
        uint64_t ending = context ? context | ENDING : 0;
        resets += has_ended && is_reset;
        if (!has_ended) rename_context(ending, context);
        else if (log_at) end_context(ending, is_reset);
        leave();
    }
    errno = error;
}

static OUT_OF_LINE long give_back(int kind, Function real, const long *a) {
    if (kind >= CONTEXT && is_exiting) return pass_on(real, a);
    Block b;
    int before = here.gpu;
    void *at = (void *)tagged(kind, (uint64_t)a[0]);
    bool was = is_recorded() && a[0] && may_be_sampled(at) && forget(at, &b);
    here.gpu = before ? before : 1;
    if (kind == CONTEXT) ends((uint64_t)a[0]);
    long result = pass_on(real, a);
    here.gpu = before;
    if (was && (int)result != SUCCESS) put_back(&b);
    if (kind == CONTEXT) ended((uint64_t)a[0], (int)result == SUCCESS, false);
    return result;
}

/* Contexts and modules: the memory that they take is told by nobody else. The GPU's free memory can be asked where a context
 * of it is current, so of its first context it is not known. A primary context that is there already takes no more. */
static OUT_OF_LINE long load(int which, Function real, const long *a) {
    int before = here.gpu, error = errno, device = -1, device_now = -1;
    int64_t was = 0, is = 0, total = 0;
    here.gpu = 2;
    bool is_retained = which == CALL_cuDevicePrimaryCtxRetain;
    int was_there = is_retained ? has_primary((int)a[1]) : 0;
    bool knows = !was_there && ask_device(&was, &total, &device) && (!is_retained || device == (int)a[1]);
    errno = error;
    long result = pass_on(real, a);
    error = errno;
    knows = knows && ask_device(&is, &total, &device_now) && device_now == device;
    uint64_t context = current_context();
    here.gpu = before;
    if (enter()) {
        if (has_log()) {
            uint64_t made = (int)result == SUCCESS ? *(const uint64_t *)a[0] : 0;
            see(0);
            if (knows) note_device(is, total, device);
            if ((int)result == SUCCESS && knows && is < was)
                add_made(which, made, (uint64_t)(was - is), calls[which].kind == CONTEXT ? made : context, kept_gpu(device));
            else if ((int)result == SUCCESS && !knows && was_there <= 0) flag(CONTEXT_UNKNOWN);
        }
        leave();
        if (!before) watch_exit(); /* else whoever called may only now say what it does at exit */
    }
    errno = error;
    return result;
}

/* What is mapped as a whole stays until it is unmapped: many give back the handle before. So from here on it is known by
 * where it is. */
static OUT_OF_LINE long map(bool is_new, Function real, const long *a) {
    long result = pass_on(real, a);
    int error = errno;
    if ((int)result == SUCCESS && is_recorded() && enter()) {
        uint64_t at = tagged(DEVICE, (uint64_t)a[0]);
        Block b;
        if (!is_new) forget_range(at, at + (uint64_t)a[1]);
        else if (take_block(tagged(PHYSICAL, (uint64_t)a[3]), &b)) {
            Region r = {at, at + b.size, b.size, CERTAIN, b.stack};
            if (b.size != (uint64_t)a[1] || !add_region(&r)) add_block(&b);
        }
        leave();
    }
    errno = error;
    return result;
}

/* The primary contexts of some devices as they were before a call that may end one of them. */
enum { MOST_GPUS = 32 };
typedef struct { int first, count; int8_t was_there[MOST_GPUS]; uint64_t primary[MOST_GPUS]; } Primaries;

static void look_at_primaries(Primaries *p) {
    for (int i = 0; i < p->count; i++) {
        p->was_there[i] = (int8_t)has_primary(p->first + i);
        p->primary[i] = p->was_there[i] > 0 ? primary_context(p->first + i) : 0;
        ends(p->primary[i]);
    }
}

/* The device's primary context goes, or, where it is released, may go: all runtimes of the process work in that one. What the
 * runtime does reaches the driver by its name too, but where it has it by a table of its own. Of several devices it resets the
 * one that is set, which it may not have told the driver: so the one whose context is gone then. */
static OUT_OF_LINE long end_primary(int which, Function real, const long *a) {
    if (!measured || here.inside || is_exiting) return pass_on(real, a);
    bool is_runtimes = which == CALL_cudaDeviceReset;
    int error = errno, devices = is_runtimes ? device_count() : 1;
    Primaries p = {.first = is_runtimes ? 0 : (int)a[0], .count = devices < MOST_GPUS ? devices : MOST_GPUS};
    bool may_stay = devices > 1 || which == CALL_cuDevicePrimaryCtxRelease || which == CALL_cuDevicePrimaryCtxRelease_v2;
    uint32_t resets_before = resets;
    look_at_primaries(&p);
    errno = error;
    long result = pass_on(real, a);
    error = errno;
    bool may = (int)result == SUCCESS && !(is_runtimes && resets != resets_before); /* else it was told already */
    bool is_found = !is_runtimes || devices == 1;
    for (int i = 0; i < p.count; i++) {
        bool goes = may && p.was_there[i] && !(may_stay && has_primary(p.first + i) > 0);
        if (goes || p.primary[i]) ended(p.primary[i], goes, true);
        is_found |= goes;
    }
    if (may && !is_found) ended(0, true, true);
    errno = error;
    return result;
}

static OUT_OF_LINE long call(int which, Function real, const long *a) {
    const Call *c = &calls[which];
    if (!real) return NOT_INITIALIZED;
    if (c->how == FREES) return give_back(c->kind, real, a);
    if (c->how == ENDS) return end_primary(which, real, a);
    if (c->how >= MAPS) return map(c->how == MAPS, real, a);
    if (measured && !here.inside) see(which < CALL_cuMemAlloc_v2 ? SEEN_RUNTIME : here.gpu ? 0 : SEEN_DRIVER);
    if (c->how == LOADS && measured && !here.inside && here.gpu < 2) return load(which, real, a);
    if (c->how == LOADS || !is_recorded()) return pass_on(real, a);
    here.gpu = 1;
    long result = pass_on(real, a);
    here.gpu = 0;
    uint64_t size = 0;
    if ((int)result == SUCCESS) {
        bool is_known = size_of(c, a, &size);
        record(which, *(const uint64_t *)a[0], size, is_known, a);
    } else record_failure((int)result);
    return result;
}

static void hand_out(const char *name, void **function, uint64_t version);

/* What it hands out is called past our names, so it hands out ours. */
static long ask(Function real, const long *a) {
    if (!real) return NOT_INITIALIZED;
    long result = pass_on(real, a);
    if ((int)result == SUCCESS && a[0] && a[1]) hand_out((const char *)a[0], (void **)a[1], (uint32_t)a[2]);
    return result;
}

typedef struct { size_t width, height, depth; } Extent;
typedef struct { void *at; size_t pitch, width, height; } Pitched;

__attribute__((used, visibility("hidden"))) int typed_cudaMalloc3D(Pitched *made, Extent extent) {
    int (*real)(Pitched *, Extent) = (void *)next_of(CALL_cudaMalloc3D, __builtin_return_address(0));
    if (!real) return NOT_INITIALIZED;
    if (measured) see(SEEN_RUNTIME);
    if (!is_recorded()) return real(made, extent);
    here.gpu = 1;
    int result = real(made, extent);
    here.gpu = 0;
    uint64_t rows = positive(extent.height) * positive(extent.depth);
    if (result == SUCCESS) record(CALL_cudaMalloc3D, (uint64_t)made->at, made->pitch * rows, true, NULL);
    else record_failure(result);
    return result;
}

__attribute__((used, visibility("hidden"))) int typed_cudaMalloc3DArray(void **made, const int *bits, Extent extent, unsigned how) {
    int (*real)(void **, const int *, Extent, unsigned) = (void *)next_of(CALL_cudaMalloc3DArray, __builtin_return_address(0));
    if (!real) return NOT_INITIALIZED;
    if (measured) see(SEEN_RUNTIME);
    if (!is_recorded()) return real(made, bits, extent, how);
    here.gpu = 1;
    int result = real(made, bits, extent, how);
    here.gpu = 0;
    uint64_t each = channel_bytes(bits), cells = extent.width * positive(extent.height) * positive(extent.depth);
    if (result == SUCCESS) record(CALL_cudaMalloc3DArray, *(const uint64_t *)made, each * cells, each > 0, NULL);
    else record_failure(result);
    return result;
}

static const uint8_t call_of[] = {ASKED_CALLS(CALL_OF)};

/* Where the entries of gpu_entries.h come together. `caller` is who called. */
__attribute__((used, visibility("hidden"))) long jetson_memprof_call(int which, const long *a, const void *caller) {
    Function real = which < CALLS ? next_of(which, caller) : asked[which - CALLS];
    if (which >= CALLS) which = call_of[which - CALLS];
    return calls[which].how == ASKS ? ask(real, a) : call(which, real, a);
}
