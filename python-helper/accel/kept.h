/* RSS where each CPU keeps back some pages of each kind (Linux 6.2 to 6.16), as Kept in jetson_memprof/engine/readings.py,
 * which says how. Included where the thread that has an open line is known. */
#include <sched.h>

enum { POOLS = 2, SAVED_FOLDS = 256, FOLD_SHARES = 33, POPULATE_READ = 22, POPULATE_WRITE };
static struct {
    char *at;
    int64_t pages;
    int take;
} pools[POOLS];
static struct {
    int64_t price, next;         /* ns */
    int64_t shown[FIGURES], rss; /* as statm had it last, and what RSS was */
    int64_t base;                /* what RSS had more than that where it was not guessed */
    int64_t counted;             /* page faults of the process until then */
    int64_t off, strange;        /* pages that may be of the lines before, or missing; of these, what others took */
    int is_guess;
} kept;
static __thread struct {
    int64_t faults, folded; /* of this thread at its latest reading, and at its latest fold; */
    int32_t cpu;            /* where that was, plus one; 0: there was none */
} seen;

/* As if each page fault had brought a page, and what was unmapped had been there, where that can have been kept back. */
static OUT_OF_LINE int64_t guessed(const int64_t *statm, int64_t fresh) {
    int64_t shown = statm[RSS] + kept.base, change = statm[RSS] - kept.shown[RSS], gone = kept.shown[SIZE] - statm[SIZE];
    if (change < 0 || change > fresh + most_kept) return shown;
    int64_t likely = kept.rss + fresh - (gone > 0 && gone <= most_kept ? gone : 0);
    return highest(least(likely, shown + most_kept), change ? shown : shown - most_kept);
}

/* What a guess says else than what came and went would make is of the lines before, or missing. */
static OUT_OF_LINE void guess_kept(const int64_t *statm, int64_t fresh) {
    int64_t gone = highest(0, kept.shown[SIZE] - statm[SIZE]), likely = kept.rss + fresh - gone;
    kept.rss = guessed(statm, fresh);
    int64_t off = kept.rss > likely ? kept.rss - likely : likely - kept.rss;
    if (off <= 2 * most_kept && off > kept.off) {
        kept.off = off;
        kept.strange = 0;
    }
    memcpy(kept.shown, statm, sizeof kept.shown);
    kept.is_guess = 1;
}

static OUT_OF_LINE void pass_over_faults(void) {
    int64_t before = seen.faults;
    seen.faults = faults_of(RUSAGE_THREAD);
    passed_over += seen.faults - before;
    if (mine) mine->passed_over += seen.faults - before;
}

static OUT_OF_LINE void fold_kept(int64_t *statm, int64_t fresh, int64_t now) {
    int64_t known = guessed(statm, fresh), off = 0, held = pools[0].pages + pools[1].pages;
    int64_t strange = least(faults_of_all() - kept.counted - (seen.faults - seen.folded), most_kept * (cpus - 1));
    if (fresh && seen.cpu && seen.cpu != sched_getcpu() + 1) off = least(AROUND_PAGES * fresh, 2 * most_kept);
    for (int i = 0; i < POOLS; i++)
        if (pools[i].pages) madvise(pools[i].at, (size_t)(pools[i].pages * page_kib * 1024), MADV_DONTNEED);
    read_statm(statm);
    statm[RSS] += held;
    statm[OF_FILES] += pools[1].pages;
    int failed = 0;
    for (int i = 0; i < POOLS; i++)
        if (pools[i].pages) failed |= madvise(pools[i].at, (size_t)(pools[i].pages * page_kib * 1024), pools[i].take);
    read_statm(kept.shown);
    pass_over_faults();
    if (kept.is_guess) off = highest(off, statm[RSS] > known ? statm[RSS] - known : known - statm[RSS]);
    if (off + highest(0, strange) > kept.off) {
        kept.strange = highest(0, strange);
        kept.off = off + kept.strange;
    }
    kept.rss = statm[RSS];
    kept.base = kept.rss - kept.shown[RSS];
    kept.is_guess = 0;
    kept.counted = faults_of_all();
    seen.folded = seen.faults;
    seen.cpu = sched_getcpu() + 1;
    kept.next = failed ? INT64_MAX : highest(kept.next, now - SAVED_FOLDS * kept.price) + kept.price;
}

/* What statm should have shown. */
static OUT_OF_LINE void count_kept(int64_t *statm) {
    int64_t faults = faults_of(RUSAGE_THREAD), fresh = highest(0, faults - seen.faults), now = now_ns();
    int moved = fresh || memcmp(statm, kept.shown, sizeof kept.shown);
    seen.faults = faults;
    if ((moved || kept.is_guess) && now >= kept.next) {
        fold_kept(statm, fresh, now);
        return;
    }
    if (moved) guess_kept(statm, fresh);
    statm[RSS] = kept.rss;
}

/* Asked once; more is known of what others took where several threads have open lines. */
static int64_t unsure_of_kept(void) {
    int64_t off = kept.off - (open_threads && open_threads->next_open ? kept.strange : 0);
    kept.off = 0;
    return off;
}

/* Some pages of memory, or of a file if it is one, to be dropped and taken again. Faults of a file bring so many around. */
static OUT_OF_LINE int take_pool(int i, int64_t pages, int file, int64_t offset) {
    size_t page = (size_t)page_kib * 1024, around = AROUND_PAGES * page, size = (size_t)pages * page;
    int is_file = file >= 0, may = is_file ? PROT_READ : PROT_READ | PROT_WRITE;
    char *at = mmap(NULL, size + around, may, MAP_PRIVATE | (is_file ? 0 : MAP_ANONYMOUS), file, offset);
    if (at == MAP_FAILED) return 0;
    at = (char *)(((uintptr_t)at + around - 1) / around * around);
    if (!is_file) madvise(at, size, MADV_NOHUGEPAGE);
    pools[i].at = at;
    pools[i].pages = pages;
    pools[i].take = is_file ? POPULATE_READ : POPULATE_WRITE;
    return madvise(at, size, pools[i].take) == 0;
}

/* `batch` pages are never kept back; `file` is one with enough pages at `offset`, -1: there is none. Returns whether it works. */
static OUT_OF_LINE int begin_keeping(int64_t batch, int file, int64_t offset, int is_paid) {
    int64_t statm[FIGURES] = {0}, least_ns = INT64_MAX;
    if (!take_pool(0, 2 * batch, -1, 0)) return 0;
    if (file >= 0 && !take_pool(1, 2 * ((batch + AROUND_PAGES - 1) / AROUND_PAGES * AROUND_PAGES), file, offset)) return 0;
    most_kept = batch - 1;
    for (int i = 0; i < 4; i++) {
        int64_t began = ask_clock();
        fold_kept(statm, 0, 0);
        least_ns = least(least_ns, ask_clock() - began);
    }
    kept.price = is_paid ? least_ns * FOLD_SHARES : 0;
    return 1;
}

/* What was before is known. */
static OUT_OF_LINE void begin_kept(void) {
    kept.next = 0;
    kept.is_guess = 1;
    if (most_kept) read_rss();
    kept.off = kept.strange = 0;
}
