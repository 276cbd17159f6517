/* The line engine's trace function in C: the same accounting as jetson_memprof/engine/pure.py, event by event.
 *
 * Built without Python.h, so that one file serves CPython 3.6 to 3.15: only exported functions are used, and the
 * two fields of a frame that had no function before 3.9 and 3.11 are read at offsets that accelerator.py probes.
 * Every function here runs with the GIL held, which is the lock of all state below.
 * The numbers of the counters file are those of engine/layout.py.
 */
#define _GNU_SOURCE
#include "clock.h"
#include "meter.h"
#include "module.h"
#include "passed.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

typedef struct _frame PyFrameObject;
typedef int (*Py_tracefunc)(PyObject *, PyFrameObject *, int, PyObject *);
extern void PyEval_SetTrace(Py_tracefunc, PyObject *);
extern int PyFrame_GetLineNumber(PyFrameObject *);
/* 3.9 and later, 3.11 and later, up to 3.11, 3.12 and later. */
extern PyObject *PyFrame_GetCode(PyFrameObject *) __attribute__((weak));
extern int PyFrame_GetLasti(PyFrameObject *) __attribute__((weak));
extern int _PyCode_GetExtra(PyObject *, ptrdiff_t, void **) __attribute__((weak));
extern int _PyCode_SetExtra(PyObject *, ptrdiff_t, void *) __attribute__((weak));
extern ptrdiff_t _PyEval_RequestCodeExtraIndex(void (*)(void *)) __attribute__((weak));
extern int PyUnstable_Code_GetExtra(PyObject *, ptrdiff_t, void **) __attribute__((weak));
extern int PyUnstable_Code_SetExtra(PyObject *, ptrdiff_t, void *) __attribute__((weak));
extern ptrdiff_t PyUnstable_Eval_RequestCodeExtraIndex(void (*)(void *)) __attribute__((weak));

enum { EVENT_CALL, EVENT_EXCEPTION, EVENT_LINE, EVENT_RETURN };

enum { H_HIGHEST = 11, SLOTS_AT = 64, SLOT_WORDS = 48, SLOTS = 60, S_RSS = 1, S_THREAD = 2, S_NAME = 4, S_STACK = 16 };
enum { NAME_BYTES = (S_STACK - S_NAME) * 8, STACK_WORDS = 32, STACK_SHOWN = 23, FILE_SHIFT = 35, DEPTH_SHIFT = 22 };
enum { CELL_WORDS = 9, C_HITS = 0, C_NET, C_SELF, C_MAX, C_PEAK, C_USAGE, C_UNCERTAIN, C_MOVED, C_PEAK_MOST };
enum { F_CALLS = 2, F_TIME, F_NET, F_PEAK };
enum { HOLD_EVENTS = 1024, PEAK_NS = 10000, SLACK_KIB = 256, OWN_PAGES = 64 };
enum { SAVED_READINGS = 64, REST_GATES = 40, LINES_KNOWN = 64, UNREAD_NS = 1000000 }; /* see readings.py */
enum { GROWTH_PER_US = 32, SHRINK_PER_US = 128 }; /* pages, see pure.py */
enum { WATCHED_BYTES = 128, MOST_PLACES = 64 };   /* see cuda/watch.py */
#define RARELY(what) __builtin_expect(!!(what), 0)
#define NOT_BEGUN INT32_MAX
#define NEVER_RESUMES INT32_MAX
#define NO_CEILING (INT64_C(1) << 50) /* KiB */
#define CONTINUES -2 /* a class body: its first line goes on with the class statement */

/* A line that is measured before and after; `line` is how its user numbers it, `hits` are what was measured. */
typedef struct {
    int64_t cell;
    int32_t line, hits;
} Marked;

/* A measured file. `statement_of` has `lines` + 1 entries, `resumed` threes, see statements.py. Never freed. */
typedef struct {
    int64_t *words;
    const int32_t *statement_of, *resumed;
    int32_t *starts; /* of each three, the instruction at which its statement began last */
    int32_t lines, threes;
    int64_t tag;
    Marked *marked;
    int32_t marked_count;
} File;

/* One code object of a measured file, hung on the code object itself and freed with it. */
typedef struct {
    File *file;
    int32_t function; /* index into `totals_of`, -1: no totals of its own */
    int32_t resumes_after;
    int32_t active;
} Code;

/* KiB: the highest since the open line began, and of the lines of its function that ended; 0: none known. */
typedef struct {
    int64_t line, function;
} Heights;

/* What was held for sure, and what can have been held where that is more, but for what was doubtful since. */
enum { HELD, AT_MOST, HEIGHTS };

typedef struct {
    PyFrameObject *frame; /* borrowed: only compared */
    Code *code;
    int64_t tag; /* the file's, with the depth */
    int64_t cell, run, total, entry, function_entry, function_since;
    Heights heights[HEIGHTS];
    int64_t rss; /* pages, as the line began */
    int64_t doubted; /* the thread's as the line began, less what may be of the lines before */
    int64_t since; /* when the line began; also what tells its executions apart */
    int32_t begun_at;
    int32_t again; /* the same code is open further out too */
} Activation;

