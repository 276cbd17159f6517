/* Whose a change of RSS was, where several threads have an open line, as in jetson_memprof/engine/sharing.py, which
 * says why. Included where a Thread and the list of those with open lines are known. */

enum { LOOK_PAGES = 8, BATCH_PAGES = 64, HUGE_KIB = 2048, AROUND_PAGES = 16, WAKING_NS = 30000, ASK_NS = 20000, HUGE_NS = 1000000 };
#define LONGEST_RUN_NS 1000000000000000ll /* which can have given all memory back */

static int64_t counted;       /* page faults of the process that a look has taken in */
static int64_t files_at_look; /* pages of files in RSS at the latest look */
static int64_t huge_at_look;  /* huge pages that all programs got until that was last asked */
static int64_t asked_huge_at; /* when that was */
static int64_t process_ran;   /* ns on processors until the latest look */
static int64_t moved;         /* pages, since the latest look */
static int64_t asked_at;      /* when the process's page faults were last asked for */
static int64_t strangers_can; /* pages that threads without an open line can have given back in the latest look */

static int64_t faults_of(int who) {
    struct rusage usage;
    return getrusage(who, &usage) == 0 ? usage.ru_minflt + usage.ru_majflt : 0;
}

static int64_t passed_over; /* page faults by which RSS was made to show all (kept.h): nobody's */
static int64_t faults_of_all(void) { return faults_of(RUSAGE_SELF) - passed_over; }

/* Page faults that the thread has had since the latest look. */
static int64_t look(Thread *t) {
    int64_t faulted = 0;
    if (t == mine) {
        faulted = faults_of(RUSAGE_THREAD);
    } else {
        char text[512];
        snprintf(text, sizeof text, "/proc/self/task/%d/stat", (int)t->id);
        int fd = open(text, O_RDONLY | O_CLOEXEC);
        ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
        if (fd >= 0) close(fd);
        text[size > 0 ? size : 0] = 0;
        char *at = strrchr(text, ')'); /* then the state is the 1st field, minflt the 8th, majflt the 10th */
        for (int field = 1; at && (at = strchr(at + 1, ' ')) && field <= 10; field++)
            if (field == 8 || field == 10) faulted += number(at);
    }
    faulted -= t->passed_over;
    t->fresh_faults = faulted > t->faulted ? faulted - t->faulted : 0;
    if (faulted > t->faulted) t->faulted = faulted;
    return t->fresh_faults;
}

static int64_t clock_of(clockid_t clock) {
    struct timespec ran;
    return clock_gettime(clock, &ran) == 0 ? ran.tv_sec * 1000000000ll + ran.tv_nsec : INT64_MAX;
}

/* The kernel's own numbering of processor clocks: that of a thread. */
static void begin_running(Thread *t) { t->ran = clock_of((clockid_t)(~(unsigned)t->id << 3 | 6)); }

/* What the thread did until now is known. */
static void pass_over_run(Thread *t) {
    int64_t before = t->ran;
    begin_running(t);
    if (t->ran != INT64_MAX) process_ran += t->ran - before; /* else it is gone */
}

/* Pages that can have been given back in so long on a processor; 0 where that is no longer than waking up takes. */
static int64_t freed_in(int64_t ns) {
    return ns > WAKING_NS ? movable(least(ns, LONGEST_RUN_NS) - WAKING_NS, -1) : 0;
}

/* Time that all threads were on processors since this was last asked. */
static int64_t run_time(void) {
    int64_t before = process_ran;
    process_ran = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    return process_ran - before;
}

/* Huge pages that all programs together got since they were last asked for. */
static int64_t huge_pages(void) {
    static char text[16384];
    int fd = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
    ssize_t size = 0, got = 1;
    while (fd >= 0 && got > 0 && size < (ssize_t)sizeof text - 1)
        if ((got = read(fd, text + size, sizeof text - 1 - size)) > 0) size += got;
    if (fd >= 0) close(fd);
    text[size] = 0;
    char *at = strstr(text, "\nthp_fault_alloc ");
    int64_t now = at ? number(at + sizeof "\nthp_fault_alloc " - 1) : 0, before = huge_at_look;
    huge_at_look = now;
    asked_huge_at = now_ns();
    return now > before ? now - before : 0;
}

static void begin_looking(Thread *t) {
    t->faulted = t->late = 0; /* it may have been another thread's */
    look(t);
    begin_running(t);
}

/* A thread gets an open line beside others. */
static void begin_sharing(Thread *t, Thread *others) {
    if (!others->next_open) {
        counted = faults_of_all();
        files_at_look = file_pages;
        moved = 0;
        run_time();
        if (now_ns() - asked_huge_at >= HUGE_NS) huge_pages();
        begin_looking(others);
    }
    begin_looking(t);
}

