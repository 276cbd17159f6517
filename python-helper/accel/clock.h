/* CLOCK_MONOTONIC in nanoseconds, from the processor's own counter where the kernel takes its time from that too.
 *
 * Asking the kernel's page for the time costs 20 to 60 ns, several times as much as the counter. So the clock is asked
 * a few thousand times a second, and the counter tells how long ago that was.
 */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CLOCK_AGAIN_NS = 200000, TRIES = 4 };
/* The counter's speed is taken once, over so long a time: one that a sleep of the machine may lie in is not used. */
enum { CALIBRATION_NS = 20000000, LONGEST_CALIBRATION_NS = 200000000 };

static int64_t clock_at; /* ns: when the clock was last asked, */
static uint64_t ticks_at; /* and the counter right after that */
static int64_t clock_began;
static uint64_t ticks_began;
static uint64_t ticks_trusted; /* so many after `ticks_at`; 0: the counter's speed is not known */
static double ns_per_tick;
static int counter_usable;

static inline uint64_t counter(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return 0;
#endif
}

static int64_t ask_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* The kernel knows which counters are the same on every core and never stop. */
static int kernel_uses_counter(void) {
    char text[32];
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (size <= 0) return 0;
    text[size] = 0;
    text[strcspn(text, "\n")] = 0;
#if defined(__x86_64__)
    return strcmp(text, "tsc") == 0;
#elif defined(__aarch64__)
    return strcmp(text, "arch_sys_counter") == 0;
#else
    return 0;
#endif
}

static void begin_clock(void) {
    counter_usable = kernel_uses_counter();
    ticks_trusted = 0;
    clock_began = 0;
}

/* The clock and the counter at one moment: of some tries that with the least between them. */
static void read_both(int64_t *ns, uint64_t *ticks) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = counter();
        int64_t found = ask_clock();
        uint64_t after = counter();
        if (after - before >= least) continue;
        least = after - before;
        *ns = found;
        *ticks = before + least / 2;
    }
}

static void calibrate(void) {
    int64_t passed = clock_at - clock_began;
    if (passed < CALIBRATION_NS) return;
    int64_t ns = clock_at;
    uint64_t ticks = ticks_at;
    read_both(&ns, &ticks);
    if (passed < LONGEST_CALIBRATION_NS && ticks > ticks_began) {
        ns_per_tick = (double)(ns - clock_began) / (double)(ticks - ticks_began);
        ticks_trusted = (uint64_t)(CLOCK_AGAIN_NS / ns_per_tick);
    } else {
        clock_began = ns;
        ticks_began = ticks;
    }
}

/* Whoever is interrupted between the two finds the time a little early until it is asked again, never late: time that
 * went back would look as if nothing could have happened. */
static int64_t set_clock(void) {
    clock_at = ask_clock();
    if (!counter_usable) return clock_at; /* where the kernel does without it, asking it may cost a trap */
    ticks_at = counter();
    if (!ticks_trusted) calibrate();
    return clock_at;
}

static inline int64_t now_ns(void) {
    uint64_t passed = ticks_trusted ? counter() - ticks_at : 0;
    return passed < ticks_trusted ? clock_at + (int64_t)((double)passed * ns_per_tick) : set_clock();
}