typedef struct Thread {
    Activation *stack;
    int32_t depth, room, slot;
    pid_t id;
    /* See sharing.h: page faults until the latest look, and between the latest two; pages of those that RSS did not have
     * yet; ns on a processor until the latest look. */
    int64_t faulted, fresh_faults, late, ran;
    int64_t passed_over; /* of its page faults, those that were made here */
    /* In a look: ns on a processor since the one before; the pages that it can have given back, and taken at least and at
     * some moment at most; the limits of its part and its part; and whether it is likely to have given back. */
    int64_t passed, can, floor, might, low, high, part;
    int is_likely;
    /* Pages that other threads, or the engine, took since the open lines took account of it; that other threads took
     * between the latest two looks. */
    int64_t behind, others;
    int64_t doubted; /* pages that were charged to it so far and may be another's, or the other way around */
    /* Of the function that ended last, in a line that began then: its totals, and how many pages of its net may still be
     * given back, as its own variables are freed only after it has returned. */
    struct { int64_t *totals, room, since; } ended;
    int64_t *lines; /* for look_beside: three words for each open line */
    int32_t lines_room;
    char name[NAME_BYTES];
    struct Thread *next_open, *previous_open; /* threads with open lines */
    struct Thread *next_ended;
} Thread;

static Code library; /* marks code that is not measured */
static ptrdiff_t code_offset, lasti_offset, extra_index;
static int (*get_extra)(PyObject *, ptrdiff_t, void **);
static int (*set_extra)(PyObject *, ptrdiff_t, void *);
static PyObject *classify; /* Python: (code, lasti) -> file | flags, see below */
static PyObject *look_beside; /* Python: (thread, open lines, the previous event, others open?) -> None */
static File **files;
static int64_t **totals_of; /* by function index */
static int32_t file_room, totals_room;

/* What cuda/beside.py reads: when the next look is due, and the places at which a change is noticed before that. */
static struct {
    int64_t due;
    int descriptor, places;
    int64_t at[MOST_PLACES];
    char seen[MOST_PLACES][WATCHED_BYTES];
} beside = {.due = INT64_MAX};

static pid_t pid;
static int peak, stopped;
static int64_t gate, price; /* ns, see readings.py; price is 0 where no readings are saved */
static int64_t *head;
static Thread *slot_owner[SLOTS];
static char slot_busy[SLOTS];

static int64_t next_read, read_at;
static int64_t next_saved; /* when a saved reading is there */
static int64_t rests[LINES_KNOWN]; /* until when a line is to have none, see rest_of() */
static int64_t event_at; /* when the latest event was over */
static int64_t quick;    /* ns in which nothing can move, see quickest_change() */
static int64_t own_pages; /* of counters, paged in since a function was made known */
static int64_t skipped_at; /* the latest event that went by unread and before which RSS may have moved, 0: none */
static int32_t hold;
static Thread *open_threads, *latest;
static Thread *ended_threads; /* to be used again; the only state touched without the GIL */
static __thread Thread *mine;
/* Part of glibc since 2.18; pthread keys would tie the library to the newest one. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern void *__dso_handle;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t highest(int64_t a, int64_t b) { return a > b ? a : b; }

/* What other threads took is no part of what the open lines hold: it was there at their entry, so to say. */
static void catch_up(Thread *t) {
    int64_t pages = t->behind, kib = pages * page_kib;
    t->behind = 0;
    for (int32_t i = 0; i < t->depth; i++) {
        Activation *a = &t->stack[i];
        a->entry += pages;
        a->function_entry += pages;
        for (Heights *each = a->heights; each < a->heights + HEIGHTS; each++) {
            if (each->line) each->line += kib;
            if (each->function) each->function += kib;
        }
    }
}

/* The open lines of a thread held `height` KiB at some moment, or can have, unless what is known is less than `slack` below.
 * Where that is taken to be what was held, it can have been `most` KiB. */
static void raise_to(Thread *t, int which, int64_t height, int64_t slack, int64_t most) {
    int64_t known = 0, sure = height - slack;
    for (int32_t i = t->depth - 1; i >= 0; i--) {
        Heights *heights = t->stack[i].heights, *at = &heights[which];
        known = highest(known, at->line);
        if (sure > known && sure > t->stack[i].entry * page_kib) {
            at->line = height;
            heights[AT_MOST].line = highest(heights[AT_MOST].line, most);
        }
        known = highest(known, at->function);
    }
}

/* RSS was `high` KiB at some moment, or up to `off` KiB more or less, and nobody but `by` had to do with it. */
static void fold(Thread *by, int64_t high, int64_t off) {
    for (Thread *t = open_threads; t; t = t->next_open) {
        if (t != by && open_threads->next_open) continue;
        catch_up(t);
        raise_to(t, HELD, high, SLACK_KIB, high + off); /* which may be the mark's rounding */
    }
}

/* Whether the line is open further out too, in the same code (recursion) or in other code on it. */
static int is_open_below(const Thread *t, const Activation *a) {
    for (const Activation *below = a - 1; below >= t->stack; below--)
        if (below->cell == a->cell && below->code->file == a->code->file) return 1;
    return 0;
}

/* `unsure` pages may be of the lines before, `doubt` pages another thread's: they are in the nets of all that is open. */
static void charge(Thread *t, int64_t change, int64_t unsure, int64_t doubt) {
    if (!t->depth) return;
    Activation *a = &t->stack[t->depth - 1];
    int64_t *cell = a->code->file->words + a->cell;
    a->run += change;
    cell[C_SELF] += change;
    if (change < 0 && t->ended.room > 0 && t->ended.since == a->since) {
        int64_t back = least(-change, t->ended.room);
        t->ended.totals[F_NET] -= back;
        t->ended.room -= back;
    }
    for (Thread *other = open_threads; other && change; other = other->next_open)
        if (other != t) other->behind += change;
    t->doubted += doubt;
    if (unsure > doubt) {
        cell[C_UNCERTAIN] += unsure - doubt;
        a->doubted -= unsure - doubt;
    }
    if (!doubt) return;
    for (; a >= t->stack; a--)
        if (!is_open_below(t, a)) a->code->file->words[a->cell + C_UNCERTAIN] += doubt;
}