/* What the calling thread took until now it gave back until now, or it was the engine's own. */
static void pass_over_own_faults(void) {
    if (mine && mine->depth && open_threads->next_open) counted += look(mine);
}

/* What this thread took others may have given back meanwhile. */
static int others_can_have_given(void) {
    int64_t own = clock_of(CLOCK_THREAD_CPUTIME_ID) - mine->ran;
    return freed_in(clock_of(CLOCK_PROCESS_CPUTIME_ID) - process_ran - own) >= LOOK_PAGES;
}

/* Whether enough moved since the latest look, `change` pages just now, or can have: what one thread took and another
 * gave back does not show in RSS. */
static int is_to_look(int64_t change, int64_t now) {
    moved += change < 0 ? -change : change;
    if (moved >= LOOK_PAGES) return 1;
    if (now - asked_at < ASK_NS) return 0;
    asked_at = now;
    int64_t fresh = faults_of_all() - counted;
    if (!mine || !mine->depth) return fresh >= LOOK_PAGES;
    if (fresh >= LOOK_PAGES) {
        if (fresh - (faults_of(RUSAGE_THREAD) - mine->passed_over - mine->faulted) >= LOOK_PAGES || others_can_have_given()) return 1;
        pass_over_own_faults();
    }
    pass_over_run(mine);
    return 0;
}

/* The most that so many page faults can have taken, of which `huge` at most brought a huge page and all the others
 * together so many pages of `files` beside the one each. */
static int64_t most_of(int64_t faults, int64_t huge, int64_t from_files) {
    int64_t around = (AROUND_PAGES - 1) * faults;
    return faults + (HUGE_KIB / page_kib - 1) * (huge < faults ? huge : faults) + (from_files < around ? from_files : around);
}

/* The page faults of each thread since the latest look; returns all others'. */
static int64_t look_at_faults(void) {
    int64_t strange = faults_of_all() - counted;
    if (mine && mine->depth) strange -= look(mine);
    for (Thread *t = open_threads; t; t = t->next_open) {
        if (t != mine) {
            t->fresh_faults = 0;
            if (strange > 0) strange -= look(t);
        }
        counted += t->fresh_faults;
    }
    if (strange < 0) strange = 0;
    counted += strange;
    return strange;
}

/* All that threads without an open line have to do with a change. */
typedef struct {
    int64_t faults, most, can, floor; /* as of a Thread */
    int is_likely;
    int64_t low, high;         /* limits of their part */
} Strangers;

/* What all together have to do with it. */
typedef struct {
    int64_t change, faults, early, huge, from_files, unexplained;
} Look;

/* From where to where each one's part can be, if each took at least its `floor` (where has_floor) and can have given
 * back so much: as who is `likely` to have, else as who had any time for it. */
static void limit(const Look *look, Strangers *strangers, int has_floor, int likely) {
    int64_t strangers_can = likely && !strangers->is_likely ? 0 : strangers->can;
    int64_t room = strangers_can - (has_floor ? strangers->floor : 0);
    for (Thread *t = open_threads; t; t = t->next_open)
        room += (likely && !t->is_likely ? 0 : t->can) - (has_floor ? t->floor : 0);
    for (Thread *t = open_threads; t; t = t->next_open) {
        int64_t can = likely && !t->is_likely ? 0 : t->can, floor = has_floor ? t->floor : 0;
        int64_t others = look->early - t->late + most_of(look->faults - t->fresh_faults, look->huge, look->from_files);
        t->low = highest(floor - can, look->change - others - look->unexplained);
        t->high = least(t->might, look->change + room - can + floor);
    }
    int64_t floor = has_floor ? strangers->floor : 0;
    int64_t others = look->early + most_of(look->faults - strangers->faults, look->huge, look->from_files);
    strangers->low = highest(floor - strangers_can, look->change - others);
    strangers->high = least(strangers->most, look->change + room - strangers_can + floor);
}

/* Each one's part, equally far along between its limits; the strangers' and what rounding leaves are for `by`. */
static void share_out(const Look *look, const Strangers *strangers, Thread *by) {
    int64_t low = strangers->low, high = strangers->high, left = look->change;
    for (Thread *t = open_threads; t; t = t->next_open) {
        low += t->low;
        high += t->high;
    }
    double along = high > low ? (double)(look->change - low) / (double)(high - low) : 0;
    for (Thread *t = open_threads; t; t = t->next_open) {
        t->part = t->low + (int64_t)((double)(t->high - t->low) * along);
        left -= t->part;
    }
    by->part += left;
}

