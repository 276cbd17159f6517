"""The heap sampler's library: what it counts, and that it is never in a program's way."""
import os
import signal
import subprocess
import sys
import unittest

import heap_harness as heap
from heap_harness import M, layout
from jetson_memprof.heap.tidy import tidy

HEAD = "#define _GNU_SOURCE\n#include <errno.h>\n#include <malloc.h>\n#include <pthread.h>\n#include <signal.h>\n" \
       "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\n#include <sys/wait.h>\n" \
       "#include <unistd.h>\n#define M (1 << 20)\n#define OWN __attribute__((noinline))\n" \
       "extern void jetson_memprof_heap_mark(const char *) __attribute__((weak));\n"


def debian_library(name):
    return next((path for path in ("/usr/lib/%s-linux-gnu/%s" % (machine, name) for machine in ("x86_64", "aarch64"))
                 if os.path.exists(path)), None)


class Engine(unittest.TestCase):
    target = heap.NATIVE

    def setUp(self):
        if not self.target.runs:
            self.skipTest(heap.WHY_NOT)

    def sampled(self, *arguments, **environment):
        found = heap.Sampled(*arguments, target=self.target, **environment)
        self.addCleanup(found.__exit__)
        return found

    def program(self, text, mean=65536, status=0, seed=1, flags=(), **environment):
        """(Log, what it printed, {function: [Stack]}) of the only process of a C program."""
        sampled = self.sampled(mean, seed, **environment)
        path = sampled.compiled(HEAD + text, "-no-pie", "-pthread", *flags)
        output, errors = sampled.run([path], status)
        if not self.target.emulator:
            self.assertEqual("", errors)
        log = sampled.only()
        return log, output, heap.functions(log, heap.symbols_of(path, self.target))

    def held(self, stacks, which="live"):
        """(bytes, their standard error) of stacks."""
        sums = [getattr(stack, which) for stack in stacks]
        return sum(row[0] for row in sums), sum(row[2] for row in sums) ** 0.5

    def near(self, expected, stacks, which="live"):
        found, error = self.held(stacks, which)
        self.assertLessEqual(abs(found - expected), 5 * error + 1, "%d, not %d, standard error %d" % (found, expected, error))