/* How many pages may have moved, in the direction of `change`, in so long a time. */
static int64_t movable(int64_t ns, int64_t change) {
    if (ns < 0) ns = 0;
    return 1 + ns * (change > 0 ? GROWTH_PER_US : SHRINK_PER_US) / 1000;
}

/* Small where it is not often: the library is packed for each architecture. */
#pragma GCC push_options
#pragma GCC optimize("Os")
#include "sharing.h"
#include "kept.h"
#pragma GCC pop_options

/* Charge a change to an open line; `t` is the thread that has read it, `now`. Returns whether threads were looked at. */
static int book(Thread *t, int64_t change, int64_t now) {
    int64_t size = change < 0 ? -change : change, unsure = 0;
    if (skipped_at) unsure = movable(skipped_at - read_at, change);
    if (unsure > size) unsure = size;
    unsure = highest(unsure, unsure_of_kept());
    if (open_threads && open_threads->next_open) {
        Thread *before = latest && latest->depth ? latest : NULL;
        if (is_to_look(change, now)) {
            divide(t->depth ? t : before ? before : open_threads, change, unsure);
            return 1;
        }
        if (before && before != t) pass_over_run(before);
    }
    if (!change && !unsure) return 0;
    if (t->depth) {
        charge(t, change, unsure, latest && latest != t ? size : 0);
        if (latest && latest != t) charge(latest, 0, 0, size); /* which may lack it */
    } else if (latest && latest->depth) charge(latest, change, 0, size); /* which made or woke this thread */
    else if (open_threads) charge(open_threads, change, 0, size);
    return 0;
}

/* Where it is kept until when the thread's open line is to have no saved reading. */
static int64_t *rest_of(const Thread *t) {
    return &rests[t->depth ? t->stack[t->depth - 1].cell % LINES_KNOWN : 0];
}

/* The open line, which ends here, has a reading. */
static void pay(const Thread *t, int64_t now) {
    next_read = event_at + gate;
    next_saved = highest(next_saved, now - SAVED_READINGS * gate) + price;
    *rest_of(t) = now + REST_GATES * gate;
}

/* A reading is due, but nothing can have moved since the latest one. Others may take memory without an event. */
static int is_needless(int64_t now) {
    if (hold) return now - read_at < gate;
    return price && !skipped_at && now - read_at < UNREAD_NS && !(open_threads && open_threads->next_open);
}

static void pass_over_needless(const Thread *t, int64_t now) {
    event_at = now;
    if (hold) {
        hold--;
        return;
    }
    next_read = now + gate;
    *rest_of(t) = now + REST_GATES * gate;
}

/* What every event does: read RSS where it is time to, and charge the change to the thread's open line. */
static void settle(Thread *t, int64_t now) {
    int unmoved = latest == t && now - event_at < quick, is_due = now >= next_read;
    if (!is_due && (unmoved || now < next_saved || now < *rest_of(t))) {
        if (!unmoved) skipped_at = now;
        latest = t;
        event_at = now;
        return;
    }
    if (is_due && unmoved && is_needless(now)) {
        pass_over_needless(t, now);
        return;
    }
    int64_t before = last, pages = read_rss(), change = pages - last, high = 0, off = 0, ceiling = NO_CEILING;
    last = pages;
    if (peak && (now - read_at >= PEAK_NS || change * page_kib < -SLACK_KIB)) {
        high = high_water();
        int new = high > mark;
        high += bias;
        ceiling = highest(high, last * page_kib);
        if (high <= last * page_kib + SLACK_KIB || !(new || change < 0)) {
            high = 0;
        } else {
            int64_t all = high + samplers_pages() * page_kib;
            if (new && all > head[H_HIGHEST]) head[H_HIGHEST] = all;
            off = most_off();
            reset_mark();
            if (!new) high = 0;
        }
    }
    int looked = (change || kept.off || (open_threads && open_threads->next_open)) && book(t, change, now);
    if (looked) fold_looked(high, off || ceiling == NO_CEILING ? off : most_off(), ceiling, before);
    else if (high) fold(t->depth ? t : latest, high, off);
    if (change) {
        hold = HOLD_EVENTS;
        next_read = 0;
    }
    read_at = now;
    skipped_at = 0;
    event_at = now_ns();
    if (hold) hold--;
    else if (price) pay(t, now);
    else next_read = event_at + gate;
    latest = t;
}

static void settle_at_once(Thread *t, int64_t now) {
    next_read = event_at = 0;
    settle(t, now);
}

static void note_usage(Activation *a) {
    int64_t *cell = a->code->file->words + a->cell;
    if (last > cell[C_USAGE] && a->begun_at != NOT_BEGUN) cell[C_USAGE] = last;
}

