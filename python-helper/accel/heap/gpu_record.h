/* What is kept of CUDA's calls: each one, by stack, and by kind, library and line. */
#pragma once
#include "gpu_contexts.h"

/* The kind that a group is of, as a frame; with its GPU as a call has it. */
#define GROUP_KEY (GPU_KEY | 1 << 20)

/* Where a block of the GPU is in the table: no heap block has bit 63, and what are handles, not addresses, may be equal. */
static uint64_t tagged(int kind, uint64_t handle) {
    uint64_t space = kind == ARRAY ? 1 : kind == PHYSICAL ? 2 : kind >= CONTEXT ? 3 : 0;
    return 1ull << 63 | space << 60 | (handle & ((1ull << 60) - 1));
}

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Whether the module is CUDA's own, which works for somebody else. */
static bool is_cudas(uint32_t module) {
    const Module *m = (const Module *)(log_at + MODULES_AT) + (module - 1);
    const char *path = log_at + TEXT_AT + m->path, *name = path;
    for (uint32_t i = 0; i < m->size; i++)
        if (path[i] == '/') name = path + i + 1;
    /* What follows the path is another one's: no name that is cut short begins so. */
    size_t left = (size_t)(path + m->size - name);
    return (left >= 8 && (begins(name, "libcuda.") || begins(name, "libcuda-"))) ||
           (left >= 10 && (begins(name, "libcudart.") || begins(name, "libcudart-"))) || (left >= 15 && begins(name, "libcudadebugger"));
}

/* The stack at the end of a path of keys from `node`; 0: there is no room for it. */
static OUT_OF_LINE uint32_t gpu_stack(uint32_t node, const uint64_t *keys, int count, int class) {
    for (int i = 0; i < count; i++)
        if (!(node = node_below(node, keys[i]))) return 0;
    uint32_t stack = stack_at(node);
    if (stack && !STACK(stack)->gpu) {
        STACK(stack)->gpu = class;
        STACK(stack)->epoch = HEAD->gpu_epoch;
    }
    return stack;
}

/* The stack of a call that is being made, innermost in it the call. PLACELESS, of no group, where there is no room for it;
 * 0: what is not asked for is left out then. */
static OUT_OF_LINE uint32_t gpu_stack_of_here(int which, uint64_t gpu) {
    static Open o; /* under the lock */
    uint64_t call = GPU_KEY | gpu << GPU_SHIFT | (uint64_t)which;
    int kind = calls[which].kind, class = kind >= CONTEXT ? BY_FREE_MEMORY : BY_CALL;
    uint32_t node, stack = 0;
    find_open(&o);
    uint64_t library = 0;
    for (int i = 0; i < o.frames && !library; i++) {
        uint32_t module = (uint32_t)(o.native[i] >> 48);
        if (module && !is_cudas(module)) library = (uint64_t)module << 48;
    }
    uint64_t group[] = {GROUP_KEY | gpu << GPU_SHIFT | (uint64_t)kind, library, o.lines ? o.python[o.lines - 1] : 0};
    uint32_t sums = gpu_stack(0, group, 3, GPU_GROUP);
    if (node_of(&o, &node)) stack = gpu_stack(node, &call, 1, class);
    if (!stack) return class == BY_CALL ? PLACELESS : 0;
    if (!STACK(stack)->samples) STACK(stack)->group = sums;
    return stack;
}

static void see(uint32_t what) {
    __atomic_fetch_or(&gpu_seen, what, __ATOMIC_RELAXED);
    if (log_at) HEAD->gpu_seen |= gpu_seen;
}

/* The GPU's number + 1, as it is kept; 0: it is not known. */
static uint64_t kept_gpu(int device) { return device >= 0 && device < GPU_MASK ? (uint64_t)device + 1 : 0; }

/* Of the memory that a call made: 0 also where it lies on none, or on whichever needs it. */
static uint64_t gpu_of(const Call *c, const long *a) {
    if (c->kind == PINNED || c->kind == MANAGED) return 0;
    if (c->kind != PHYSICAL) return kept_gpu(current_device());
    int what[4] = {0, 0, 0, -1}; /* CUmemAllocationProp: what it is, …, where: 1 is on a GPU, on which */
    if (a[2]) memcpy(what, (const void *)a[2], sizeof what);
    return what[2] == 1 ? kept_gpu(what[3]) : 0;
}

