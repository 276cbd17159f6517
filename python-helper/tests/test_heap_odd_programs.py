"""Programs that cannot be sampled, or only in part: each does what it does without the sampler."""
import os
import shutil
import sys
import tempfile
import unittest

import heap_harness as heap
import test_heap_engine as engine
from heap_harness import M
from truth import harness

FILTER = engine.HEAD + """
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#define CHECK(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\\n", __LINE__, #what); _exit(1); } } while (0)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
static void refuse(struct sock_filter *rows, int count) {
    struct sock_fprog filter = {count, rows};
    CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}
OWN void *taken(void) { return malloc(8 * M); }
"""


class Refused(engine.Engine):
    def test_a_program_that_may_map_no_code(self):
        log, output, found = self.program(FILTER + """
int main(void) {
    struct sock_filter rows[] = {LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3), LOAD(args[2]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), REFUSE, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    refuse(rows, sizeof rows / sizeof *rows);
    CHECK(mmap(NULL, M, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EPERM);
    CHECK(!dlopen("libm.so.6", RTLD_NOW) && taken());
    puts("ended");
    fflush(stdout);
    _exit(0);
}
""", flags=("-ldl",))
        self.assertEqual("ended\n", output)
        self.assertEqual(8, self.held(found["taken"])[0] // M)

    def test_a_program_that_may_ask_for_nothing_that_the_sampler_needs(self):
        refused = ("openat", "newfstatat", "process_vm_readv", "futex", "gettid", "fstatfs", "fallocate", "pwrite64", "ftruncate", "unlink",
                   "pread64", "mremap", "getrlimit", "prlimit64")
        rows = "".join("#ifdef SYS_%s\nIF(SYS_%s), REFUSE,\n#endif\n" % (name, name) for name in refused)
        for before in ("", "taken();"):
            sampled = self.sampled(4096)
            path = sampled.compiled(FILTER + """
int main(void) {
    BEFORE
    struct sock_filter rows[] = {LOAD(nr),
""".replace("BEFORE", before) + rows + """
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    refuse(rows, sizeof rows / sizeof *rows);
    for (int i = 0; i < 3000; i++) { char *p = malloc(3000); *p = 1; if (i & 1) free(p); p = malloc(M); *p = 1; free(p); }
    CHECK(taken() && mmap(NULL, M, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    write(1, "ended\\n", 6);
    return 0;
}
""", "-no-pie", "-pthread")
            self.assertEqual(("ended\n", ""), sampled.run([path]))

    @unittest.skipUnless(os.geteuid() == 0, "SKIPPED: needs root, to make a program that runs as somebody else")
    def test_a_program_that_runs_as_somebody_else(self):
        sampled = self.sampled(4096)
        path = sampled.compiled(engine.HEAD + "int main(void) { malloc(8 * M); printf(\"%d %s\\n\", geteuid(), getenv(\"LD_PRELOAD\") ? "
                                "\"there\" : \"gone\"); return 0; }")
        os.chown(path, 65534, 65534)
        os.chmod(path, 0o4755)
        if os.statvfs(path).f_flag & os.ST_NOSUID:
            self.skipTest("SKIPPED: no program here runs as somebody else")
        self.assertEqual(("65534 gone\n", ""), sampled.run([path]))
        self.assertEqual([], os.listdir(sampled.logs))


@unittest.skipUnless(heap.IS_BUILT, heap.WHY_NOT)
class Children(unittest.TestCase):
    def setUp(self):
        self.project = tempfile.mkdtemp(prefix="jmp-project-")
        self.addCleanup(shutil.rmtree, self.project)

    def brought(self, text, **env):
        found = heap.Brought(self.project, text, harness.BOTH[-1], env=env)
        self.addCleanup(found.close)
        self.assertEqual((0, []), (found.run.status, found.run.warnings), found.run.stderr)
        self.assertLessEqual(abs(found.at_peak(found.main).get(1, 0) - 8 * M), 65536)
        return found

    def test_one_with_an_environment_of_its_own(self):
        run = self.brought("kept = bytearray(8 << 20)\nimport subprocess, sys\nprint(subprocess.check_output([sys.executable, '-S', '-E', "
                           "'-c', 'import os; kept = bytearray(9 << 20); print(len(os.environ.get(\"LD_PRELOAD\", \"\")))'], env={}))\n")
        self.assertIn(b"0", run.run.stdout)
        self.assertEqual([run.main.pid], [summary.pid for summary in run.summaries])

    def test_what_the_user_preloads_is_there_too(self):
        sampled = heap.Sampled()
        self.addCleanup(sampled.__exit__)
        users = sampled.compiled("int users_own = 41;\n__attribute__((constructor)) static void begin(void) { users_own++; }\n",
                                 "-shared", "-fPIC", name="users.so")
        text = "kept = bytearray(8 << 20)\nimport ctypes, subprocess, sys\nALL = 'import ctypes; found = ctypes.CDLL(None); " \
               "found.jetson_memprof_heap_mark; print(ctypes.c_int.in_dll(found, \"users_own\").value)'\nexec(ALL)\n" \
               "print(subprocess.check_output([sys.executable, '-S', '-E', '-c', ALL]).decode())\n"
        for preloaded in (heap.LIBRARY + ":" + users, heap.LIBRARY + " " + users):
            run = self.brought(text, LD_PRELOAD=preloaded)
            self.assertEqual([b"42", b"42"], run.run.stdout.split())

    @unittest.skipUnless(heap.EMULATED.runs, "SKIPPED: needs qemu-user-static and gcc-aarch64-linux-gnu")
    def test_one_of_another_architecture(self):
        sampled = heap.Sampled(target=heap.EMULATED)
        self.addCleanup(sampled.__exit__)
        path = sampled.compiled("#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(malloc(8 << 20) ? \"aarch64\" : \"\"); return 0; }")
        run = self.brought("kept = bytearray(8 << 20)\nimport subprocess\nprint(subprocess.check_output(%r))\n" %
                           (heap.EMULATED.emulator + [path],))
        self.assertIn(b"aarch64", run.run.stdout)
        self.assertIn(b"from LD_PRELOAD cannot be preloaded", run.run.stderr)
        self.assertEqual([run.main.pid], [summary.pid for summary in run.summaries])


if __name__ == "__main__":
    sys.exit(unittest.main())