static void end_line(Thread *t, Activation *a) {
    int64_t *cell = a->code->file->words + a->cell;
    if (a->run) {
        a->total += a->run;
        if (!is_open_below(t, a)) { /* else it will be counted there */
            cell[C_NET] += a->run;
            if (++cell[C_MOVED] == 1 || a->run > cell[C_MAX]) cell[C_MAX] = a->run;
        }
        a->run = 0;
    }
    Heights *held_to = &a->heights[HELD], *can_have = &a->heights[AT_MOST];
    int64_t entry = a->entry * page_kib, doubted = t->doubted - a->doubted;
    held_to->line = highest(held_to->line, last * page_kib);
    int64_t held = held_to->line - entry;
    if (held > cell[C_PEAK]) cell[C_PEAK] = held;
    if (can_have->line || doubted)
        cell[C_PEAK_MOST] = highest(cell[C_PEAK_MOST], highest(held, can_have->line - entry) + doubted * page_kib);
    for (Heights *each = a->heights; each < a->heights + HEIGHTS; each++) {
        each->function = highest(each->function, each->line);
        each->line = 0;
    }
    a->doubted = t->doubted;
}

static int unsettled(const Thread *t, const Activation *a) {
    return a->run || a->heights[HELD].line || a->heights[AT_MOST].line || last != a->entry || t->doubted != a->doubted;
}

static void show(Thread *t, const Activation *a) {
    if (t->slot < 0) return;
    int64_t *slot = head + SLOTS_AT + t->slot * SLOT_WORDS;
    __atomic_signal_fence(__ATOMIC_RELEASE); /* what show_outer() said comes first, whenever the process is killed */
    slot[0] = a->tag + a->cell;
    slot[S_RSS] = a->rss;
}

/* The line at `depth`, in which another one is open, or is about to be. */
static void show_outer(const Thread *t, int32_t depth) {
    if (t->slot < 0) return;
    int64_t *slot = head + SLOTS_AT + t->slot * SLOT_WORDS;
    slot[S_STACK + depth % STACK_WORDS] = t->stack[depth].tag + t->stack[depth].cell;
}

static int64_t depth_bits(int32_t depth) {
    return (int64_t)(depth < 2 * STACK_WORDS ? depth : depth % STACK_WORDS + STACK_WORDS) << DEPTH_SHIFT;
}

/* The thread has its first open line. */
static void occupy(Thread *t) {
    if (t->slot < 0 || slot_owner[t->slot] != t) {
        t->slot = -1;
        for (int i = 0; i < SLOTS; i++)
            if (!slot_busy[i]) { t->slot = i; break; }
    } else if (slot_busy[t->slot]) {
        t->slot = -1;
    }
    if (t->slot >= 0) {
        slot_owner[t->slot] = t;
        slot_busy[t->slot] = 1;
        int64_t *slot = head + SLOTS_AT + t->slot * SLOT_WORDS;
        slot[S_THREAD] = t->id;
        memcpy(slot + S_NAME, t->name, NAME_BYTES);
    }
    t->behind = 0;
    if (open_threads) begin_sharing(t, open_threads);
    t->previous_open = NULL;
    t->next_open = open_threads;
    if (open_threads) open_threads->previous_open = t;
    open_threads = t;
}

/* The thread has no open line any more; it may end without telling us. */
static void vacate(Thread *t) {
    if (t->slot >= 0) {
        slot_busy[t->slot] = 0;
        head[SLOTS_AT + t->slot * SLOT_WORDS] = 0;
    }
    if (t->previous_open) t->previous_open->next_open = t->next_open;
    else open_threads = t->next_open;
    if (t->next_open) t->next_open->previous_open = t->previous_open;
}

static PyObject *code_of(PyFrameObject *frame) {
    if (code_offset) return *(PyObject **)((char *)frame + code_offset);
    PyObject *code = PyFrame_GetCode(frame);
    Py_DecRef(code); /* the frame keeps it */
    return code;
}

static int32_t lasti_of(PyFrameObject *frame) {
    return lasti_offset ? *(int32_t *)((char *)frame + lasti_offset) : PyFrame_GetLasti(frame);
}

static int64_t cell_of(const File *file, int line) {
    return line > 0 && line <= file->lines ? file->statement_of[line] * (int64_t)CELL_WORDS : 0;
}

/* The three of a statement that Python comes back to, -1: there is none. */
static int32_t three_of(const File *file, int64_t cell) {
    const int32_t line = (int32_t)(cell / CELL_WORDS);
    int32_t low = 0, high = file->threes;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (file->resumed[3 * middle] < line) low = middle + 1;
        else high = middle;
    }
    return low < file->threes && file->resumed[3 * low] == line ? low : -1;
}

/* Whether that statement, come to from that line, goes on and is not begun. */
static int goes_on(const File *file, int32_t three, int64_t from) {
    const int32_t *found = file->resumed + 3 * three, before = (int32_t)(from / CELL_WORDS);
    return found[1] <= before && before <= found[2];
}

static int64_t *totals_for(const Code *code) { return code->function >= 0 ? totals_of[code->function] : NULL; }

static void release_code(void *extra) {
    if (extra != &library) free(extra);
}

#pragma GCC push_options
#pragma GCC optimize("Os")
/* The engine itself took a little: nobody's. More than that was another thread meanwhile. */
static void forget_own_change(void) {
    int64_t before = last, pages = read_rss(), change = pages - last, allowed = OWN_PAGES + own_pages;
    last = pages;
    own_pages = 0;
    if (change >= 0 && change <= allowed) {
        pass_over_own_faults();
        for (Thread *t = open_threads; t; t = t->next_open) t->behind += change;
        return;
    }
    Thread *by = mine && mine->depth ? mine : open_threads;
    if (by && open_threads->next_open) {
        divide(by, change, 0);
        fold_looked(0, 0, NO_CEILING, before);
    } else if (open_threads) {
        charge(open_threads, change, 0, change < 0 ? -change : change);
    }
}

