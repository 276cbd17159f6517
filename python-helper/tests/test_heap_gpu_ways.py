"""Ways to use CUDA in which recording might be in the way, or be wrong; by the stand-ins of test_heap_gpu.py."""
import os
import subprocess
import sys
import unittest

import heap_harness as heap
import test_heap_gpu as gpu
from heap_harness import M, layout

#: A runtime that is told by what it hands out. It needs no other library, so that it may be loaded into any namespace.
OTHER = """
int cudaMalloc(void **p, unsigned long n) { *p = (void *)(n + 4096); return 0; }
int mine(void **p, unsigned long n) { return cudaMalloc(p, n); }
"""
IS_OTHERS = "#define IS_OTHERS(p, n) ((p) == (void *)((n) + 4096ul))\n"


class Captures(gpu.Case):
    def test_asking_how_much_is_free_ends_no_capture(self):
        log = self.log(gpu.RUNTIME + """
extern int capture_begins(void), capture_ends(void), cuModuleLoadData(uint64_t *, const void *), cuThreadExchangeStreamCaptureMode(int *);
int main(void) {
    void *p;
    uint64_t module;
    int mode = 1;
    CHECK(!cudaFree(NULL) && !cuThreadExchangeStreamCaptureMode(&mode) && mode == 0);
    capture_begins();
    CHECK(!cudaMallocAsync(&p, M, NULL) && !cuModuleLoadData(&module, "code") && cudaMallocAsync(&p, 5000ull * M, NULL) == 2);
    CHECK(!capture_ends());
    CHECK(!cuThreadExchangeStreamCaptureMode(&mode) && mode == 1);
    _exit(0);
}
""", libraries=("libcudart.so.12", "libcuda.so.1"))
        self.assertEqual((1, 80), (log.gpu.bytes // M, gpu.groups(log)["module"] // M))
        self.assertEqual((4096 - 150 - 80 - 1) * M, log.gpu.least_free)


class WhichOneIsCalled(gpu.Case):
    """Each program says by CHECK what it finds without the sampler."""

    def same_without_us(self, text, *flags, **more):
        cuda = self.cuda()
        for name, source, how in more.get("beside", ()):
            cuda.sampled.compiled(source, "-shared", "-fPIC", *how, name=name)
        path = cuda.sampled.compiled(gpu.HEAD + IS_OTHERS + text, "-no-pie", "-pthread", *(list(flags) + [
            os.path.join(cuda.libraries, library) for library in more.get("libraries", ())] + ["-Wl,--allow-shlib-undefined", "-ldl"]))
        without = dict(cuda.sampled.environment)
        del without["LD_PRELOAD"]
        subprocess.check_call(self.target.emulator + [path], env=without)
        cuda.sampled.run([path])
        return cuda.sampled

    OTHER = ("libother.so", OTHER, ("-nostdlib",))

    def test_the_programs_own(self):
        self.same_without_us("""
int cudaMalloc(void **p, size_t n) { *p = (void *)(n + 4096); return 0; }
int main(void) {
    int (*take)(void **, size_t) = dlsym(RTLD_DEFAULT, "cudaMalloc"), (*same)(void **, size_t) = dlsym(dlopen(NULL, RTLD_NOW), "cudaMalloc");
    void *p;
    CHECK(take && take == same && !take(&p, M) && IS_OTHERS(p, M));
    return 0;
}
""", "-rdynamic")

    def test_of_a_library_that_was_loaded_later_beside_the_programs(self):
        self.same_without_us("""
extern int cudaMalloc(void **, size_t);
int main(void) {
    int (*take)(void **, size_t) = dlsym(dlopen("libother.so", RTLD_NOW), "cudaMalloc");
    void *p;
    CHECK(take && !take(&p, M) && IS_OTHERS(p, M) && !cudaMalloc(&p, M) && !IS_OTHERS(p, M) && !take(&p, M) && IS_OTHERS(p, M));
    return 0;
}
""", beside=[self.OTHER], libraries=("libcudart.so.12",))

    def test_a_library_with_a_runtime_of_its_own_that_others_see(self):
        self.same_without_us("""
int main(void) {
    void *library = dlopen("libc10_cuda.so", RTLD_NOW), *other = dlopen("libother.so", RTLD_NOW), *p;
    int (*first)(void **, size_t) = dlsym(library, "reserve"), (*mine)(void **, size_t) = dlsym(other, "mine");
    for (int i = 0; i < 3; i++) CHECK(!first(&p, M) && !IS_OTHERS(p, M) && !mine(&p, M) && IS_OTHERS(p, M));
    return 0;
}
""", beside=[self.OTHER])

    def test_of_another_namespace(self):
        self.same_without_us("""
int main(void) {
    void *other = dlmopen(LM_ID_NEWLM, "libother.so", RTLD_NOW), *p;
    int (*take)(void **, size_t) = dlsym(other, "cudaMalloc");
    CHECK(take && !take(&p, M) && IS_OTHERS(p, M));
    int (*here)(void **, size_t) = dlsym(dlopen("libcudart.so.12", RTLD_NOW), "cudaMalloc");
    CHECK(here && !here(&p, M) && !IS_OTHERS(p, M) && !take(&p, M) && IS_OTHERS(p, M));
    return 0;
}
""", beside=[self.OTHER])

    def test_the_drivers_names_in_several_libraries(self):
        """As of a library that has them to find the driver's later: those that ask for the driver's are recorded."""
        stub = ("libstub.so", "int cuMemAlloc_v2(unsigned long *p, unsigned long n) { return 34; }\n", ("-nostdlib",))
        sampled = self.same_without_us("""
int main(void) {
    void *stub = dlopen("libstub.so", RTLD_NOW), *library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*take)(uint64_t *, size_t) = dlsym(library, "cuMemAlloc_v2"), (*none)(uint64_t *, size_t) = dlsym(stub, "cuMemAlloc_v2");
    int (*make)(uint64_t *, unsigned, int) = dlsym(library, "cuCtxCreate_v2");
    uint64_t p;
    malloc(3 * M);
    CHECK(make && !make(&p, 0, 0) && take && none && !take(&p, M) && none(&p, M) == 34 && !take(&p, M));
    return 0;
}
""", beside=[stub])
        self.assertEqual(2, sampled.only().gpu.bytes // M)


class Physical(gpu.Case):
    PROGRAM = """
typedef uint64_t P;
extern int cuMemCreate(P *, size_t, void *, unsigned long long), cuMemRelease(P), cuMemMap(P, size_t, size_t, P, unsigned long long);
extern int cuMemUnmap(P, size_t), cuCtxCreate_v2(P *, unsigned, int);
#define AT (3ull << 40)
int main(void) {
    P context, p[4];
    CHECK(!cuCtxCreate_v2(&context, 0, 0));
    for (int i = 0; i < 4; i++) CHECK(!cuMemCreate(&p[i], 2 * M, NULL, 0) && !cuMemMap(AT + i * 2 * M, 2 * M, 0, p[i], 0));
    %s
    _exit(0);
}
"""

    def held(self, rest):
        log = self.log(self.PROGRAM % rest, libraries=("libcuda.so.1",))
        self.assertEqual((8, 4), (log.gpu.peak_bytes // M, log.gpu.calls))
        self.assertEqual(log.gpu.bytes, sum(stack.live[0] for stack in log.stacks if stack.gpu == layout.BY_CALL))
        return log.gpu.bytes // M

    def test_what_is_mapped_lives_when_its_handle_is_given_back(self):
        self.assertEqual(8, self.held("for (int i = 0; i < 4; i++) CHECK(!cuMemRelease(p[i]));"))

    def test_it_goes_when_it_is_unmapped_several_at_once(self):
        self.assertEqual(2, self.held("""for (int i = 0; i < 4; i++) CHECK(!cuMemRelease(p[i]));
    CHECK(!cuMemUnmap(AT, 6 * M));"""))

    def test_each_as_expandable_segments_do(self):
        self.assertEqual(4, self.held("for (int i = 0; i < 2; i++) CHECK(!cuMemUnmap(AT + i * 2 * M, 2 * M) && !cuMemRelease(p[i]));"))

    def test_what_was_mapped_in_part_goes_with_its_handle(self):
        log = self.log((self.PROGRAM % "CHECK(!cuMemRelease(p[3]));").replace("2 * M, 0, p[i]", "M, 0, p[i]"), libraries=("libcuda.so.1",))
        self.assertEqual(6, log.gpu.bytes // M)


class WithoutRoom(gpu.Case):
    #: Fills the log with stacks.
    FILL = "OWN void *f0(int); OWN void *f1(int); OWN void *f2(int);\n" + "".join(
        "OWN void *f%d(int n) { return n ? (n & 1 ? f%d(n / 2) : f%d(n / 2)) : malloc(70000); }\n" % (
            at, (at + 1) % 3, (at + 2) % 3) for at in range(3)) + \
        "static void fill(void) { for (int i = 0; i < 60000; i++) free(f0(1 << 17 | i * 40503u % 131072)); }\n"

    def test_bytes_of_calls_that_have_no_place_are_there(self):
        log = self.log(self.FILL + gpu.RUNTIME + """
int main(void) {
    void *p, *q;
    fill();
    CHECK(!cudaMalloc(&p, 5 * M) && !cudaMallocAsync(&q, 7 * M, NULL) && !cudaFree(p));
    _exit(0);
}
""")
        self.assertTrue(log.flags & layout.LOG_FULL)
        self.assertEqual((7, 12, 2), (log.gpu.bytes // M, log.gpu.peak_bytes // M, log.gpu.calls))
        self.assertEqual((7, {}), (sum(stack.live[0] for stack in log.stacks if stack.gpu == layout.BY_CALL) // M, gpu.groups(log)))


if __name__ == "__main__":
    sys.exit(unittest.main())
