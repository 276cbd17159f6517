/* Who looks for one of CUDA's allocation calls by dlsym or cuGetProcAddress is given ours, which calls the one that was
 * found. For all other names dlsym is gone on to (gpu_entries.h). */
#pragma once
#include "gpu.h"
#include "gpu_entries.h"

typedef void *Finds(void *handle, const char *name, const char *version);
static Finds *next_dlsym, *next_dlvsym;

static void find_loader(void) {
    if (!first_objects) {
        Walk w = {.name = NULL};
        dl_iterate_phdr(pass_object, &w);
        first_objects = w.objects;
    }
    if (!next_dlsym) next_dlsym = (Finds *)function_named("dlsym", true, NULL);
    if (!next_dlvsym) next_dlvsym = (Finds *)function_named("dlvsym", true, NULL);
}

static int call_named(const char *name) {
    if (name[0] != 'c' || name[1] != 'u') return -1;
    const char *at = call_names;
    for (int i = 0; i < CALLS; i++, at += strlen(at) + 1)
        if (same_text(at, name)) return i;
    return -1;
}

/* Whether the place is free, or `found` has it. */
static bool takes(Function *place, Function found) {
    Function known = NULL;
    return __atomic_compare_exchange_n(place, &known, found, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) || known == found;
}

static void hand_out(const char *name, void **function, uint64_t version) {
    static const bool is_second[] = {ASKED_CALLS(IS_SECOND)};
    bool is_ours = (uintptr_t)*function - entry_of(0) < (CALLS + ASKED) * ENTRY_BYTES;
    if (!*function || is_ours || name[0] != 'c' || name[1] != 'u') return;
    const char *at = asked_names;
    for (int i = 0; i < ASKED; i++, at += strlen(at) + 1) {
        if (!same_text(at, name) || (is_second[i] && version < 3020)) continue; /* before, sizes had 32 bits */
        if (!takes(&asked[i], (Function)*function)) continue;
        if (measured) see(SEEN_LIBRARY);
        *function = (void *)entry_of(CALLS + i);
        return;
    }
}

/* Ours that calls `found`. Where there is none it stays as it is: what a runtime asks of the driver is recorded. */
static OUT_OF_LINE uintptr_t that_calls(int which, uintptr_t found) {
    for (int i = 0; i < ASKED; i++) {
        if (call_of[i] != which || !takes(&asked[i], (Function)found)) continue;
        if (measured) see(SEEN_LIBRARY);
        return entry_of(CALLS + i);
    }
    return found;
}

/* `answer`, or what to go on to. */
typedef struct { uintptr_t answer, go_on; } Found;

static OUT_OF_LINE Found look_for(Finds *real, void *handle, const char *name, const char *version, const void *caller) {
    int which = name && real ? call_named(name) : -1;
    if (which < 0) return (Found){0, (uintptr_t)real};
    bool is_next = handle == (void *)-1l;
    Walk w = {.name = name, .caller = (uintptr_t)caller};
    dl_iterate_phdr(pass_object, &w);
    /* What comes after that one, or what one that stands in the same place as ours calls: ours was called before it. */
    bool is_between = w.caller_is_after && (is_next || (w.caller_is.l_ld && in_object(&w.caller_is, name)));
    if (is_between) return (Found){0, (uintptr_t)real};
    uintptr_t found = is_next ? entry_of(which) : (uintptr_t)real(handle, name, version);
    if (!found) return (Found){0, 0}; /* dlerror has its words */
    /* Ours by name calls the only one that there is, or the one that was there first. Any other one is to be the one that was
     * asked for. */
    bool is_named = w.first == found && (w.count == 1 || w.first_at <= first_objects);
    if (found != entry_of(which) && !is_named) return (Found){that_calls(which, found), 0};
    /* One that was loaded for some library alone is taken too. */
    if (w.count) {
        if (measured) see(SEEN_LIBRARY);
        return (Found){entry_of(which), 0};
    }
    return (Found){(uintptr_t)real((void *)-1l, name, version), 0}; /* none; so dlerror says it */
}

__attribute__((used, visibility("hidden"))) Found jetson_memprof_dlsym(void *handle, const char *name, const void *caller) {
    if (!next_dlsym) find_loader();
    return look_for(next_dlsym, handle, name, NULL, caller);
}

__attribute__((used, visibility("hidden")))
Found jetson_memprof_dlvsym(void *handle, const char *name, const char *version, const void *caller) {
    if (!next_dlvsym) find_loader();
    return look_for(next_dlvsym, handle, name, version, caller);
}