static PyObject *none(void) { return Py_BuildValue(""); }

#include "marks.h"

/* classify answers: bit 0 measured; bit 1 resumes; bit 2 a class body; bit 3 a library's that begins a phase;
 * bit 4 nothing of its file is measured; bits 8..31 file index; bits 32.. function index + 1. */
static int64_t classified(PyObject *code, int32_t at) {
    PyObject *answer = PyObject_CallFunction(classify, "Oi", code, (int)at);
    int64_t flags = answer ? PyLong_AsLongLong(answer) : -1;
    if (answer) Py_DecRef(answer);
    if (flags == -1) PyErr_WriteUnraisable(classify); /* it is no answer */
    return flags;
}

static Code *new_code(Thread *t, PyObject *object, PyFrameObject *frame) {
    if (getpid() != pid) return &library; /* a forked child on its way to child() */
    settle_at_once(t, now_ns()); /* before the engine takes memory for what is new */
    int64_t answer = classified(object, lasti_of(frame));
    if (answer == 16 && pass_by(object)) {
        forget_own_change();
        return &library;
    }
    if (answer == 8) beside.due = 0; /* a phase begins: looked at by enter() */
    Code *code = &library;
    if (answer > 0 && answer & 1) {
        int32_t index = answer >> 8 & 0xffffff;
        if (index >= file_room || !files[index]) return &library; /* another thread is just making it known: asked again */
        code = calloc(1, sizeof *code);
        if (!code) return &library;
        code->file = files[index];
        code->function = (int32_t)(answer >> 32) - 1;
        code->resumes_after = answer & 2 ? lasti_of(frame) : answer & 4 ? CONTINUES : NEVER_RESUMES;
    }
    void *meanwhile = NULL; /* classify is Python: another thread may have met the same code */
    get_extra(object, extra_index, &meanwhile);
    if (meanwhile || set_extra(object, extra_index, code) != 0) {
        release_code(code);
        code = meanwhile ? meanwhile : &library;
    }
    forget_own_change();
    return code;
}

static int watched_moved(void) {
    char found[WATCHED_BYTES];
    for (int i = 0; i < beside.places; i++)
        if (pread(beside.descriptor, found, WATCHED_BYTES, beside.at[i]) != WATCHED_BYTES ||
            memcmp(found, beside.seen[i], WATCHED_BYTES))
            return 1;
    return 0;
}

/* Let Python look at what is not RSS. What that takes is nobody's, so RSS was settled right before.
 * Returns -1 with the exception that a signal's handler of the program's has raised. */
static int look_from_here(Thread *t, int64_t before) {
    if (t->depth > t->lines_room) {
        int64_t *grown = realloc(t->lines, t->depth * 2 * 3 * sizeof *grown);
        if (!grown) return 0;
        t->lines = grown;
        t->lines_room = t->depth * 2;
    }
    for (int32_t i = 0; i < t->depth; i++) {
        t->lines[3 * i] = (t->stack[i].tag >> FILE_SHIFT) - 1;
        t->lines[3 * i + 1] = t->stack[i].cell;
        t->lines[3 * i + 2] = t->stack[i].since;
    }
    PyObject *lines = PyBytes_FromStringAndSize((char *)t->lines, t->depth * 3 * (ptrdiff_t)sizeof *t->lines);
    if (!lines) {
        PyErr_Clear();
        return 0;
    }
    PyObject *answer = PyObject_CallFunction(look_beside, "lNLi", (long)t->id, lines, (long long)before,
                                             open_threads && open_threads->next_open);
    forget_own_change();
    if (!answer) return -1;
    Py_DecRef(answer);
    return 0;
}

#pragma GCC pop_options

/* What every event of a thread with an open line does: all that is to be read is, and charged. Returns as above. */
static int account(Thread *t, int64_t now) {
    if (!t->depth || (now < beside.due && !watched_moved())) {
        settle(t, now);
        if (t->behind) catch_up(t);
        return 0;
    }
    int64_t before = event_at;
    settle_at_once(t, now);
    int failed = look_from_here(t, before);
    if (t->behind) catch_up(t);
    return failed;
}

static int enter(Thread *t, PyFrameObject *frame) {
    PyObject *object = code_of(frame);
    if (is_passed_by(object)) return 0;
    void *extra = NULL;
    get_extra(object, extra_index, &extra);
    int64_t before = event_at;
    Code *code = extra ? extra : new_code(t, object, frame);
    if (code == &library) return extra || beside.due ? 0 : look_from_here(t, before);
    int64_t now = now_ns();
    if (account(t, now)) return -1;
    if (t->depth == t->room) {
        int32_t room = t->room ? t->room * 2 : 64;
        Activation *grown = realloc(t->stack, room * sizeof *grown);
        if (!grown) return 0;
        t->stack = grown;
        t->room = room;
    }
    int32_t again = 0;
    if (code->active)
        for (int32_t i = t->depth - 1; i >= 0 && !again; i--) again = t->stack[i].code == code;
    if (!t->depth) occupy(t);
    else show_outer(t, t->depth - 1);
    Activation *a = &t->stack[t->depth];
    memset(a, 0, sizeof *a);
    a->tag = code->file->tag + depth_bits(t->depth++);
    a->frame = frame;
    a->code = code;
    a->cell = cell_of(code->file, PyFrame_GetLineNumber(frame));
    a->entry = a->function_entry = a->rss = last;
    a->doubted = t->doubted;
    a->function_since = a->since = now;
    a->again = again;
    int32_t at = lasti_of(frame);
    /* A lambda on the line that calls it goes on with that line. */
    if (at > code->resumes_after || (code->function < 0 && is_open_below(t, a))) {
        a->begun_at = at;
    } else {
        a->begun_at = NOT_BEGUN;
        int64_t *totals = totals_for(code);
        if (totals) totals[F_CALLS]++;
    }
    code->active++;
    show(t, a);
    return 0;
}