/* The driver's word on the whole GPU. Only where a context is current; slow with some drivers. While a stream is captured, a
 * call that the driver takes for unsafe ends the capture; so the thread says meanwhile that it knows what it does. */
static OUT_OF_LINE bool ask_device(int64_t *free_bytes, int64_t *total, int *device) {
    Function ask = function_after("cuMemGetInfo_v2"), exchange = function_after("cuThreadExchangeStreamCaptureMode");
    int mode = 2; /* relaxed */
    *device = current_device();
    if (!ask) return false;
    bool is_other = exchange && (int)exchange((long)&mode, 0, 0, 0, 0, 0, 0, 0) == SUCCESS;
    size_t found[2] = {0, 0};
    long result = ask((long)&found[0], (long)&found[1], 0, 0, 0, 0, 0, 0);
    if (is_other) exchange((long)&mode, 0, 0, 0, 0, 0, 0, 0);
    if ((int)result != SUCCESS) return false;
    *free_bytes = (int64_t)found[0];
    *total = (int64_t)found[1];
    return found[1] > 0 && *total > 0 && found[0] <= found[1];
}

static void note_device(int64_t free_bytes, int64_t total, int device) {
    Head *head = HEAD;
    if (head->device_total > 0 && head->device != kept_gpu(device)) return;
    head->device = (uint32_t)kept_gpu(device);
    head->device_free = free_bytes;
    head->device_total = total;
    if (head->device_least < 0 || free_bytes < head->device_least) head->device_least = free_bytes;
}

/* What a call made in a context, on a GPU, under the lock. */
static OUT_OF_LINE void add_made(int which, uint64_t handle, uint64_t size, uint64_t context, uint64_t gpu) {
    const Call *c = &calls[which];
    Block b = {tagged(c->kind, handle), size, CERTAIN, 0, 0}, old;
    if (c->kind == CONTEXT && block_places[find_block(b.address)]) return; /* it was there: what fell was others' */
    if (take_block(b.address, &old)) charge_back(old.stack, weight_of(old.size, old.size, CERTAIN)); /* nobody told us */
    *context_of(&b) = c->kind == ASYNC || c->kind == PHYSICAL ? NO_CONTEXTS : context_number(context);
    if (!(b.stack = gpu_stack_of_here(which, gpu)) || !add_block(&b)) {
        HEAD->untracked++;
        flag(TABLE_FULL);
        return;
    }
    charge(b.stack, weight_of(size, size, CERTAIN));
    Stack *s = STACK(b.stack), *both[] = {s, s->group ? STACK(s->group) : NULL};
    for (int i = 0; i < 2 && both[i]; i++) {
        both[i]->all_bytes += (int64_t)size;
        both[i]->samples++;
    }
    if (s->gpu != BY_CALL) return;
    HEAD->gpu_calls++;
    HEAD->gpu_all_bytes += (int64_t)size;
}

static OUT_OF_LINE void record(int which, uint64_t handle, uint64_t size, bool is_known, const long *a) {
    int error = errno, device = -1;
    int64_t left = 0, total = 0;
    static pid_t asked_in;
    bool says = asked_in != measured && (asked_in = measured) && ask_device(&left, &total, &device); /* once */
    uint64_t context = current_context(), gpu = gpu_of(&calls[which], a);
    if (enter()) {
        if (has_log()) {
            see(0);
            if (says) note_device(left, total, device);
            if (!is_known) flag(SIZE_UNKNOWN);
            else if (size && handle && size < 1ull << 56) add_made(which, handle, size, context, gpu);
        }
        leave();
        watch_exit();
    }
    errno = error;
}

/* No room is told by the driver's own figure: who looks into it wants to know how little was left. */
static OUT_OF_LINE void record_failure(long result) {
    if (result != OUT_OF_MEMORY) return;
    int error = errno, device;
    int64_t left, total;
    if (ask_device(&left, &total, &device) && enter()) {
        if (has_log()) note_device(left, total, device);
        leave();
    }
    errno = error;
}