/* Charge a change to the threads with open lines, as Sharing.divide() in sharing.py. */
static void divide(Thread *by, int64_t change, int64_t unsure) {
    Look look = {.change = change};
    Strangers strangers = {0};
    int64_t unlooked = moved - (change < 0 ? -change : change), process = run_time(), longest = 0, could = 0, floors = 0, likely;
    if (unlooked < 0) unlooked = 0;
    if (unlooked > LOOK_PAGES) unlooked = LOOK_PAGES;
    moved = 0;
    for (Thread *t = open_threads; t; t = t->next_open) {
        int64_t before = t->ran;
        begin_running(t);
        t->passed = t->ran - before;
        process -= t->passed;
        t->can = freed_in(t->passed);
        if (t->passed > longest) longest = t->passed;
        could += t->can;
    }
    strangers.can = freed_in(process);
    strangers.faults = look_at_faults();
    look.faults = strangers.faults;
    for (Thread *t = open_threads; t; t = t->next_open) {
        look.faults += t->fresh_faults;
        look.early += t->late;
    }
    int64_t rest = look.early + look.faults - change;
    look.huge = rest < 0 || rest > LOOK_PAGES ? huge_pages() : 0;
    int64_t after = read_rss() - last;
    look.from_files = file_pages > files_at_look ? file_pages - files_at_look : 0;
    files_at_look = file_pages;
    if (after < 0) after = 0;
    if (sync_page) after += BATCH_PAGES;
    after += 2 * most_kept;
    int64_t together = look.early + most_of(look.faults, look.huge, look.from_files);
    /* What cannot have been anybody's was somebody's all the same. */
    if (change > together) look.unexplained = change - together;
    if (change < -strangers.can - could) strangers.can = together - change;
    strangers_can = strangers.can;
    strangers.most = most_of(strangers.faults, look.huge, look.from_files) + look.unexplained;
    floors = strangers.floor = strangers.faults;
    strangers.is_likely = process >= longest / 2;
    likely = strangers.is_likely ? strangers.can : 0;
    for (Thread *t = open_threads; t; t = t->next_open) {
        t->might = t->late + most_of(t->fresh_faults, look.huge, look.from_files);
        t->floor = t->fresh_faults;
        t->is_likely = t->passed >= longest / 2;
        floors += t->floor;
        if (t->is_likely) likely += t->can;
    }
    /* Most likely each fault brought a page, and who had about as much time for it as any other gave it back. */
    int64_t room = highest(0, change + likely);
    if (room < floors) {
        strangers.floor = strangers.floor * room / floors;
        for (Thread *t = open_threads; t; t = t->next_open) t->floor = t->floor * room / floors;
    }
    limit(&look, &strangers, 1, change >= -likely);
    share_out(&look, &strangers, by);
    limit(&look, &strangers, 0, 0);
    for (Thread *t = open_threads; t; t = t->next_open) {
        int64_t over = t->high + highest(0, strangers.high) - t->part;
        int64_t doubt = highest(over, t->part - t->low - least(0, strangers.low));
        if (t->fresh_faults || t->can) doubt += unlooked;
        /* What it took after RSS was read, by faults that were counted, comes next time. */
        t->late = t != mine ? least(after, t->might - t->late) : 0;
        if (t == by) t->might += strangers.most;
        t->others = change - t->part;
        if (t->part || doubt) charge(t, t->part, t == by ? unsure : 0, doubt);
    }
    if (mine && mine->depth) begin_running(mine); /* what was done here is none of its work */
    run_time();
}

/* RSS was `high` KiB at some moment since it was `before` pages, where `high` is not 0, and no higher than `ceiling` KiB; both
 * may be off by so many. Each thread was looked at: what it held of that its open lines held. */
static void fold_looked(int64_t high, int64_t off, int64_t ceiling, int64_t before) {
    int64_t can = 0, might = 0;
    for (Thread *t = open_threads; t; t = t->next_open) {
        can += t->can;
        might += t->might;
    }
    for (Thread *t = open_threads; t; t = t->next_open) {
        catch_up(t);
        /* What others took until now the entries have, as if it had been there before. */
        int64_t first = before + t->others, read = highest(first, last) * page_kib;
        int64_t most = (first + t->might) * page_kib, own = 0, doubt;
        if (high) own = least(high + least(0, t->others) * page_kib, most);
        /* It cannot have held more than the others, and strangers, can have given back meanwhile. */
        most = least(most, ceiling + off + (t->others + can - t->can + strangers_can) * page_kib);
        doubt = most - highest(own, read);
        if (own > read) {
            int64_t sure = high - off + (t->others - (might - t->might)) * page_kib;
            doubt = highest(doubt, own - highest(read, sure));
            raise_to(t, HELD, own, SLACK_KIB, 0);
        }
        if (doubt > 0) raise_to(t, AT_MOST, highest(own, read) + doubt, 0, 0);
    }
}
