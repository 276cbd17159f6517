/* Who does the work of CUDA's calls: the runtime and the driver of the process, wherever they were loaded from. */
#pragma once
#include "gpu_calls.h"
#include "next.h"

/* All arguments but those of TYPED calls are at most eight integers and addresses, and a function reads its own only: so one
 * shape serves all, whatever version of the call it is. */
typedef long (*Function)(long, long, long, long, long, long, long, long);
/* Of the arguments as gpu_entries.h puts them in a row: on x86-64 the last two are the caller's stack, above the place to
 * which it is returned. */
#if defined(__x86_64__)
enum { SEVENTH = 7 };
#else
enum { SEVENTH = 6 };
#endif
static long pass_on(Function to, const long *a) {
    return to(a[0], a[1], a[2], a[3], a[4], a[5], a[SEVENTH], a[SEVENTH + 1]);
}

typedef struct {
    const char *name;   /* looked for in all objects after ours */
    uintptr_t caller;   /* an address in the object that is looked for */
    uintptr_t first, meant; /* what was found first, and what the caller's object means, where that one is known before */
    struct link_map caller_is;
    int count, objects, first_at; /* of objects, which of them the first one was found in */
    bool is_after, caller_is_after; /* our own object was passed, and before the caller's */
    unsigned long long loads;
} Walk;

static bool holds(const struct dl_phdr_info *object, uintptr_t address) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *s = &object->dlpi_phdr[i];
        if (s->p_type == PT_LOAD && address - (object->dlpi_addr + s->p_vaddr) < s->p_memsz) return true;
    }
    return false;
}

/* Whether the caller's object names the other one as what it needs: of two runtimes it means that one. */
static bool needs(const struct link_map *caller, const struct link_map *other) {
    const char *callers = symbols_of(caller).names, *others = symbols_of(other).names, *name = NULL;
    for (const ElfW(Dyn) *d = other->l_ld; others && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_SONAME) name = others + d->d_un.d_val;
    for (const ElfW(Dyn) *d = caller->l_ld; name && callers && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && same_text(callers + d->d_un.d_val, name)) return true;
    return false;
}

/* How many objects there were when the program began: what these have is found first, whoever asks. */
static int first_objects;

static OUT_OF_LINE int pass_object(struct dl_phdr_info *object, size_t size, void *data) {
    Walk *w = data;
    (void)size;
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC) dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    bool own = dynamic == (const void *)_DYNAMIC;
    struct link_map map = {.l_addr = object->dlpi_addr, .l_ld = (ElfW(Dyn) *)dynamic};
    w->is_after = w->is_after || own;
    w->objects++;
    if (!w->caller_is.l_ld && w->caller && holds(object, w->caller)) {
        w->caller_is = map;
        w->caller_is_after = w->is_after && !own;
    }
    if (!dynamic || own || !w->is_after || !w->name) return 0;
    const ElfW(Sym) *symbol = in_object(&map, w->name);
    if (!symbol) return 0;
    uintptr_t found = object->dlpi_addr + symbol->st_value;
    if (!w->count++) {
        w->first = found;
        w->first_at = w->objects;
    }
    /* Its own comes before what it needs. Here, as what is no longer loaded cannot be asked. */
    if (w->caller_is.l_ld && (w->caller_is.l_ld == map.l_ld || (!w->meant && needs(&w->caller_is, &map)))) w->meant = found;
    return 0;
}

/* How often objects were loaded and unloaded so far. */
static int count_loads(struct dl_phdr_info *object, size_t size, void *data) {
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof object->dlpi_subs)
        ((Walk *)data)->loads = object->dlpi_adds + object->dlpi_subs;
    return 1;
}

typedef struct { Function real; unsigned long long loads; bool several; } Next;
static Next named[CALLS];
static Function asked[ASKED];

static bool is_loaded(uintptr_t address) {
    Walk w = {.caller = address};
    dl_iterate_phdr(pass_object, &w);
    return w.caller_is.l_ld != NULL;
}

/* The function that a caller of `which` by its name means; NULL: there is none. Of several that were loaded later it is that
 * of the runtime which the caller's library is or needs, else the first that was met. Once it is known that there is but one,
 * it is looked for again only when something was loaded or unloaded. */
static OUT_OF_LINE Function next_of(int which, const void *caller) {
    Next *n = &named[which];
    Function known = __atomic_load_n(&n->real, __ATOMIC_ACQUIRE);
    Walk w = {.caller = (uintptr_t)caller};
    dl_iterate_phdr(count_loads, &w);
    if (known && w.loads && !n->several && w.loads == __atomic_load_n(&n->loads, __ATOMIC_ACQUIRE)) return known;
    dl_iterate_phdr(pass_object, &w);
    w.name = call_names;
    for (int i = 0; i < which; i++) w.name += strlen(w.name) + 1;
    w.objects = w.is_after = 0;
    dl_iterate_phdr(pass_object, &w);
    if (known && !is_loaded((uintptr_t)known)) known = NULL;
    bool is_first = w.count && w.first_at <= first_objects;
    if (!is_first && w.count > 1 && w.meant) return (Function)w.meant;
    if (is_first || !known) known = (Function)w.first;
    n->several = w.count > 1 && !is_first;
    __atomic_store_n(&n->real, known, __ATOMIC_RELEASE);
    __atomic_store_n(&n->loads, w.loads, __ATOMIC_RELEASE);
    return known;
}

/* The function of that name in the first object after ours that has it. */
static OUT_OF_LINE Function function_after(const char *name) {
    Walk w = {.name = name};
    dl_iterate_phdr(pass_object, &w);
    return (Function)w.first;
}
