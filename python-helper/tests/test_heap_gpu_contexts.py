"""What goes with a CUDA context; by the stand-ins of test_heap_gpu.py."""
import os
import sys
import unittest

import test_heap_gpu as gpu
from heap_harness import M, layout

RUNTIME = gpu.RUNTIME + "extern int cudaDeviceReset(void), cudaSetDevice(int);\n"
DRIVER = """
typedef uint64_t P;
extern int cuCtxCreate_v2(P *, unsigned, int), cuCtxDestroy_v2(P), cuCtxSetCurrent(P), cuMemAlloc_v2(P *, size_t), cuMemFree_v2(P);
extern int cuDevicePrimaryCtxRetain(P *, int), cuDevicePrimaryCtxRelease(int), cuDevicePrimaryCtxRelease_v2(int);
extern int cuDevicePrimaryCtxReset(int), cuDevicePrimaryCtxReset_v2(int), cuMemAllocAsync(P *, size_t, void *), cuMemFreeAsync(P, void *);
extern int cuMemAllocHost_v2(void **, size_t), cuMemAllocManaged(P *, size_t, unsigned), cuMemCreate(P *, size_t, void *, unsigned long long);
extern int cuModuleLoadData(P *, const void *);
"""


class WhatAContextTakesWithIt(gpu.Case):
    def ended(self, text, is_unsure=False, gpus=1, **more):
        """What lives in the end, in MiB, of all and by kind."""
        cuda = self.cuda(variant=more.pop("variant", ()))
        cuda.sampled.environment["STAND_IN_GPUS"] = str(gpus)
        cuda.program(text, **more)
        log = cuda.sampled.only()
        self.assertEqual(is_unsure, bool(log.flags & layout.CONTEXT_ENDED))
        self.assertEqual(log.gpu.bytes, sum(stack.live[0] for stack in log.stacks if stack.gpu == layout.BY_CALL))
        return log.gpu.bytes // M, dict((kind, held // M) for kind, held in gpu.groups(log).items() if held)

    def drivers(self, text, **more):
        return self.ended(DRIVER + "int main(void) {\n    P a, b, p[9];\n    void *host;\n%s\n    _exit(0);\n}\n" % text,
                          libraries=("libcuda.so.1",), **more)

    def test_a_device_that_was_reset_holds_nothing_and_begins_anew(self):
        for variant in gpu.VARIANTS:
            with self.subTest(variant=variant):
                self.assertEqual((3, {"device": 3, "module": 40}), self.ended(RUNTIME + """
int main(void) {
    void *p[5], *again, *other;
    int floats[5] = {32, 32, 32, 32, 2};
    CHECK(!cudaMalloc(&p[0], 8 * M) && !cudaMallocHost(&p[1], 4 * M) && !cudaMallocManaged(&p[2], 2 * M, 1));
    CHECK(!cudaMallocArray(&p[3], floats, 1024, 64, 0) && !cudaDeviceReset());
    CHECK(cudaFree(p[0]) == 1 && !cudaMalloc(&again, 2 * M) && again == p[0] && !cudaMalloc(&other, 3 * M) && !cudaFree(again));
    errno = 77;
    CHECK(!cudaFree(NULL) && errno == 77);
    _exit(0);
}
""", variant=variant))

    def test_another_device_keeps_its_own(self):
        self.assertEqual((7, {"device": 7, "module": 40}), self.ended(RUNTIME + """
int main(void) {
    void *p, *q;
    CHECK(!cudaMalloc(&p, 5 * M) && !cudaSetDevice(1) && !cudaMalloc(&q, 7 * M) && !cudaSetDevice(0) && !cudaDeviceReset());
    _exit(0);
}
""", gpus=2))

    def test_of_several_it_is_the_one_that_is_set_whichever_is_current(self):
        text = RUNTIME + """
static void *nothing_current(void *unused) { CHECK(!cudaDeviceReset()); return unused; }
int main(void) {
    void *p, *q;
    pthread_t thread;
    CHECK(!cudaSetDevice(1) && !cudaMalloc(&p, 7 * M) && !cudaSetDevice(0) && !cudaMalloc(&q, 5 * M));
    %s
    _exit(0);
}
"""
        for reset, left in (("CHECK(!cudaSetDevice(1) && !cudaDeviceReset());", 5), ("CHECK(!cudaDeviceReset());", 7),
                            ("pthread_create(&thread, NULL, nothing_current, NULL); pthread_join(thread, NULL);", 7)):
            with self.subTest(reset=reset):
                self.assertEqual((left, {"device": left, "module": 40}), self.ended(text % reset, gpus=2, variant=("-DPRIVATE",)))

    def test_what_was_reset_where_none_is_known_to_be_gone_is_counted_on(self):
        self.assertEqual((5, {"device": 5, "module": 40}), self.ended(RUNTIME + """
int main(void) {
    void *p;
    CHECK(!cudaMalloc(&p, 5 * M) && !cudaSetDevice(1) && !cudaDeviceReset());
    _exit(0);
}
""", gpus=2, variant=("-DPRIVATE",), is_unsure=True))

    def test_one_that_was_reset_by_the_driver(self):
        for name in ("cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxReset_v2"):
            for thread in ("cuCtxSetCurrent(a)", "cuCtxSetCurrent(0)"):
                with self.subTest(name=name, thread=thread):
                    self.assertEqual((0, {}), self.drivers("""
    CHECK(!cuDevicePrimaryCtxRetain(&a, 0) && !cuCtxSetCurrent(a) && !cuMemAlloc_v2(p, 5 * M) && !cuModuleLoadData(&b, "code"));
    CHECK(!%s && %s(9) == 1 && !%s(0));""" % (thread, name, name)))

    def test_one_that_is_released_goes_with_the_last_who_retained_it(self):
        text = """
    CHECK(!cuDevicePrimaryCtxRetain(&a, 0) && !cuDevicePrimaryCtxRetain(&b, 0) && !cuCtxSetCurrent(a) && !cuMemAlloc_v2(p, 5 * M));
    CHECK(!cuDevicePrimaryCtxRelease_v2(0));"""
        self.assertEqual((5, {"device": 5}), self.drivers(text))
        for name in ("cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2"):
            self.assertEqual((0, {}), self.drivers(text + "CHECK(!%s(0) && %s(0) == 1);" % (name, name)))

    def test_one_that_is_there_takes_nothing_more(self):
        self.assertEqual((5, {"device": 5}), self.drivers("""
    extern uint64_t others_take;
    CHECK(!cuDevicePrimaryCtxRetain(&a, 0) && !cuCtxSetCurrent(a) && !cuMemAlloc_v2(p, 5 * M));
    others_take = 9 * M;
    CHECK(!cuDevicePrimaryCtxRetain(&b, 0) && b == a);"""))

    def test_one_that_is_destroyed_takes_what_is_its_own(self):
        self.assertEqual((5 + 1 + 16, {"device": 5, "async": 1, "physical": 16}), self.drivers("""
    CHECK(!cuCtxCreate_v2(&a, 0, 0) && !cuMemAlloc_v2(&p[0], 5 * M) && !cuCtxCreate_v2(&b, 0, 0) && !cuMemAlloc_v2(&p[1], 3 * M));
    CHECK(!cuMemAllocHost_v2(&host, 2 * M) && !cuMemAllocManaged(&p[2], 4 * M, 1) && !cuModuleLoadData(&p[3], "code"));
    CHECK(!cuMemAllocAsync(&p[4], M, NULL) && !cuMemCreate(&p[5], 16 * M, NULL, 0));
    CHECK(cuCtxDestroy_v2(7) == 1 && !cuCtxDestroy_v2(b));"""))

    def test_what_another_thread_makes_anew_before_the_call_returns_stays(self):
        """The same handle, and the same address in it."""
        text = DRIVER + """
extern void (*when_gone)(void);
static P first, before, anew, after;
static void *make(void *unused) { CHECK(!MAKE(&anew) && !cuCtxSetCurrent(anew) && !cuMemAlloc_v2(&after, 3 * M)); return unused; }
static void other_thread(void) { pthread_t thread; when_gone = NULL; pthread_create(&thread, NULL, make, NULL); pthread_join(thread, NULL); }
int main(void) {
    CHECK(!MAKE(&first) && !cuCtxSetCurrent(first) && !cuMemAlloc_v2(&before, 5 * M));
    CHECK(END(9) && END(9));
    when_gone = other_thread;
    CHECK(!END(first) && anew == first && after == before);
    _exit(0);
}
"""
        for make, end in (("cuDevicePrimaryCtxRetain(at, 0)", "cuDevicePrimaryCtxReset_v2(context == 9 ? 9 : 0)"),
                          ("cuCtxCreate_v2(at, 0, 0)", "cuCtxDestroy_v2(context)")):
            with self.subTest(end=end):
                found = self.ended("#define MAKE(at) %s\n#define END(context) %s\n" % (make, end) + text, libraries=("libcuda.so.1",))
                self.assertEqual((3, {"device": 3}), found)

    def test_one_that_is_not_ended_after_all_keeps_what_it_has(self):
        self.assertEqual((0, {}), self.drivers("""
    CHECK(!cuDevicePrimaryCtxRetain(&a, 0) && !cuDevicePrimaryCtxRetain(&b, 0) && !cuCtxSetCurrent(a) && !cuMemAlloc_v2(p, 5 * M));
    CHECK(!cuDevicePrimaryCtxRelease_v2(0) && !cuMemAlloc_v2(p, 3 * M) && !cuDevicePrimaryCtxRelease_v2(0));"""))

    def test_what_lived_at_exit_is_not_what_the_runtime_leaves(self):
        text = RUNTIME + """
int main(void) {
    void *p;
    CHECK(!cudaMalloc(&p, 5 * M) && !cudaSetDevice(1) && !cudaMalloc(&p, 7 * M));
    %s
    return 0;
}
"""
        for rest, left in (("", {"device": 12, "module": 80}), ("CHECK(!cudaFree(p));", {"device": 5, "module": 80}),
                           ("CHECK(!cudaDeviceReset());", {"device": 5, "module": 40})):
            with self.subTest(rest=rest):
                self.assertEqual((left["device"], left), self.ended(text % rest, gpus=2, variant=("-DRELEASES",)))

    def test_of_what_a_pool_has_it_is_not_known_whether_it_outlives_a_reset(self):
        begin = "CHECK(!cuDevicePrimaryCtxRetain(&a, 0) && !cuCtxSetCurrent(a) && !cuMemAlloc_v2(p, 5 * M) && !cuMemAllocAsync(&p[1], M, NULL));"
        self.assertEqual((1, {"async": 1}), self.drivers(begin + "CHECK(!cuDevicePrimaryCtxReset_v2(0));", is_unsure=True))
        self.assertEqual((0, {}), self.drivers(begin + "CHECK(!cuMemFreeAsync(p[1], NULL) && !cuDevicePrimaryCtxReset_v2(0));"))

    def test_where_the_driver_does_not_say_whose_it_was_it_is_counted_on(self):
        cuda = self.cuda()
        cuda.sampled.compiled("""
int cuMemAlloc_v2(unsigned long *p, unsigned long n) { *p = 1ul << 40; return 0; }
int cuCtxDestroy_v2(unsigned long context) { return 0; }
int cuDevicePrimaryCtxReset_v2(int device) { return 0; }
""", "-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libold.so", name="libold.so")
        for call in ("cuCtxDestroy_v2(5)", "cuDevicePrimaryCtxReset_v2(0)"):
            path = cuda.sampled.compiled(gpu.HEAD + DRIVER + "int main(void) { P p; CHECK(!cuMemAlloc_v2(&p, 5 * M) && !%s); _exit(0); }" % call,
                                         "-no-pie", "-pthread", os.path.join(cuda.path, "libold.so"))
            cuda.sampled.run([path])
            log = cuda.sampled.all()[-1]
            self.assertEqual((5, layout.CONTEXT_ENDED), (log.gpu.bytes // M, log.flags & layout.CONTEXT_ENDED))


if __name__ == "__main__":
    sys.exit(unittest.main())