static int leave(Thread *t) {
    int64_t now = now_ns();
    Marking *ends = RARELY(marking) ? open_marking(t) : NULL;
    if (RARELY(ends)) next_read = event_at = 0;
    int failed = account(t, now);
    if (RARELY(ends)) end_marked(t, ends);
    Activation *a = &t->stack[t->depth - 1];
    note_usage(a);
    if (unsettled(t, a)) end_line(t, a);
    Code *code = a->code;
    code->active--;
    int64_t *totals = totals_for(code);
    if (totals && !a->again) {
        /* Never 0, which says that no call has ended. */
        totals[F_TIME] += now > a->function_since ? now - a->function_since : 1;
        totals[F_NET] += a->total;
        int64_t held = a->heights[HELD].function - a->function_entry * page_kib;
        if (held > totals[F_PEAK]) totals[F_PEAK] = held;
    }
    int64_t total = a->total;
    t->ended.totals = totals;
    t->ended.room = totals && !a->again ? total : 0;
    Heights gone[HEIGHTS];
    memcpy(gone, a->heights, sizeof gone);
    if (--t->depth == 0) {
        vacate(t);
        return failed;
    }
    a = &t->stack[t->depth - 1];
    t->ended.since = a->since;
    a->run += total;
    for (int i = 0; i < HEIGHTS; i++) a->heights[i].line = highest(a->heights[i].line, gone[i].function);
    if (t->depth > STACK_SHOWN) show_outer(t, t->depth - 1 - STACK_SHOWN); /* deeper ones took its place */
    show(t, a);
    return failed;
}

static int line(Thread *t, PyFrameObject *frame) {
    Activation *a = &t->stack[t->depth - 1];
    File *file = a->code->file;
    int64_t new = cell_of(file, PyFrame_GetLineNumber(frame));
    int32_t at = lasti_of(frame);
    if (new == a->cell && at > a->begun_at) return 0; /* the same statement goes on */
    int32_t three = three_of(file, new), start = at;
    Marked *next = NULL;
    if (three >= 0 && goes_on(file, three, a->cell)) {
        start = file->starts[three]; /* whatever of it comes now */
    } else {
        file->words[new + C_HITS]++;
        if (three >= 0) file->starts[three] = at;
        if (RARELY(marking)) next = marked_that_begins(t, file, new);
    }
    int64_t now = now_ns();
    Marking *ends = RARELY(marking) ? open_marking(t) : NULL;
    if (RARELY(next || ends)) next_read = event_at = 0;
    int failed = account(t, now);
    if (RARELY(ends)) end_marked(t, ends);
    note_usage(a);
    if (unsettled(t, a)) {
        end_line(t, a);
        a->entry = last;
    }
    a->rss = last;
    a->cell = new;
    a->begun_at = start;
    a->since = now;
    show(t, a);
    if (RARELY(next)) begin_marked(t, a, next);
    return failed;
}

static int trace(PyObject *self, PyFrameObject *frame, int event, PyObject *arg) {
    (void)self;
    (void)arg;
    Thread *t = mine;
    if (stopped || !t) return 0;
    /* Another thread ran meanwhile: what it took is to be noticed now, not later together with what this one takes. */
    if (latest != t && t->depth && open_threads->next_open) settle(t, now_ns());
    if (event == EVENT_CALL) return enter(t, frame);
    else if (!t->depth || t->stack[t->depth - 1].frame != frame) return 0; /* a frame that is not measured */
    else if (event == EVENT_LINE) return line(t, frame);
    else if (event == EVENT_RETURN) return leave(t);
    return 0;
}

/* ---- called from accelerator.py ---- */

#pragma GCC optimize("Os")

/* configure(classify, look, code_offset, lasti_offset, statm, clear, status, page_kib, gate, price, peak, counts, kept, file,
 * offset) -> None, or why this cannot be used here. */
