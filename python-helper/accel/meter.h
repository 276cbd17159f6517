/* The kernel's figures of this process: RSS and its high-water mark, as in jetson_memprof/engine/meter.py. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int statm_fd = -1, clear_fd = -1, status_fd = -1;
static int64_t page_kib;
static char *sync_page; /* NULL where the kernel keeps nothing back by thread, */
static int64_t most_kept; /* and 0 where it keeps no pages back by CPU: see kept.h */
enum { SIZE, RSS, OF_FILES, FIGURES }; /* of statm, in pages */
static int64_t last; /* pages, as last taken into account */
static int64_t file_pages; /* of these, those of files, as last read */
static int64_t mark; /* KiB: the high-water mark right after its latest reset, */
static int64_t bias; /* and how much RSS was above it: the mark is made of rounded counts */
static int64_t kept_of_mark; /* KiB of it that each CPU, or each thread where there is a sync_page, keeps back */
static int64_t cpus, switched; /* how often threads had been switched at the latest reset */

/* What the heap sampler, where it is loaded, took for its log and its tables, in bytes: nobody's line took that. */
extern int64_t jetson_memprof_heap_taken[2] __attribute__((weak));
static int64_t samplers_pages(void) {
    const int64_t *taken = jetson_memprof_heap_taken;
    return taken ? (taken[0] + taken[1]) / (page_kib * 1024) : 0;
}

/* The decimal number at `at`, after blanks. */
static int64_t number(const char *at) {
    int64_t value = 0;
    while (*at == ' ' || *at == '\t') at++;
    for (; *at >= '0' && *at <= '9'; at++) value = value * 10 + (*at - '0');
    return value;
}

/* The program may close every descriptor that it does not know, as daemons do. */
static void reopen(int fd, const char *path, int flags) {
    if (errno != EBADF) return;
    int fresh = open(path, flags | O_CLOEXEC);
    if (fresh < 0 || fresh == fd) return;
    dup3(fresh, fd, O_CLOEXEC);
    close(fresh);
}

#define OUT_OF_LINE __attribute__((noinline, cold))

/* Returns whether it could be read. */
static __attribute__((noinline)) int read_statm(int64_t *statm) {
    char text[64], *at = text;
    ssize_t size = pread(statm_fd, text, sizeof text - 1, 0);
    if (size <= 0) {
        reopen(statm_fd, "/proc/self/statm", O_RDONLY);
        size = pread(statm_fd, text, sizeof text - 1, 0);
        if (size <= 0) return 0;
    }
    text[size] = 0;
    for (int i = 0; i < FIGURES; i++) {
        statm[i] = number(at);
        at += strcspn(at, " ") + 1;
    }
    return 1;
}

static OUT_OF_LINE void count_kept(int64_t *);

/* RSS in pages, less the sampler's; the previous reading where the file cannot be read. */
static __attribute__((noinline)) int64_t read_rss(void) {
    int64_t statm[FIGURES], samplers = samplers_pages();
    if (sync_page) madvise(sync_page, (size_t)page_kib * 1024, MADV_DONTNEED);
    if (!read_statm(statm)) return last;
    if (most_kept) count_kept(statm);
    file_pages = statm[OF_FILES] - (samplers ? jetson_memprof_heap_taken[0] / (page_kib * 1024) : 0);
    return statm[RSS] - samplers;
}

static int64_t high_water(void) {
    if (status_fd >= 0) {
        char text[4096];
        ssize_t size = pread(status_fd, text, sizeof text - 1, 0);
        if (size <= 0) {
            reopen(status_fd, "/proc/self/status", O_RDONLY);
            return mark;
        }
        text[size] = 0;
        char *at = strstr(text, "VmHWM:");
        return at ? number(at + 6) - samplers_pages() * page_kib : mark;
    }
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss - samplers_pages() * page_kib : mark;
}

static int64_t switches(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nvcsw + usage.ru_nivcsw : 0;
}

/* By how many KiB the mark and `bias` can be off, as in jetson_memprof/engine/meter.py, which says why. */
static OUT_OF_LINE int64_t most_off(void) {
    struct stat tasks;
    if (!kept_of_mark) return 0;
    int64_t threads = syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &tasks, 0) ? cpus : (int64_t)tasks.st_nlink - 2;
    if (threads < 1) threads = 1;
    if (sync_page) return threads * kept_of_mark;
    int64_t used = 2 * (threads + switches() - switched) * kept_of_mark, all = cpus * kept_of_mark + (bias < 0 ? -bias : bias);
    return used < all ? used : all;
}

static void reset_mark(void) {
    if (write(clear_fd, "5", 1) != 1) {
        reopen(clear_fd, "/proc/self/clear_refs", O_WRONLY);
        if (write(clear_fd, "5", 1) != 1) return;
    }
    mark = high_water();
    switched = switches();
    /* Else another thread moved memory meanwhile, as this takes long, and that is no rounding: it is as it was. */
    if (read_rss() == last) bias = last * page_kib - mark;
}

enum { TRIED_PAGES = 32, QUICKEST_NS = 200 };

/* RSS cannot have moved in less ns than this: half of what the quickest page took to come or go in a trial here, and
 * at most what is less than on any machine, as this one's clock rate may still rise. */
static int64_t quickest_change(void) {
    size_t page = (size_t)page_kib * 1024;
    char *pages = mmap(NULL, TRIED_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return 0;
    madvise(pages, TRIED_PAGES * page, MADV_NOHUGEPAGE);
    int64_t least = 2 * QUICKEST_NS;
    for (int i = 0; i < TRIED_PAGES; i++) {
        int64_t began = ask_clock();
        *(volatile char *)(pages + i * page) = 1;
        int64_t came = ask_clock();
        madvise(pages + i * page, page, MADV_DONTNEED);
        int64_t gone = ask_clock();
        if (came - began < least) least = came - began;
        if (gone - came < least) least = gone - came;
    }
    munmap(pages, TRIED_PAGES * page);
    return least / 2;
}