class WhatIsCounted(Engine):
    def test_all_functions_that_allocate(self):
        log, _, found = self.program("""
OWN void *a1(void) { return malloc(8 * M); }
OWN void *a2(void) { return calloc(8, M); }
OWN void *a3(void) { return realloc(malloc(16), 8 * M); }
OWN void *a4(void) { return reallocarray(NULL, 8, M); }
OWN void *a5(void) { void *p; return posix_memalign(&p, 64, 8 * M) ? NULL : p; }
OWN void *a6(void) { return aligned_alloc(4096, 8 * M); }
OWN void *a7(void) { return memalign(256, 8 * M); }
OWN void *a8(void) { return valloc(8 * M); }
OWN void *a9(void) { return pvalloc(8 * M); }
OWN void *b1(void) { return mmap(NULL, 8 * M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
OWN void *b2(void) { return mmap64(NULL, 8 * M, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); }
OWN void *b3(void) { return mremap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096, 8 * M, MREMAP_MAYMOVE); }
OWN void *none(void) { return mmap(NULL, 8 * M, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
OWN void gone(void) {
    free(malloc(8 * M)); free(calloc(8, M)); void *p = realloc(malloc(8 * M), 0); if (p) free(p);
    munmap(mmap(NULL, 8 * M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 8 * M);
}
int main(void) {
    void *all[] = {a1(), a2(), a3(), a4(), a5(), a6(), a7(), a8(), a9(), b1(), b2(), b3(), none()};
    for (int i = 0; i < 13; i++) if (!all[i] || all[i] == MAP_FAILED) return 1;
    gone();
    fflush(stdout);
    _exit(0);
}
""")
        for name in ("a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2", "b3"):
            self.assertIn(name, found)
            held, _ = self.held(found[name])
            self.assertLessEqual(abs(held - 8 * M), 8192, name)
        self.assertNotIn("none", found)
        self.assertEqual(0, self.held(found["gone"])[0])
        self.assertLess(abs(log.bytes - 12 * 8 * M), M)

    def test_parts_of_mappings_that_go(self):
        _, _, found = self.program("""
#define MAP mmap(NULL, 8 * M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
OWN void head(void) { char *p = MAP; munmap(p, 2 * M); }
OWN void tail(void) { char *p = MAP; munmap(p + 5 * M, 3 * M); }
OWN void hole(void) { char *p = MAP; munmap(p + 2 * M, 2 * M); }
OWN void over(void) { char *p = MAP; mmap(p + M, M, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
OWN void less(void) { char *p = MAP; mremap(p, 8 * M, 3 * M, 0); }
OWN void moved(void) { char *p = MAP, *q = mmap(NULL, 64 * M, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p = mremap(p, 8 * M, 8 * M, MREMAP_MAYMOVE | MREMAP_FIXED, q); munmap(p + M, M); }
#define PART(at) char *p = MAP, *q = mmap(NULL, 8 * M, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); \
    q = mremap(p + at * M, 2 * M, 2 * M, MREMAP_MAYMOVE | MREMAP_FIXED, q); if (q == MAP_FAILED) _exit(1); munmap(q, M)
OWN void first(void) { PART(0); munmap(p + 2 * M, 5 * M); }
OWN void middle(void) { PART(3); munmap(p, 3 * M); munmap(p + 6 * M, M); }
OWN void last(void) { PART(6); munmap(p + 2 * M, M); }
int main(void) { head(); tail(); hole(); over(); less(); moved(); first(); middle(); last(); _exit(0); }
""")
        for name, expected in (("head", 6), ("tail", 5), ("hole", 6), ("over", 7), ("less", 3), ("moved", 7), ("first", 2),
                               ("middle", 3), ("last", 6)):
            self.assertLessEqual(abs(self.held(found[name])[0] - expected * M), 4096, name)

    def test_estimates_of_all_sizes_lie_within_five_standard_errors(self):
        sizes = (1, 24, 160, 1033, 5000, 40000, 65536, 200000, 3000000)
        counts = dict((size, min(10 ** 6, max(20, 12 * M // size))) for size in sizes)
        text = "".join("OWN void *s%d(void) { char *p = malloc(%d); *p = 1; return p; }\n" % (size, size) for size in sizes)
        text += "int main(void) {\n" + "".join(
            "    for (int i = 0; i < %d; i++) s%d();\n" % (counts[size], size) for size in sizes) + "    _exit(0);\n}\n"
        for seed in (1, 2, 3):
            _, _, found = self.program(text, seed=seed)
            for size in sizes:
                self.near(size * counts[size], found["s%d" % size])
                count = sum(stack.live[1] for stack in found["s%d" % size])
                error = self.held(found["s%d" % size])[1] / size
                self.assertLessEqual(abs(count - counts[size]), 5 * error + 1)

    def test_large_blocks_are_taken_always_and_stand_for_themselves(self):
        _, _, found = self.program("""
OWN void *blocks(void) { char *p; for (int i = 0; i < 50; i++) { p = malloc(65536 + i); *p = 1; } return p; }
OWN void *grown(void) { char *p = malloc(10); for (int i = 1; i < 40; i++) p = realloc(p, i * 7000); *p = 1; return p; }
OWN void *pages(void) { char *p; for (int i = 0; i < 9; i++) {
    p = mmap(NULL, 8 * M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); *p = 1; } return p; }
OWN void *freed(void) { char *p; for (int i = 0; i < 50; i++) { p = malloc(80000); *p = 1; free(p); } return p; }
int main(void) { blocks(); grown(); pages(); freed(); _exit(0); }
""")
        self.assertEqual(self.held(found["blocks"]), (50 * 65536 + 49 * 25, 0))
        self.assertEqual(self.held(found["grown"]), (39 * 7000, 0))
        self.assertEqual(self.held(found["pages"]), (9 * 8 * M, 0))
        self.assertEqual(self.held(found["freed"]), (0, 0))
        self.assertEqual(sum(stack.samples for stack in found["freed"]), 50)

    def test_over_many_runs_estimates_are_right_on_average_and_as_spread_as_they_say(self):
        """Many threads stand for many runs: each draws its own marks."""
        log, _, found = self.program("""
OWN char *take(void) { char *p = malloc(30000); *p = 1; return p; }
static void *work(void *unused) { for (int i = 0; i < 20; i++) take(); return unused; }
int main(void) {
    for (int i = 0; i < 400; i++) { pthread_t t; pthread_create(&t, NULL, work, NULL); pthread_join(t, NULL); }
    _exit(0);
}
""")
        truth = 400 * 20 * 30000
        held, error = self.held(found["take"])
        p = 1 - 2.718281828459045 ** (-30000 / 65536.0)
        expected = (8000 * (1 - p) / p) ** 0.5 * 30000
        self.assertLess(abs(held - truth), 5 * expected)
        self.assertLess(abs(error - expected), 0.1 * expected)

    def test_the_same_seed_draws_the_same_marks(self):
        text = "int main(void) { for (int i = 0; i < 5000; i++) malloc(i % 3000); _exit(0); }"
        found = [self.program(text, seed=seed)[0].bytes for seed in (5, 5, 6)]
        self.assertEqual(found[0], found[1])
        self.assertNotEqual(found[0], found[2])

    def test_peak_is_that_of_its_moment(self):
        log, _, found = self.program("""
OWN void *first(void) { return malloc(16 * M); }
OWN void *second(void) { return malloc(32 * M); }
OWN void *third(void) { return malloc(24 * M); }
int main(void) { void *p = first(), *q = second(); free(q); q = third(); free(p); first(); free(q); _exit(0); }
""")
        peak = dict((name, self.held(stacks, "peak")[0] // M) for name, stacks in found.items() if name != "main")
        self.assertEqual(48, log.peak_bytes // M)
        self.assertEqual({"first": 16, "second": 32, "third": 0}, dict((name, peak.get(name)) for name in ("first", "second", "third")))
        self.assertEqual((16, 0), tuple(self.held(found[name])[0] // M for name in ("first", "second")))

    def test_blocks_that_are_moved_by_realloc_are_counted_once(self):
        log, _, _ = self.program("""
int main(void) {
    char *p = NULL;
    for (size_t n = 1000; n < 20 * M; n += n / 7) p = realloc(p, n);
    p = realloc(p, 10 * M);
    if (realloc(p, (size_t)1 << 60)) return 1;
    _exit(0);
}
""")
        self.assertLess(abs(log.bytes - 10 * M), 65536)

    def test_marks_keep_what_lives_by_stack(self):
        log, _, found = self.program("""
OWN void *kept(void) { return malloc(4 * M); }
OWN void *freed(void) { return malloc(8 * M); }
int main(void) { kept(); void *p = freed(); jetson_memprof_heap_mark("both"); free(p); jetson_memprof_heap_mark("one"); _exit(0); }
""")
        self.assertEqual(["both", "one"], [mark[3] for mark in log.marks])
        for (_, held, _, _, by_stack), expected in zip(log.marks, (12, 4)):
            self.assertEqual(expected, held // M)
            self.assertEqual(expected, sum(part for part, _ in by_stack.values()) // M)

    def test_snapshots_are_thinned_out_and_in_order(self):
        log, _, _ = self.program("int main(void) { for (int i = 0; i < 300; i++) { malloc(M); usleep(11000); } _exit(0); }")
        times = [row[0] for row in log.snapshots]
        self.assertEqual(sorted(times), times)
        self.assertTrue(120 <= len(times) <= 240, times)


class OtherProcesses(Engine):
    FORK = """
OWN void *parents(void) { return malloc(8 * M); }
OWN void *childs(void) { return malloc(4 * M); }
OWN void *afters(void) { return malloc(2 * M); }
int main(void) {
    char *p = parents();
    pid_t child = fork();
    if (!child) { free(p); childs(); _exit(0); }
    waitpid(child, NULL, 0);
    afters();
    _exit(0);
}
"""

    def test_fork_gives_the_child_a_log_of_its_own(self):
        sampled = self.sampled()
        path = sampled.compiled(HEAD + self.FORK, "-no-pie")
        sampled.run([path])
        parent, child = sampled.all()
        self.assertEqual(parent.pid, child.parent)
        symbols = heap.symbols_of(path, self.target)
        mine, childs = heap.functions(parent, symbols), heap.functions(child, symbols)
        self.assertEqual((8, 2), (self.held(mine["parents"])[0] // M, self.held(mine["afters"])[0] // M))
        self.assertEqual(4, self.held(childs["childs"])[0] // M)
        self.assertFalse({"childs"} & set(mine))
        self.assertFalse({"parents", "afters"} & set(childs))

    def test_threads_that_fork_and_allocate_at_once(self):
        sampled = self.sampled(4096)
        path = sampled.compiled(HEAD + """
static void *work(void *unused) { for (int i = 0; i < 20000; i++) free(malloc(rand() % 5000)); return unused; }
static void *forks(void *unused) {
    for (int i = 0; i < 25; i++) {
        pid_t child = fork();
        if (!child) { for (int i = 0; i < 2000; i++) free(malloc(3000)); _exit(0); }
        int status;
        waitpid(child, &status, 0);
        if (status) exit(1);
    }
    return unused;
}
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, i < 2 ? work : forks, NULL);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    return 0;
}
""", "-pthread")
        sampled.run([path])
        self.assertGreaterEqual(len(sampled.all()), 1)

    def test_a_child_is_free_while_another_thread_holds_the_loaders_lock(self):
        sampled = self.sampled(4096)
        path = sampled.compiled(HEAD + """
#include <link.h>
static int stay;
static int callback(struct dl_phdr_info *i, size_t n, void *d) { __atomic_store_n(&stay, 1, 5); for (;;) pause(); }
static void *holds(void *unused) { dl_iterate_phdr(callback, NULL); return unused; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, holds, NULL);
    while (!__atomic_load_n(&stay, 5)) usleep(1000);
    pid_t child = fork();
    if (!child) { for (int i = 0; i < 1000; i++) malloc(3000); _exit(7); }
    int status;
    waitpid(child, &status, 0);
    _exit(WEXITSTATUS(status) == 7 ? 0 : 1);
}
""", "-pthread")
        sampled.run([path])
        child = sampled.all()[-1]
        self.assertTrue(any(len(stack.keys) > 1 for stack in child.stacks))

    def test_vfork_and_exec(self):
        sampled = self.sampled(4096)
        path = sampled.compiled(HEAD + """
int main(int count, char **names) {
    malloc(3 * M);
    if (count > 1) { fflush(stdout); _exit(0); }
    for (int i = 0; i < 20; i++) {
        pid_t child = vfork();
        if (!child) { free(malloc(2 * M)); execl(names[0], names[0], "again", NULL); _exit(1); }
        int status;
        waitpid(child, &status, 0);
        if (status) return 1;
    }
    malloc(5 * M);
    execl(names[0], names[0], "again", NULL);
    return 1;
}
""")
        sampled.run([path])
        logs = sampled.all()
        self.assertEqual(22, len(logs))
        first = logs[0]
        self.assertEqual(8, first.bytes // M)
        self.assertEqual([first.pid, first.pid], [log.pid for log in (first, logs[-1])])

    def test_a_small_program_leaves_nothing(self):
        sampled = self.sampled(4096)
        sampled.run(["sh", "-c", "true; /bin/true; ls / >/dev/null"])
        tidy(sampled.logs)  # what became another program
        self.assertEqual([], os.listdir(sampled.logs))

    def test_sigkill_loses_nothing(self):
        log, _, found = self.program("""
OWN void *kept(void) { return malloc(8 * M); }
int main(void) { kept(); raise(SIGKILL); }
""", status=-signal.SIGKILL)
        self.assertEqual(8, self.held(found["kept"])[0] // M)
        self.assertIsNone(log.ended_ms)


class InNobodysWay(Engine):
    def test_no_room_for_a_log(self):
        sampled = self.sampled(4096)
        os.rmdir(sampled.logs)
        path = sampled.compiled(HEAD + "int main(void) { for (int i = 0; i < 10000; i++) malloc(3000); puts(\"whole\"); return 0; }")
        self.assertEqual(("whole\n", ""), sampled.run([path]))

    def test_a_limit_of_file_sizes_leaves_the_program_alone(self):
        sampled = self.sampled(4096)
        path = sampled.compiled(HEAD + "int main(void) { for (int i = 0; i < 10000; i++) malloc(3000); puts(\"whole\"); return 0; }")
        output, _ = sampled.run(["sh", "-c", "ulimit -f 1; exec %s" % path])
        self.assertEqual("whole\n", output)

    def test_errno_is_as_it_was(self):
        self.program("""
int main(void) {
    errno = 77;
    for (int i = 0; i < 3000; i++) free(malloc(3000));
    munmap(mmap(NULL, M, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), M);
    malloc(3 * M);
    if (errno != 77) return 1;
    if (malloc((size_t)-1) || errno != ENOMEM) return 2;
    if (calloc((size_t)-1, 16) || reallocarray(NULL, (size_t)-1, 16)) return 3;
    return 0;
}
""", mean=4096)

    def test_what_is_mapped_by_other_allocators_is_not_counted_twice(self):
        libraries = [path for path in map(debian_library, ("libjemalloc.so.2", "libtcmalloc_minimal.so.4")) if path]
        if len(libraries) < 2:
            self.skipTest("SKIPPED: needs libjemalloc2 and libtcmalloc-minimal4")
        for library in libraries:
            with self.subTest(library=library):
                log, _, found = self.program("""
OWN void *small(void) { return malloc(30000); }
int main(void) { for (int i = 0; i < 1000; i++) small(); void *p = malloc(16 * M); free(p); _exit(0); }
""", LD_PRELOAD=heap.LIBRARY + ":" + library)
                self.near(30000 * 1000, found["small"])
                self.assertLess(abs(log.bytes - 30000 * 1000), 5 * log.variance ** 0.5 + M)

    def test_a_malloc_of_the_programs_own_is_noted(self):
        sampled = self.sampled(4096)
        path = sampled.compiled("""
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>
static char room[1 << 24]; static size_t used;
void *malloc(size_t n) { void *p = room + used; used += (n + 15) & ~(size_t)15; return p; }
void free(void *p) {}
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n) { return malloc(n); }
int main(void) { malloc(5000); mmap(NULL, 1 << 22, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); _exit(0); }
""", "-rdynamic")
        sampled.run([path])
        log = sampled.only()
        self.assertTrue(log.flags & layout.NOT_FIRST)
        self.assertEqual(4, log.bytes // M)

    def test_a_signals_handler_may_allocate_and_fork(self):
        sampled = self.sampled(4096)
        path = sampled.compiled(HEAD + """
static void *held[64];
static volatile int at;
static void handler(int unused) { int i = at++ % 64; free(held[i]); held[i] = malloc(9000); }
static void forks(int unused) { pid_t child = fork(); if (!child) { malloc(9000); _exit(0); } waitpid(child, NULL, 0); }
int main(void) {
    signal(SIGUSR1, handler);
    for (int i = 0; i < 500; i++) { free(malloc(20000)); raise(SIGUSR1); }
    signal(SIGUSR2, forks);
    for (int i = 0; i < 20; i++) { malloc(20000); raise(SIGUSR2); }
    _exit(0);
}
""")
        sampled.run([path])
        parent = sampled.all()[0]
        self.assertLess(abs(parent.bytes - 64 * 9000 - 20 * 20000), 5 * parent.variance ** 0.5 + 65536)

    def test_threads_that_are_cancelled_leave_the_lock(self):
        _, output, _ = self.program("""
static void *work(void *unused) {
    char *kept[50];
    for (int i = 0; i < 200; i++) kept[i % 50] = malloc(20000);
    (void)kept;
    pthread_testcancel();
    return unused;
}
int main(void) {
    alarm(60);
    for (int i = 0; i < 100; i++) {
        pthread_t t;
        pthread_create(&t, NULL, work, NULL);
        pthread_cancel(t);
        pthread_join(t, NULL);
        for (int j = 0; j < 40; j++) free(malloc(20000));
    }
    puts("ok");
    return 0;
}
""", mean=4096)
        self.assertEqual("ok\n", output)

    def test_one_moves_a_mapping_while_another_maps_where_it_was(self):
        log, _, _ = self.program("""
#define MAP mmap(NULL, M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
static int ended;
static void *maps(void *unused) { for (int i = 0; i < 3000; i++) MAP; return unused; }
static void *moves(void *unused) {
    char *room = mmap(NULL, 2 * M, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    while (!__atomic_load_n(&ended, 5)) {
        char *p = mremap(MAP, M, M, MREMAP_MAYMOVE | MREMAP_FIXED, room);
        if (p != room) _exit(1);
        mmap(room, M, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    return unused;
}
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, i % 2 ? maps : moves, NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[3], NULL);
    __atomic_store_n(&ended, 1, 5);
    pthread_join(t[0], NULL);
    pthread_join(t[2], NULL);
    _exit(0);
}
""")
        self.assertLess(abs(log.bytes - 6000 * M), M)

    def test_libraries_that_come_and_go(self):
        sampled = self.sampled(4096)
        for name in ("one", "two"):
            sampled.compiled("#include <stdlib.h>\nvoid *%s(size_t n) { return malloc(n); }\n" % name, "-shared", "-fPIC", name=name)
        path = sampled.compiled(HEAD + """
#include <dlfcn.h>
int main(int count, char **names) {
    for (int i = 0; i < 200; i++) {
        void *library = dlopen(names[1 + i % 2], RTLD_NOW);
        if (!library) return 1;
        void *(*take)(size_t) = dlsym(library, i % 2 ? "two" : "one");
        void *p = take(100000);
        if (i >= 190) take(M);
        free(p);
        dlclose(library);
    }
    _exit(0);
}
""", "-ldl")
        sampled.run([path, os.path.join(sampled.path, "one"), os.path.join(sampled.path, "two")])
        log = sampled.only()
        modules = [os.path.basename(name) for name, _ in log.modules]
        self.assertIn("one", modules)
        self.assertIn("two", modules)
        held = {}
        for stack in log.stacks:
            if stack.live[0] >= M:
                owner = modules[(stack.keys[0] >> layout.MODULE_SHIFT) - 1]
                held[owner] = held.get(owner, 0) + stack.live[0] // M
        self.assertEqual({"one": 5, "two": 5}, held)

    def test_more_than_the_tables_hold_is_sampled_more_sparsely(self):
        log, _, found = self.program("""
OWN char *take(void) { char *p = malloc(3000); *p = 1; return p; }
int main(void) { for (int i = 0; i < 200000; i++) take(); _exit(0); }
""", mean=4096)
        self.assertTrue(log.flags & layout.SPARSER)
        self.assertEqual((4096, 0), (log.mean, log.untracked))
        self.assertGreater(log.last_mean, 4096)
        self.near(3000 * 200000, found["take"])

    def test_more_stacks_than_the_log_holds_lose_no_bytes(self):
        functions = "".join("OWN void *f%d(int n) { return n ? (n & 1 ? f%d(n / 2) : f%d(n / 2)) : malloc(5000); }\n" % (
            at, (at + 1) % 3, (at + 2) % 3) for at in range(3))
        log, _, _ = self.program("OWN void *f0(int); OWN void *f1(int); OWN void *f2(int);\n" + functions +
                                 "int main(void) { for (int i = 0; i < 80000; i++) f0(1 << 17 | i * 40503u % 131072); _exit(0); }", mean=4096)
        self.assertTrue(log.flags & layout.LOG_FULL)
        self.assertGreater(log.stacks[0].live[0], 0)
        self.assertEqual(log.bytes, sum(stack.live[0] for stack in log.stacks))
        self.assertLess(abs(log.bytes - 5000 * 80000), 5 * log.variance ** 0.5)

    def test_deep_recursion_is_cut_at_the_innermost_frames(self):
        log, _, found = self.program("""
OWN int deep(int n) { volatile int here = n; if (!n) { malloc(4 * M); return 0; } return deep(n - 1) + here; }
int main(void) { deep(10000); _exit(0); }
""")
        self.assertEqual(4, self.held(found["deep"][:1])[0] // M)
        self.assertEqual(64, len(found["deep"][0].keys))

    def test_own_memory_is_at_most_16_mib(self):
        text = """
OWN char *take(void) { return malloc(4096); }
static long resident(void) {
    long size, pages; FILE *f = fopen("/proc/self/statm", "r");
    if (fscanf(f, "%ld %ld", &size, &pages) != 2) exit(1);
    fclose(f);
    return pages * 4;
}
OWN void *f0(int); OWN void *f1(int);
OWN void *f0(int n) { return n ? (n & 1 ? f1(n / 2) : f0(n / 2)) : malloc(4096); }
OWN void *f1(int n) { return n ? (n & 1 ? f0(n / 2) : f1(n / 2)) : malloc(4096); }
int main(void) {
    for (int i = 0; i < 60000; i++) { f0(1 << 14 | i * 40503u % 16384); mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
    printf("%ld\\n", resident());
    fflush(stdout);
    _exit(0);
}
"""
        sampled = self.sampled(4096)
        path = sampled.compiled(HEAD + text)
        with_it = int(sampled.run([path])[0])
        without = int(subprocess.check_output([path]))
        self.assertLess(with_it - without, 16 << 10)


class WhatIsGone(Engine):
    """Memory that the sampler knows of and that went without its knowledge is not read."""
    #: Two functions that run wherever they are copied to.
    CODE = "".join("void *%s(void *(*of)(unsigned long), unsigned long n) { void *p = of(n); __asm__ volatile(\"\"); return p; }\n"
                   % name for name in ("one", "two"))
    MAPS = """
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
typedef void *Takes(void *(*)(size_t), size_t);
/* Calls `what` with each mapping of the file. */
static void each_of(const char *path, void (*what)(char *, char *)) {
    char text[1 << 16], *at = text;
    int fd = open("/proc/self/maps", O_RDONLY);
    size_t size = 0;
    for (ssize_t got; (got = read(fd, text + size, sizeof text - 1 - size)) > 0;) size += got;
    text[size] = 0;
    for (at = strtok(text, "\\n"); at; at = strtok(NULL, "\\n")) {
        void *from, *to;
        if (strstr(at, path) && sscanf(at, "%p-%p", &from, &to) == 2) what(from, to);
    }
    close(fd);
}
"""

    def library(self, sampled):
        return sampled.compiled(self.CODE, "-shared", "-fPIC", name="library")

    def test_a_library_that_went_without_dlclose(self):
        sampled = self.sampled(4096)
        path = sampled.compiled(HEAD + self.MAPS + """
static void unmap(char *from, char *to) { munmap(from, to - from); }
int main(int count, char **names) {
    void *library = dlopen(names[1], RTLD_NOW);
    if (!library) return 1;
    Takes *one = dlsym(library, "one"), *two = dlsym(library, "two");
    for (int i = 0; i < 50; i++) free(one(malloc, 20000));
    char *page = (char *)((uintptr_t)two & -4096), copy[4096];
    memcpy(copy, page, 4096);
    each_of("/library", unmap);
    if (mmap(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != page) return 2;
    memcpy(page, copy, 4096);
    __builtin___clear_cache(page, page + 4096);
    for (int i = 0; i < 50; i++) free(two(malloc, 20000));
    _exit(0);
}
""", "-ldl")
        sampled.run([path, self.library(sampled)])
        self.assertGreater(sampled.only().samples, 90)

    def test_a_library_whose_beginning_is_mapped_twice_before_its_code(self):
        sampled = self.sampled(4096)
        library = sampled.compiled(self.CODE, "-shared", "-fPIC", "-Wl,-z,max-page-size=0x10000", "-Wl,-z,separate-code",
                                   name="library")
        path = sampled.compiled(HEAD + self.MAPS + """
static char *first;
static void note(char *from, char *to) { if (!first) first = from; }
int main(int count, char **names) {
    void *loaded = dlopen(names[1], RTLD_NOW);
    if (!loaded) return 1;
    Takes *one = dlsym(loaded, "one"), *two = dlsym(loaded, "two");
    each_of("/library", note);
    if ((char *)one < first + 0x10000) return 2;
    char *again = first + 0x8000;
    if (mmap(again, 4096, PROT_READ, MAP_FIXED | MAP_PRIVATE, open(names[1], O_RDONLY), 0) != again) return 3;
    dlclose(dlopen(names[1], RTLD_NOW)); /* what is mapped is read anew */
    for (int i = 0; i < 50; i++) { one(malloc, 20000); two(malloc, 30000); }
    _exit(0);
}
""", "-ldl")
        sampled.run([path, library])
        found = heap.functions(sampled.only(), heap.symbols_of(library, self.target))
        self.near(50 * 20000, found["one"])
        self.near(50 * 30000, found["two"])

    def test_more_code_than_is_kept(self):
        sampled = self.sampled(4096)
        path = sampled.compiled(HEAD + self.MAPS + """
int main(int count, char **names) {
    char *room = mmap(NULL, 4800 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2400; i++) mprotect(room + i * 8192, 4096, PROT_READ | PROT_EXEC);
    for (int i = 0; i < 2000; i++) free(malloc(20000));
    _exit(0);
}
""", "-no-pie")
        sampled.run([path])
        self.assertGreater(sampled.only().samples, 1900)

    def test_a_file_of_code_that_is_mapped_in_part(self):
        sampled = self.sampled(4096)
        path = sampled.compiled(HEAD + """
#include <fcntl.h>
typedef void *Takes(void *(*)(size_t), size_t);
int main(int count, char **names) {
    long at = strtol(names[2], NULL, 16), size = (at + 4096) & -4096;
    char *room = mmap(NULL, M, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mmap(room, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, open(names[1], O_RDONLY), 0) != room) return 1;
    for (int i = 0; i < 50; i++) free(((Takes *)(room + at))(malloc, 20000));
    _exit(0);
}
""")
        library = self.library(sampled)
        sampled.run([path, library, "%x" % heap.symbols_of(library, self.target)["one"][0]])
        self.assertGreater(sampled.only().samples, 40)

    def test_what_was_mapped_beside_a_stack(self):
        log, _, _ = self.program("""
/* A function without a description, with that value where a frame pointer would be. */
#if defined(__x86_64__)
__asm__(".globl framed\\nframed: push %rbp\\n mov %rdi, %rbp\\n call *%rsi\\n pop %rbp\\n ret\\n");
#else
__asm__(".globl framed\\nframed: stp x29, x30, [sp, -16]!\\n mov x29, x0\\n blr x1\\n ldp x29, x30, [sp], 16\\n ret\\n");
#endif
extern void framed(void *, void (*)(void));
static char *stack;
OWN void take(void) { for (int i = 0; i < 50; i++) free(malloc(20000)); }
static void *work(void *unused) {
    take();
    munmap(stack + M, M);
    framed(stack + M + 4096, take);
    return unused;
}
int main(void) {
    stack = mmap(NULL, 2 * M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t how;
    pthread_t t;
    pthread_attr_init(&how);
    pthread_attr_setstack(&how, stack, M);
    if (pthread_create(&t, &how, work, NULL)) return 1;
    pthread_join(t, NULL);
    _exit(0);
}
""", mean=4096)
        self.assertGreater(log.samples, 90)

    def test_counters_that_are_too_short(self):
        """A page of them, whole up to there, and none."""
        sampled = self.sampled(4096)
        path = sampled.compiled(HEAD + """
#include <stdint.h>
extern int jetson_memprof_heap_lines(const char *) __attribute__((weak));
int main(void) {
    FILE *file = fopen("short.cnt", "w");
    fclose(file);
    if (jetson_memprof_heap_lines("short") != 3) return 1;
    int64_t words[512] = {0x31524E43504D4A, 4, getpid()};
    file = fopen("short.cnt", "w");
    fwrite(words, sizeof words, 1, file);
    fclose(file);
    if (jetson_memprof_heap_lines("short") != 3) return 2;
    for (int i = 0; i < 50; i++) malloc(20000);
    return 0;
}
""", "-no-pie")
        sampled.run([path], cwd=sampled.path)


class Tables(unittest.TestCase):
    """Parts of the library by themselves."""

    def test_tables(self):
        if not heap.NATIVE.runs:
            self.skipTest(heap.WHY_NOT)
        with heap.Sampled() as sampled:
            path = sampled.compiled("#include <stdio.h>\n#include \"%s/table.h\"\n" % os.path.join(
                heap.harness.HELPER, "accel", "heap") + """
int main(void) {
    /* Half full, as it is before less is sampled: few of the others that are freed are looked for. */
    static Head head;
    log_at = (char *)&head;
    uint64_t x = 1;
    int found = 0;
    for (int i = 0; i < BLOCKS / 2; i++) {
        Block b = {.address = (x = mixed(x + 1)) & 0x7FFFFFFFFFF0u, .size = 64, .mean = 4096};
        if (!add_block(&b)) return 1;
    }
    for (int i = 0; i < 100000; i++) found += may_be_sampled((void *)((x = mixed(x + 1)) & 0x7FFFFFFFFFF0u));
    printf("%d\\n", found);
    uint64_t sizes[] = {1 << 20, 6 << 20, 64 << 20, 100 << 20, 1ull << 40};
    for (int i = 0; i < 5; i++) printf("%d ", (int)(left_for_others(sizes[i]) >> 20));
    return 0;
}
""")
            output = subprocess.check_output([path]).decode().split()
        self.assertLess(int(output[0]), 6000)
        self.assertEqual(["4", "4", "32", "50", "64"], output[1:])


class Loading(Engine):
    def test_needs_no_newer_glibc_than_2_17_and_no_other_library(self):
        objdump = heap.shutil.which("objdump")
        if objdump is None:
            self.skipTest("SKIPPED: needs binutils")
        output = subprocess.check_output([objdump, "-x", "-T", heap.LIBRARY]).decode()
        versions = set(heap.re.findall(r"GLIBC_(\d+)\.(\d+)", output))
        self.assertTrue(versions)
        self.assertLessEqual(max((int(a), int(b)) for a, b in versions), (2, 17))
        self.assertEqual(["libc.so.6"], heap.re.findall(r"NEEDED +(\S+)", output))

    def test_static_programs_run_as_they_are(self):
        sampled = self.sampled(4096)
        path = sampled.compiled(HEAD + "int main(void) { malloc(M); puts(\"static\"); return 0; }", "-static")
        self.assertEqual(("static\n", ""), sampled.run([path]))
        self.assertEqual([], os.listdir(sampled.logs))

    def test_programs_with_musl_run_as_they_are(self):
        compiler = heap.shutil.which("musl-gcc")
        if compiler is None:
            self.skipTest("SKIPPED: needs musl-tools")
        sampled = self.sampled(4096)
        path = sampled.compiled("#include <stdio.h>\n#include <stdlib.h>\nint main(void) { void *p = malloc(1 << 20); p = realloc(p, "
                                "1 << 22); free(p); puts(\"musl\"); return !calloc(3, 70000); }", compiler=compiler)
        self.assertEqual(("musl\n", ""), sampled.run([path]))
        self.assertEqual([], os.listdir(sampled.logs))


if __name__ == "__main__":
    sys.exit(unittest.main())