static PyObject *configure(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *callback, *look;
    long long code_at, lasti_at, kib;
    long long gate_ns, price_ns;
    long long file_at, kept_of_marks;
    int has_peak, counts, file;
    if (!PyArg_ParseTuple(arguments, "OOLLiiiLLLiiLiL", &callback, &look, &code_at, &lasti_at, &statm_fd, &clear_fd, &status_fd,
                          &kib, &gate_ns, &price_ns, &has_peak, &counts, &kept_of_marks, &file, &file_at))
        return NULL;
    if (classify) return Py_BuildValue("s", "another interpreter of this process uses it.");
    ptrdiff_t (*request)(void (*)(void *)) = NULL;
    if (PyUnstable_Eval_RequestCodeExtraIndex && PyUnstable_Code_GetExtra && PyUnstable_Code_SetExtra) {
        request = PyUnstable_Eval_RequestCodeExtraIndex;
        get_extra = PyUnstable_Code_GetExtra;
        set_extra = PyUnstable_Code_SetExtra;
    } else if (_PyEval_RequestCodeExtraIndex && _PyCode_GetExtra && _PyCode_SetExtra) {
        request = _PyEval_RequestCodeExtraIndex;
        get_extra = _PyCode_GetExtra;
        set_extra = _PyCode_SetExtra;
    }
    int lacking = !request || (!code_at && !PyFrame_GetCode) || (!lasti_at && !PyFrame_GetLasti);
    extra_index = lacking ? -1 : request(release_code);
    if (extra_index < 0) return Py_BuildValue("s", "this Python lacks functions that it needs.");
    begin_clock();
    pid = getpid();
    code_offset = code_at;
    lasti_offset = lasti_at;
    page_kib = kib;
    quick = quickest_change();
    gate = gate_ns;
    price = price_ns;
    peak = has_peak;
    kept_of_mark = kept_of_marks;
    cpus = sysconf(_SC_NPROCESSORS_ONLN);
    classify = callback;
    look_beside = look;
    Py_IncRef(classify);
    Py_IncRef(look_beside);
    if (counts < 0) {
        sync_page = mmap(NULL, (size_t)page_kib * 1024, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (sync_page == MAP_FAILED) {
            sync_page = NULL;
            return Py_BuildValue("s", "there is no memory for it.");
        }
        *sync_page = 1;
    }
    if (counts > 0 && !begin_keeping(counts, file, file_at, price > 0)) return Py_BuildValue("s", "there is no memory for it.");
    return none();
}

static void start_from_here(void) {
    begin_kept();
    last = read_rss();
    if (peak) reset_mark();
    latest = NULL;
    hold = 0;
    next_read = read_at = skipped_at = event_at = 0;
    next_saved = price ? 0 : INT64_MAX;
    memset(rests, 0, sizeof rests);
}

/* rebase(): start again from the RSS and the high-water mark of now, charging nobody. */
static PyObject *rebase(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    start_from_here();
    return none();
}

/* look(due, descriptor, addresses, seen, taken): the next look is due at `due`, or when one of the places in
 * /proc/self/mem, `descriptor`, is not as `seen` any more; addresses are int64 in bytes. `taken` bytes of counters were
 * made meanwhile. */
static PyObject *set_look(PyObject *self, PyObject *arguments) {
    (void)self;
    long long due, taken;
    int descriptor;
    Buffer at, seen;
    if (!PyArg_ParseTuple(arguments, "Liy*y*L", &due, &descriptor, &at, &seen, &taken)) return NULL;
    ptrdiff_t places = at.size / 8 < MOST_PLACES ? at.size / 8 : MOST_PLACES;
    if (places > seen.size / WATCHED_BYTES) places = seen.size / WATCHED_BYTES;
    beside.due = due;
    beside.descriptor = descriptor;
    beside.places = (int)places;
    memcpy(beside.at, at.bytes, places * sizeof *beside.at);
    memcpy(beside.seen, seen.bytes, places * sizeof *beside.seen);
    own_pages += taken / (page_kib * 1024);
    PyBuffer_Release(&at);
    PyBuffer_Release(&seen);
    return none();
}

static Buffer mapped; /* the counters file: held, so that it stays where it is */

/* counters(file): write there from now on, into its header first. */
static PyObject *set_counters(PyObject *self, PyObject *arguments) {
    (void)self;
    Buffer fresh;
    if (!PyArg_ParseTuple(arguments, "w*", &fresh)) return NULL;
    if (head) PyBuffer_Release(&mapped);
    mapped = fresh;
    head = mapped.bytes;
    return none();
}

/* file(index, offset, statement_of, resumed): make a measured file known, or give it other counters. The int32 of both
 * must stay where they are. */
static PyObject *set_file(PyObject *self, PyObject *arguments) {
    (void)self;
    int index;
    long long offset;
    Buffer statements, resumed;
    if (!PyArg_ParseTuple(arguments, "iLy*y*", &index, &offset, &statements, &resumed)) return NULL;
    const int32_t *statement_of = statements.bytes, *threes = resumed.bytes;
    int32_t lines = (int32_t)(statements.size / 4) - 1, count = (int32_t)(resumed.size / 12);
    PyBuffer_Release(&statements);
    PyBuffer_Release(&resumed);
    if (index >= file_room) {
        int32_t room = index + 64;
        File **grown = realloc(files, room * sizeof *grown);
        if (!grown) return PyErr_NoMemory();
        memset(grown + file_room, 0, (room - file_room) * sizeof *grown);
        files = grown;
        file_room = room;
    }
    if (!files[index] && !(files[index] = calloc(1, sizeof **files))) return PyErr_NoMemory();
    files[index]->words = (int64_t *)((char *)mapped.bytes + offset);
    own_pages += (lines + 1) * CELL_WORDS * 8 / (page_kib * 1024) + 1;
    files[index]->statement_of = statement_of;
    files[index]->lines = lines;
    if (count && !files[index]->starts && !(files[index]->starts = calloc(count, sizeof(int32_t)))) return PyErr_NoMemory();
    files[index]->resumed = threes;
    files[index]->threes = count;
    files[index]->tag = (int64_t)(index + 1) << FILE_SHIFT;
    return none();
}

/* function(index, offset): where the counters of that function are. */
static PyObject *set_function(PyObject *self, PyObject *arguments) {
    (void)self;
    int index;
    long long offset;
    if (!PyArg_ParseTuple(arguments, "iL", &index, &offset)) return NULL;
    if (index >= totals_room) {
        int32_t room = index + 512;
        int64_t **grown = realloc(totals_of, room * sizeof *grown);
        if (!grown) return PyErr_NoMemory();
        memset(grown + totals_room, 0, (room - totals_room) * sizeof *grown);
        totals_of = grown;
        totals_room = room;
    }
    totals_of[index] = (int64_t *)((char *)mapped.bytes + offset);
    return none();
}

static void thread_ended(void *ended) {
    Thread *t = ended;
    if (t->depth) return; /* the process is being torn down around it */
    t->next_ended = __atomic_load_n(&ended_threads, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&ended_threads, &t->next_ended, t, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {}
}

/* One that ended, else a new one. Under the GIL, so nobody else takes from the list. */
static Thread *new_thread(void) {
    Thread *t = __atomic_load_n(&ended_threads, __ATOMIC_ACQUIRE);
    while (t && !__atomic_compare_exchange_n(&ended_threads, &t, t->next_ended, 1, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {}
    if (!t) t = calloc(1, sizeof *t);
    if (t) {
        t->slot = -1;
        t->passed_over = 0;
        __cxa_thread_atexit_impl(thread_ended, t, &__dso_handle);
    }
    return t;
}

/* thread(owner, name, frame's address) -> bool: measure the calling thread: the frame, which is just being entered (0:
 * none), and its calls from now on. `owner` is what sys.gettrace() shall return. Returns whether the thread was measured
 * before. */
static PyObject *set_thread(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *owner;
    Buffer name;
    long long address;
    if (!PyArg_ParseTuple(arguments, "Oy*L", &owner, &name, &address)) return NULL;
    char shown[NAME_BYTES] = {0};
    memcpy(shown, name.bytes, name.size < NAME_BYTES ? name.size : NAME_BYTES);
    PyBuffer_Release(&name);
    PyFrameObject *frame = (PyFrameObject *)(intptr_t)address;
    int before = mine != NULL;
    if (!mine && !(mine = new_thread())) return PyBool_FromLong(0);
    mine->id = (pid_t)syscall(SYS_gettid);
    if (mine->depth) { /* another tracer came and went: what was open then cannot be followed any more */
        for (int32_t i = 0; i < mine->depth; i++) mine->stack[i].code->active--;
        mine->depth = 0;
        forget_markings(mine);
        vacate(mine);
    }
    memcpy(mine->name, shown, NAME_BYTES);
    PyEval_SetTrace(trace, owner);
    if (frame && enter(mine, frame)) return NULL;
    return PyBool_FromLong(before);
}

static PyObject *stop(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    stopped = 1;
    PyEval_SetTrace(NULL, NULL);
    return none();
}

/* child(): in a forked child, after counters, file and function: the open lines go on from this process's RSS. */
static PyObject *child(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    pid = getpid();
    memset(slot_owner, 0, sizeof slot_owner);
    memset(slot_busy, 0, sizeof slot_busy);
    for (Thread *t = open_threads; t; t = t->next_open)
        for (int32_t i = 0; i < t->depth; i++) t->stack[i].code->active = 0;
    open_threads = NULL;
    forget_markings(NULL);
    marking = pairs_left = pairs_room;
    passed_over = 0;
    if (mine) mine->passed_over = 0;
    start_from_here();
    if (!mine || !mine->depth) return none();
    mine->slot = -1;
    mine->id = pid;
    mine->ended.room = 0; /* its totals are the parent's */
    occupy(mine);
    for (int32_t i = 0; i < mine->depth; i++) {
        Activation *a = &mine->stack[i];
        a->code->active++;
        a->run = a->total = 0;
        memset(a->heights, 0, sizeof a->heights);
        a->entry = a->function_entry = a->rss = last;
        a->doubted = mine->doubted;
    }
    for (int32_t i = mine->depth > STACK_SHOWN ? mine->depth - 1 - STACK_SHOWN : 0; i < mine->depth - 1; i++)
        show_outer(mine, i);
    show(mine, &mine->stack[mine->depth - 1]);
    return none();
}

/* peek(object, size) -> the bytes of it, for who looks for where a frame keeps what. */
static PyObject *peek(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *object;
    int size;
    if (!PyArg_ParseTuple(arguments, "Oi", &object, &size)) return NULL;
    return PyBytes_FromStringAndSize((const char *)object, size);
}

static Method methods[] = {
    {"configure", configure, WITH_ARGUMENTS, NULL}, {"rebase", rebase, WITHOUT_ARGUMENTS, NULL},
    {"look", set_look, WITH_ARGUMENTS, NULL},       {"counters", set_counters, WITH_ARGUMENTS, NULL},
    {"file", set_file, WITH_ARGUMENTS, NULL},       {"function", set_function, WITH_ARGUMENTS, NULL},
    {"thread", set_thread, WITH_ARGUMENTS, NULL},   {"stop", stop, WITHOUT_ARGUMENTS, NULL},
    {"child", child, WITHOUT_ARGUMENTS, NULL},      {"peek", peek, WITH_ARGUMENTS, NULL},
    {"marks", set_marks, WITH_ARGUMENTS, NULL},     {NULL, NULL, 0, NULL}};
static Definition definition = {.references = 1, .name = "linetrace", .size = -1, .methods = methods};

PyObject *PyInit_linetrace(void) { return PyModule_Create2(&definition, STABLE_ABI); }
