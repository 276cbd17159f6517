"""Address space that is reserved first and made usable later, by mprotect."""
import sys
import unittest

import test_heap_engine as engine
from heap_harness import M, layout

HEAD = """
#include <fcntl.h>
#define CHECK(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\\n", __LINE__, #what); _exit(1); } } while (0)
#define RW (PROT_READ | PROT_WRITE)
#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS)
OWN char *reserved(size_t size) { char *p = mmap(NULL, size, PROT_NONE, ANONYMOUS, -1, 0); CHECK(p != MAP_FAILED); return p; }
"""


class Reserved(engine.Engine):
    def counted(self, text, **more):
        """{function: MiB that live} and the log."""
        log, _, found = self.program(HEAD + text, **more)
        return dict((name, self.held(stacks)[0] / M) for name, stacks in found.items()), log

    def test_it_counts_on_the_line_that_makes_it_usable(self):
        found, log = self.counted("""
OWN void first(char *p) { CHECK(!mprotect(p, 8 * M, RW)); }
OWN void second(char *p) { CHECK(!mprotect(p + 4 * M, 8 * M, PROT_READ)); }
OWN void last(char *p) { CHECK(!mprotect(p + 60 * M, 4 * M, RW)); }
int main(void) { char *p = reserved(64 * M); first(p); second(p); last(p); _exit(0); }
""")
        self.assertEqual((8, 4, 4, 16), (found["first"], found["second"], found["last"], log.bytes // M))
        self.assertNotIn("reserved", found)

    def test_its_pages_stay_when_it_may_be_touched_no_more_so_it_stays_counted(self):
        found, log = self.counted("""
OWN void first(char *p) { CHECK(!mprotect(p, 8 * M, RW)); }
OWN void again(char *p) { CHECK(!mprotect(p, 8 * M, RW)); }
int main(void) {
    char *p = reserved(8 * M);
    first(p);
    memset(p, 1, 8 * M);
    CHECK(!mprotect(p, 8 * M, PROT_NONE));
    again(p);
    for (int i = 0; i < 8 * M; i += 4096) CHECK(p[i] == 1);
    _exit(0);
}
""")
        self.assertEqual((8, 8, 8), (found["first"], log.bytes // M, log.peak_bytes // M))
        self.assertNotIn("again", found)

    def test_what_is_unmapped_is_gone_and_what_is_reserved_anew_counts_anew(self):
        found, log = self.counted("""
OWN void first(char *p) { CHECK(!mprotect(p, 8 * M, RW)); }
OWN void anew(char *p) { CHECK(!mprotect(p, 16 * M, RW)); }
int main(void) {
    char *p = reserved(16 * M);
    first(p);
    CHECK(!munmap(p, 2 * M) && mmap(p + 2 * M, 3 * M, PROT_NONE, ANONYMOUS | MAP_FIXED, -1, 0) == p + 2 * M);
    CHECK(mmap(p, 2 * M, PROT_NONE, ANONYMOUS | MAP_FIXED, -1, 0) == p);
    anew(p);
    _exit(0);
}
""")
        self.assertEqual((3, 2 + 3 + 8, 16), (found["first"], found["anew"], log.bytes // M))

    def test_it_may_be_moved_before(self):
        found, _ = self.counted("""
OWN void usable(char *p) { CHECK(!mprotect(p, 8 * M, RW)); }
int main(void) {
    char *p = reserved(8 * M), *q = mmap(NULL, 8 * M, RW, MAP_PRIVATE, open("/dev/zero", O_RDONLY), 0);
    CHECK(mremap(p, 8 * M, 8 * M, MREMAP_MAYMOVE | MREMAP_FIXED, q) == q);
    usable(q);
    CHECK(mmap(p, 8 * M, PROT_READ, ANONYMOUS | MAP_FIXED, -1, 0) == p);
    usable(p);
    _exit(0);
}
""")
        self.assertEqual(8, found["usable"])

    def test_what_it_grows_by_is_reserved_too(self):
        found, log = self.counted("""
OWN void *grown(char *p, size_t from, size_t to) { p = mremap(p, from, to, MREMAP_MAYMOVE); CHECK(p != MAP_FAILED); return p; }
OWN void usable(char *p, size_t size) { CHECK(!mprotect(p, size, RW)); }
OWN void pieces(char *p, size_t size) { for (size_t i = 0; i < size; i += 16384) CHECK(!mprotect(p + i, 16384, RW)); }
int main(void) {
    char *p = grown(reserved(4 * M), 4 * M, 16 * M), *q = reserved(4096);
    usable(p, 12 * M);
    for (int i = 4096; i < 32 * M; i += 4096) q = grown(q, i, i + 4096);
    pieces(q, 32 * M);
    char *r = mmap(NULL, 4 * M, RW, ANONYMOUS, -1, 0);
    CHECK(!mprotect(r, 4 * M, PROT_NONE));
    usable(grown(r, 4 * M, 16 * M), 16 * M);
    _exit(0);
}
""")
        self.assertEqual(12 + 12, found["usable"])
        self.assertNotIn("grown", found)
        self.assertGreater(found["pieces"], 24)  # sampled

    def test_a_forked_child_makes_its_own_of_what_its_parent_reserved(self):
        sampled = self.sampled()
        sampled.run([sampled.compiled(engine.HEAD + HEAD + """
OWN void usable(char *p, size_t size) { CHECK(!mprotect(p, size, RW)); }
int main(void) {
    char *p = reserved(64 * M), *q = reserved(8 * M);
    usable(p, 4 * M);
    pid_t child = fork();
    if (!child) {
        CHECK(!munmap(q, 8 * M) && mmap(q, 8 * M, PROT_READ, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == q);
        usable(q, 8 * M);
        usable(p, 4 * M);
        usable(p + 32 * M, 16 * M);
        _exit(0);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    usable(p + 32 * M, 2 * M);
    _exit(0);
}
""", "-no-pie", "-pthread")])
        self.assertEqual([6, 8 + 16], [log.bytes // M for log in sampled.all()])

    def test_what_was_usable_all_along_and_files_count_nothing_more(self):
        found, log = self.counted("""
OWN void *mapped(void) { return mmap(NULL, 8 * M, RW, ANONYMOUS, -1, 0); }
OWN void protect(char *p, int how) { CHECK(!mprotect(p, 8 * M, how)); }
int main(int count, char **names) {
    FILE *file = tmpfile();
    CHECK(!ftruncate(fileno(file), 8 * M));
    char *p = mapped(), *q = mmap(NULL, 8 * M, PROT_NONE, MAP_PRIVATE, fileno(file), 0);
    reserved(M);
    errno = 77;
    protect(p, PROT_READ);
    protect(p, RW);
    protect(q, RW);
    CHECK(errno == 77 && mprotect(p + 1, M, RW) == -1 && errno == EINVAL && mprotect((void *)4096, 4096, RW) == -1 && errno == ENOMEM);
    _exit(0);
}
""")
        self.assertEqual((8, 8), (found["mapped"], log.bytes // M))
        self.assertNotIn("protect", found)

    def test_stacks_of_threads_are_none_of_it(self):
        """As glibc 2.17, 2.27 and those between them map them, by the name of mmap."""
        found, log = self.counted("""
#define STACK (ANONYMOUS | MAP_STACK)
OWN void at_once(void) { CHECK(mmap(NULL, 8 * M, RW, STACK, -1, 0) != MAP_FAILED); }
OWN void guarded(void) { char *p = mmap(NULL, 8 * M, PROT_NONE, STACK, -1, 0); CHECK(p != MAP_FAILED && !mprotect(p + 4096, 8 * M - 4096, RW)); }
int main(void) { reserved(M); at_once(); guarded(); malloc(4 * M); _exit(0); }
""")
        self.assertEqual((4, set()), (log.bytes // M, {"at_once", "guarded"} & set(found)))

    def test_however_much_is_reserved_the_samples_have_their_room(self):
        found, log = self.counted("""
OWN void *blocks(void) { char *p = NULL; for (int i = 0; i < 7000; i++) p = mmap(NULL, 65536, RW, ANONYMOUS, -1, 0); return p; }
OWN void usable(char *p) { CHECK(!mprotect(p, M, RW)); }
int main(void) {
    char *first = reserved(M);
    for (int i = 0; i < 20000; i++) reserved(65536);
    blocks(); /* less than half of the table */
    usable(first);
    _exit(0);
}
""")
        self.assertEqual((7000 / 16, 1), (found["blocks"], found["usable"]))
        self.assertEqual((0, 65536), (log.flags & (layout.TABLE_FULL | layout.SPARSER), log.last_mean))

    def test_small_pieces_are_sampled_as_blocks_are(self):
        log, _, found = self.program(HEAD + """
OWN void usable(char *p) { CHECK(!mprotect(p, 16384, RW)); }
int main(void) { char *p = reserved(64 * M); for (int i = 0; i < 4096; i++) usable(p + i * 16384); _exit(0); }
""")
        self.near(64 * M, found["usable"])
        self.assertGreater(self.held(found["usable"])[1], 0)

    def test_many_threads_make_parts_of_one_usable(self):
        found, log = self.counted("""
static char *all;
OWN void usable(char *p) { CHECK(!mprotect(p, M / 4, RW)); }
static void *work(void *number) {
    for (int i = 0; i < 32; i++) { char *p = all + ((long)number * 32 + i) * (M / 4); usable(p); *p = 1; if (i & 1) CHECK(!munmap(p, M / 4)); }
    return NULL;
}
int main(void) {
    pthread_t t[4];
    all = reserved(32 * M);
    for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    _exit(0);
}
""")
        self.assertEqual((16, 16), (found["usable"], log.bytes // M))


if __name__ == "__main__":
    sys.exit(unittest.main())
