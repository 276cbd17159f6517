"""What CUDA's allocation calls took, by stand-ins for its driver and runtime (standin_cuda): nothing of this ran with real CUDA."""
import atexit
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import heap_harness as heap
import test_heap_engine as engine
from heap_harness import M, layout
from jetson_memprof.heap import gpu, gpu_names
from massif import reader
from truth import harness

STAND_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin_cuda")
HEADERS = os.path.join(harness.HELPER, "accel", "heap")
#: How a runtime finds the driver's functions: CUDA 10.2's, 11.3's and newer, 12's.
VARIANTS = ((), ('-DASKS="cuGetProcAddress"',), ('-DASKS="cuGetProcAddress_v2"',))
HEAD = engine.HEAD + """
#include <dlfcn.h>
#include <stdint.h>
#define CHECK(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\\n", __LINE__, #what); _exit(1); } } while (0)
"""


def _compiled(target, name, source, folder, *flags):
    subprocess.check_call([target.compiler, "-O1", "-w", "-shared", "-fPIC", "-fvisibility=hidden", "-o", os.path.join(folder, name),
                           os.path.join(STAND_IN, source)] + list(flags))


_libraries = {}


def libraries_of(target, variant):
    """The folder with the stand-ins' libraries, made once."""
    key = target.compiler, variant
    if key not in _libraries:
        folder = _libraries[key] = tempfile.mkdtemp(prefix="jmp-cuda-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _compiled(target, "libcuda.so.1", "libcuda.c", folder, "-pthread")
        _compiled(target, "libcudart.so.12", "libcudart.c", folder, "-Wl,-soname,libcudart.so.12", "-ldl", *variant)
        _compiled(target, "libcudnn_stand_in.so", "libcudnn.c", folder, "-ldl", *variant)
        _compiled(target, "libc10_cuda.so", "libc10_cuda.c", folder, os.path.join(folder, "libcudart.so.12"))
    return _libraries[key]


class Cuda(object):
    """The sampler and the stand-ins; `search` is where the loader finds these."""

    def __init__(self, target=heap.NATIVE, variant=(), mean=65536):
        self.sampled = heap.Sampled(mean, target=target)
        self.path = self.sampled.path
        self.libraries = libraries_of(target, variant)
        self.search = self.path + ":" + self.libraries
        self.sampled.environment["LD_LIBRARY_PATH"] = self.search

    def program(self, text, libraries=("libcudart.so.12",), status=0, name="program"):
        """(its path, what it printed) of a C program that is linked with these."""
        linked = [os.path.join(self.libraries, library) for library in libraries]
        rest = ["-Wl,--allow-shlib-undefined", "-ldl"]
        path = self.sampled.compiled(HEAD + text, "-no-pie", "-pthread", *(linked + rest), name=name)
        output, _ = self.sampled.run([path], status)
        return path, output

    def close(self):
        self.sampled.__exit__()


class Case(unittest.TestCase):
    target = heap.NATIVE

    def setUp(self):
        if not self.target.runs:
            self.skipTest(heap.WHY_NOT)

    def cuda(self, **more):
        found = Cuda(self.target, **more)
        self.addCleanup(found.close)
        return found

    def log(self, text, **more):
        variant = more.pop("variant", ())
        cuda = self.cuda(variant=variant)
        cuda.program(text, **more)
        return cuda.sampled.only()


def groups(log, which="live"):
    """{kind: bytes} of the sums."""
    found = {}
    for stack in log.stacks:
        if stack.gpu == layout.GPU_GROUP:
            kind = gpu_names.kind_of(stack.keys[2] & layout.ADDRESS_MASK)
            value = getattr(stack, which)
            found[kind] = found.get(kind, 0) + (value[0] if isinstance(value, tuple) else value)
    return found


def by_call(log, which="live"):
    """{name of the call: bytes} of the stacks."""
    found = {}
    for stack in log.stacks:
        if stack.gpu in (layout.BY_CALL, layout.BY_FREE_MEMORY):
            name = gpu_names.call_name(stack.keys[0] & layout.ADDRESS_MASK)
            found[name] = found.get(name, 0) + getattr(stack, which)[0]
    return dict((name, held) for name, held in found.items() if held)


RUNTIME = """
typedef struct { size_t width, height, depth; } Extent;
typedef struct { void *at; size_t pitch, width, height; } Pitched;
extern int cudaMalloc(void **, size_t), cudaMallocAsync(void **, size_t, void *), cudaMallocFromPoolAsync(void **, size_t, void *, void *);
extern int cudaMallocManaged(void **, size_t, unsigned), cudaMallocHost(void **, size_t), cudaHostAlloc(void **, size_t, unsigned);
extern int cudaMallocPitch(void **, size_t *, size_t, size_t), cudaMalloc3D(Pitched *, Extent);
extern int cudaMallocArray(void **, const int *, size_t, size_t, unsigned), cudaMalloc3DArray(void **, const int *, Extent, unsigned);
extern int cudaFree(void *), cudaFreeAsync(void *, void *), cudaFreeHost(void *), cudaFreeArray(void *);
"""
ALL_OF_THE_RUNTIME = RUNTIME + """
int main(int count, char **names) {
    void *p[10];
    size_t pitch;
    Pitched pitched = {0};
    int floats[5] = {32, 32, 32, 32, 2};
    errno = 77;
    CHECK(!cudaMalloc(&p[0], 1 * M) && !cudaMallocAsync(&p[1], 2 * M, NULL) && !cudaMallocFromPoolAsync(&p[2], 3 * M, NULL, NULL));
    CHECK(!cudaMallocManaged(&p[3], 4 * M, 1) && !cudaMallocHost(&p[4], 5 * M) && !cudaHostAlloc(&p[5], 6 * M, 0));
    CHECK(!cudaMallocPitch(&p[6], &pitch, 1000, 7 * 1024) && pitch == 1024 && !cudaMalloc3D(&pitched, (Extent){1000, 1024, 8}));
    CHECK(!cudaMallocArray(&p[8], floats, 1024, 9 * 64, 0) && !cudaMalloc3DArray(&p[9], floats, (Extent){1024, 64, 10}, 6));
    CHECK(errno == 77);
    FREE
    _exit(0);
}
"""
FREE_ALL = """
    CHECK(!cudaFree(p[0]) && !cudaFreeAsync(p[1], NULL) && !cudaFreeAsync(p[2], NULL) && !cudaFree(p[3]) && !cudaFreeHost(p[4]));
    CHECK(!cudaFreeHost(p[5]) && !cudaFree(p[6]) && !cudaFree(pitched.at) && !cudaFreeArray(p[8]) && !cudaFreeArray(p[9]) && !cudaFree(NULL));
    CHECK(errno == 77);
"""
TAKEN = {"cudaMalloc": 1, "cudaMallocAsync": 2, "cudaMallocFromPoolAsync": 3, "cudaMallocManaged": 4, "cudaMallocHost": 5,
         "cudaHostAlloc": 6, "cudaMallocPitch": 7, "cudaMalloc3D": 8, "cudaMallocArray": 9, "cudaMalloc3DArray": 10}


def in_mib(values):
    return dict((name, value / M) for name, value in values.items())


class WhatIsRecorded(Case):
    def test_all_functions_of_the_runtime_once_each(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                log = self.log(ALL_OF_THE_RUNTIME.replace("FREE", ""), variant=variant)
                found = in_mib(by_call(log))
                self.assertEqual(40, found.pop("cuModuleLoadData"))
                self.assertEqual(TAKEN, found)
                self.assertEqual({"device": 16, "async": 5, "managed": 4, "pinned": 11, "array": 19, "module": 40},
                                 in_mib(groups(log)))
                self.assertEqual((55 * M, 55 * M, 10), (log.gpu.bytes, log.gpu.peak_bytes, log.gpu.calls))
                self.assertEqual((4096 * M, layout.SEEN_RUNTIME), (log.gpu.total, log.gpu.seen & 3))
                # What CUDA said last: after its own context and module, and before anything was allocated.
                self.assertEqual((4096 - 190 - 1) * M, log.gpu.free)

    def test_what_is_given_back_is_gone_and_the_peak_stays(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                log = self.log(ALL_OF_THE_RUNTIME.replace("FREE", FREE_ALL), variant=variant)
                self.assertEqual((0, 55 * M, 55 * M), (log.gpu.bytes, log.gpu.peak_bytes, log.gpu.all_bytes))
                self.assertEqual({"cuModuleLoadData": 40}, in_mib(by_call(log)))
                peak = in_mib(by_call(log, "peak"))
                self.assertEqual(TAKEN, dict((name, held) for name, held in peak.items() if name != "cuModuleLoadData"))

    DRIVER = """
typedef uint64_t P;
extern int cuCtxCreate_v2(P *, unsigned, int), cuCtxCreate_v4(P *, void *, unsigned, int), cuCtxDestroy_v2(P), cuModuleLoadData(P *, void *);
extern int cuModuleUnload(P), cuLibraryLoadData(P *, void *, void *, void *, unsigned, void *, void *, unsigned), cuMemAlloc_v2(P *, size_t);
extern int cuMemAllocPitch_v2(P *, size_t *, size_t, size_t, unsigned), cuMemAllocAsync(P *, size_t, void *), cuMemAllocAsync_ptsz(P *, size_t, void *);
extern int cuMemAllocFromPoolAsync(P *, size_t, void *, void *), cuMemAllocManaged(P *, size_t, unsigned), cuMemAllocHost_v2(void **, size_t);
extern int cuMemHostAlloc(void **, size_t, unsigned), cuMemCreate(P *, size_t, void *, unsigned long long), cuMemRelease(P), cuMemFree_v2(P);
extern int cuMemFreeAsync(P, void *), cuMemFreeHost(void *), cuArrayCreate_v2(P *, void *), cuArray3DCreate_v2(P *, void *), cuArrayDestroy(P);
int main(void) {
    P context, other, p[12], module, library;
    void *host[2];
    size_t pitch, flat[3] = {1024, 9 * 64, 0x20 | 4ull << 32}, deep[5] = {1024, 64, 10, 0x20 | 4ull << 32, 0}, odd[3] = {64, 64, 0x91 | 1ull << 32};
    CHECK(!cuCtxCreate_v2(&context, 0, 0) && !cuCtxCreate_v4(&other, (void *)7, 0, 0) && !cuModuleLoadData(&module, "code"));
    CHECK(!cuLibraryLoadData(&library, "code", NULL, NULL, 0, NULL, NULL, 9));
    CHECK(!cuMemAlloc_v2(&p[0], M) && !cuMemAllocPitch_v2(&p[1], &pitch, 1000, 2048, 4) && !cuMemAllocAsync(&p[2], 3 * M, NULL));
    CHECK(!cuMemAllocAsync_ptsz(&p[3], 4 * M, (void *)1) && !cuMemAllocFromPoolAsync(&p[4], 5 * M, NULL, NULL) && !cuMemAllocManaged(&p[5], 6 * M, 1));
    CHECK(!cuMemAllocHost_v2(&host[0], 7 * M) && !cuMemHostAlloc(&host[1], 8 * M, 0) && !cuArrayCreate_v2(&p[6], flat));
    CHECK(!cuArray3DCreate_v2(&p[7], deep) && !cuMemCreate(&p[8], 11 * M, NULL, 0) && !cuArrayCreate_v2(&p[9], odd));
    REST
    _exit(0);
}
"""

    def test_all_functions_of_the_driver(self):
        log = self.log(self.DRIVER.replace("REST", ""), libraries=("libcuda.so.1",))
        self.assertEqual({"cuCtxCreate_v4": 150, "cuModuleLoadData": 40, "cuLibraryLoadData": 40, "cuMemAlloc_v2": 1,
                          "cuMemAllocPitch_v2": 2, "cuMemAllocAsync": 3, "cuMemAllocAsync_ptsz": 4, "cuMemAllocFromPoolAsync": 5,
                          "cuMemAllocManaged": 6, "cuMemAllocHost_v2": 7, "cuMemHostAlloc": 8, "cuArrayCreate_v2": 9,
                          "cuArray3DCreate_v2": 10, "cuMemCreate": 11}, in_mib(by_call(log)))
        self.assertEqual({"context": 150, "module": 80, "device": 3, "async": 12, "managed": 6, "pinned": 15, "array": 19,
                          "physical": 11}, in_mib(groups(log)))
        self.assertEqual((66 * M, layout.SEEN_DRIVER), (log.gpu.bytes, log.gpu.seen & 3))
        # Of the first context, and of an array whose format is not known.
        self.assertTrue(log.flags & layout.CONTEXT_UNKNOWN and log.flags & layout.SIZE_UNKNOWN)

    def test_what_is_given_back_to_the_driver(self):
        log = self.log(self.DRIVER.replace("REST", """
    CHECK(!cuMemFree_v2(p[0]) && !cuMemFree_v2(p[1]) && !cuMemFreeAsync(p[2], NULL) && !cuMemFreeAsync(p[3], NULL) && !cuMemFreeAsync(p[4], NULL));
    CHECK(!cuMemFree_v2(p[5]) && !cuMemFreeHost(host[0]) && !cuMemFreeHost(host[1]) && !cuArrayDestroy(p[6]) && !cuArrayDestroy(p[7]));
    CHECK(!cuMemRelease(p[8]) && !cuModuleUnload(module) && !cuCtxDestroy_v2(other));"""), libraries=("libcuda.so.1",))
        self.assertEqual({}, by_call(log))  # the library goes with the context that it was loaded for
        self.assertEqual((0, 66 * M), (log.gpu.bytes, log.gpu.peak_bytes))

    def test_what_fails_is_passed_on_and_records_nothing(self):
        log = self.log(RUNTIME + """
int main(void) {
    void *p = (void *)5, *q;
    CHECK(!cudaMalloc(&q, 1000 * M));
    CHECK(cudaMalloc(&p, 3000ull * M) == 2 && p == (void *)5 && cudaFree((void *)99) == 1 && !cudaFree(q) && cudaFree(q) == 1);
    CHECK(!cudaMalloc(&q, 500 * M) && cudaMallocAsync(&p, 8, (void *)1) == 1);
    _exit(0);
}
""")
        self.assertEqual((500 * M, 1000 * M, 2), (log.gpu.bytes, log.gpu.peak_bytes, log.gpu.calls))
        self.assertEqual((4096 - 190 - 1000) * M, log.gpu.least_free)

    def test_the_heaps_peak_is_another_moment(self):
        log = self.log(RUNTIME + """
int main(void) {
    void *p, *q = malloc(64 * M);
    free(q);
    CHECK(!cudaMalloc(&p, 32 * M) && !cudaFree(p));
    jetson_memprof_heap_mark("marked");
    _exit(0);
}
""")
        self.assertEqual((64, 32, 0, 0), (log.peak_bytes // M, log.gpu.peak_bytes // M, log.bytes // M, log.gpu.bytes))
        self.assertFalse(any(log.stacks[stack].gpu for stack in log.marks[0][4] or ()))
        self.assertEqual(0, sum(stack.live[0] for stack in log.stacks if not stack.gpu) // M)

    def test_threads(self):
        log = self.log(RUNTIME + """
static void *work(void *unused) {
    for (int i = 0; i < 500; i++) { void *p; CHECK(!cudaMalloc(&p, 4096)); if (i % 2) CHECK(!cudaFree(p)); free(malloc(3000)); }
    return unused;
}
int main(void) {
    pthread_t t[8];
    void *p;
    CHECK(!cudaMalloc(&p, M));
    for (int i = 0; i < 8; i++) pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 8; i++) pthread_join(t[i], NULL);
    _exit(0);
}
""")
        self.assertEqual((M + 8 * 250 * 4096, 4001), (log.gpu.bytes, log.gpu.calls))
        self.assertEqual(log.gpu.bytes, groups(log)["device"])

    def test_a_forked_child_begins_with_nothing(self):
        cuda = self.cuda()
        cuda.program(RUNTIME + """
int main(void) {
    void *p, *q;
    CHECK(!cudaMalloc(&p, 8 * M));
    pid_t child = fork();
    if (!child) { CHECK(!cudaFree(p) && !cudaMalloc(&q, 4 * M)); _exit(0); }
    waitpid(child, NULL, 0);
    CHECK(!cudaMalloc(&q, 2 * M));
    _exit(0);
}
""")
        parent, child = cuda.sampled.all()
        self.assertEqual((10, 4), (parent.gpu.bytes // M, child.gpu.bytes // M))

    def test_a_killed_process(self):
        status = -signal.SIGKILL
        log = self.log(RUNTIME + "int main(void) { void *p; CHECK(!cudaMalloc(&p, 8 * M)); raise(SIGKILL); }", status=status)
        self.assertEqual((8, None), (log.gpu.bytes // M, log.ended_ms))


class WhoIsAsked(Case):
    def test_dlsym_hands_out_ours_for_what_is_there_alone(self):
        cuda = self.cuda()
        _, output = cuda.program("""
int main(void) {
    CHECK(!dlsym(RTLD_DEFAULT, "cudaMalloc") && dlerror() && !dlsym(dlopen(NULL, RTLD_NOW), "cuMemAlloc_v2") && dlerror());
    CHECK(!dlsym(RTLD_NEXT, "cudaMalloc") && dlerror() && !dlvsym(RTLD_DEFAULT, "cudaMalloc", "libcudart.so.12") && dlerror());
    CHECK(!dlerror());
    void *self = dlopen(NULL, RTLD_NOW), *cuda = dlopen("libcudart.so.12", RTLD_NOW | RTLD_GLOBAL);
    int (*take)(void **, size_t) = dlsym(RTLD_DEFAULT, "cudaMalloc");
    CHECK(cuda && take && take == dlsym(cuda, "cudaMalloc") && take == dlsym(self, "cudaMalloc") && !dlerror());
    void *p;
    CHECK(!take(&p, 3 * M));
    int (*drop)(void *) = dlsym(cuda, "cudaFree");
    CHECK(!dlsym(cuda, "cudaNothing"));
    puts(dlerror());
    CHECK(dlsym(RTLD_DEFAULT, "puts") == (void *)puts && dlsym(RTLD_NEXT, "puts"));
    CHECK(!drop(p) && !take(&p, M));
    fflush(stdout);
    _exit(0);
}
""", libraries=())
        self.assertTrue(output.endswith("libcudart.so.12: undefined symbol: cudaNothing\n"), output)
        log = cuda.sampled.only()
        self.assertEqual((1, 3), (log.gpu.bytes // M, log.gpu.peak_bytes // M))

    def test_a_process_that_is_not_sampled_calls_as_it_would(self):
        cuda = self.cuda()
        del cuda.sampled.environment[layout.FOLDER]
        cuda.program(ALL_OF_THE_RUNTIME.replace("FREE", FREE_ALL))
        self.assertEqual([], os.listdir(cuda.sampled.logs))

    def test_what_the_loader_says_is_what_it_says_without_us(self):
        text = """
int main(void) {
    const char *names[] = {"nowhere", "cuNowhere", "", "cudaMalloc2"};
    void *all[] = {RTLD_DEFAULT, RTLD_NEXT, dlopen(NULL, RTLD_NOW), dlopen("libcuda.so.1", RTLD_NOW)};
    for (int i = 0; i < 16; i++) { CHECK(!dlsym(all[i / 4], names[i % 4])); puts(dlerror()); }
    CHECK(!dlvsym(RTLD_DEFAULT, "puts", "GLIBC_0.0"));
    puts(dlerror());
    CHECK(!dlsym(all[3], "cudaMalloc"));
    puts(dlerror());
    return 0;
}
"""
        cuda = self.cuda()
        path, output = cuda.program(text, libraries=())
        environment = dict(cuda.sampled.environment)
        del environment["LD_PRELOAD"]
        self.assertEqual(subprocess.check_output(self.target.emulator + [path], env=environment).decode(), output)

    def test_another_preloaded_library_finds_what_comes_after_it(self):
        cuda = self.cuda()
        between = cuda.sampled.compiled("""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
int calls_between;
int cudaMalloc(void **p, size_t n) { int (*next)(void **, size_t) = dlsym(RTLD_NEXT, "cudaMalloc"); calls_between++; return next(p, n); }
int cudaFree(void *p) { int (*next)(void *) = dlsym(dlopen("libcudart.so.12", 1), "cudaFree"); calls_between += 100; return next(p); }
char *getenv(const char *name) { char *(*next)(const char *) = dlsym(RTLD_NEXT, "getenv"); calls_between += 10; return next(name); }
""", "-shared", "-fPIC", "-ldl", name="between.so")
        for preloaded, count in ((self.target.library + ":" + between, 1), (between + ":" + self.target.library, 1)):
            with self.subTest(preloaded=preloaded):
                cuda.sampled.environment["LD_PRELOAD"] = preloaded
                cuda.program(RUNTIME + """
extern int calls_between __attribute__((weak));
int main(void) {
    void *p;
    int before = calls_between;
    CHECK(!cudaMalloc(&p, 3 * M) && calls_between == before + 1);
    CHECK(getenv("LD_PRELOAD") && calls_between == before + 11 && !cudaFree(p) && calls_between == before + 111);
    _exit(0);
}
""")
                log = cuda.sampled.all()[-1]
                self.assertEqual((count, 0, 3), (log.gpu.calls, log.gpu.bytes, log.gpu.peak_bytes // M))

    def test_two_runtimes_are_called_by_those_that_need_them(self):
        cuda = self.cuda()
        other = cuda.sampled.compiled("""
#include <stddef.h>
int cudaMalloc(void **p, size_t n) { *p = (void *)(n + 4096); return 0; }
int cudaFree(void *p) { return 0; }
""", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.11.0", name="libcudart.so.11.0")
        cuda.sampled.compiled("extern int cudaMalloc(void **, unsigned long); int others(void **p, unsigned long n) { return cudaMalloc(p, n); }",
                              "-shared", "-fPIC", other, name="libother.so")
        cuda.program("""
int main(void) {
    void *p, *q;
    void *mine = dlopen("libc10_cuda.so", RTLD_NOW), *others = dlopen("libother.so", RTLD_NOW);
    int (*a)(void **, size_t) = dlsym(mine, "reserve"), (*b)(void **, size_t) = dlsym(others, "others");
    for (int i = 0; i < 3; i++) CHECK(!a(&p, M) && p != (void *)(M + 4096ul) && !b(&q, M) && q == (void *)(M + 4096ul));
    int (*c)(void **, size_t) = dlsym(dlopen("libcudart.so.11.0", RTLD_NOW), "cudaMalloc");
    int (*d)(void **, size_t) = dlsym(dlopen("libcudart.so.12", RTLD_NOW), "cudaMalloc");
    CHECK(!c(&q, 2 * M) && q == (void *)(2 * M + 4096ul) && !d(&p, 2 * M) && p != q);
    _exit(0);
}
""", libraries=())
        # Of the one that is found second, what it asks of the driver.
        self.assertGreaterEqual(cuda.sampled.only().gpu.calls, 5)

    def test_a_runtime_that_was_unloaded_is_looked_for_again(self):
        log = self.log("""
int main(void) {
    for (int i = 0; i < 3; i++) {
        void *p, *library = dlopen("libcudart.so.12", RTLD_NOW);
        int (*take)(void **, size_t) = dlsym(library, "cudaMalloc");
        CHECK(take && !take(&p, M));
        dlclose(library);
        for (int j = 0; j <= i; j++) mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    _exit(0);
}
""", libraries=())
        self.assertEqual(3, log.gpu.bytes // M)

    def test_a_runtime_within_a_library_is_seen_by_the_driver(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                log = self.log("""
extern int workspace(void **, size_t), workspace_gone(void *), staging(void **, size_t), staging_gone(void *);
int main(void) {
    void *p[4];
    CHECK(!workspace(&p[0], M) && !workspace(&p[1], 2 * M) && !staging(&p[2], 4 * M) && !staging(&p[3], 8 * M));
    CHECK(!workspace_gone(p[0]) && !staging_gone(p[2]));
    _exit(0);
}
""", libraries=("libcudnn_stand_in.so",), variant=variant)
                self.assertEqual({"cuMemAlloc_v2": 2, "cuMemAllocHost_v2": 8, "cuModuleLoadData": 40}, in_mib(by_call(log)))
                self.assertEqual((layout.SEEN_DRIVER, 15 * M), (log.gpu.seen & 3, log.gpu.peak_bytes))

    def test_streams_of_each_thread_have_functions_of_their_own(self):
        log = self.log("""
int main(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*ask)(const char *, void **, int, uint64_t, int *) = dlsym(library, "cuGetProcAddress_v2");
    int (*plain)(void **, size_t, void *), (*own)(void **, size_t, void *), (*again)(void **, size_t, void *);
    int (*make)(uint64_t *, unsigned, int), (*make4)(uint64_t *, void *, unsigned, int);
    void *p;
    uint64_t context;
    CHECK(!ask("cuMemAllocAsync", (void **)&plain, 12050, 0, NULL) && !ask("cuMemAllocAsync", (void **)&own, 12050, 2, NULL));
    CHECK(!ask("cuMemAllocAsync", (void **)&again, 12050, 2, NULL) && again == own && own != plain);
    CHECK(!ask("cuCtxCreate", (void **)&make, 12000, 0, NULL) && !ask("cuCtxCreate", (void **)&make4, 12050, 0, NULL));
    CHECK(!make(&context, 0, 0) && !make4(&context, (void *)7, 0, 0) && make4(&context, NULL, 0, 0) == 1);
    CHECK(!plain(&p, M, NULL) && plain(&p, M, (void *)1) == 1 && !own(&p, 2 * M, (void *)1) && own(&p, M, NULL) == 1);
    void *none = (void *)3;
    int status = 5;
    CHECK(!ask("cuNothing", &none, 12050, 0, &status) && !none && status == 1);
    _exit(0);
}
""", libraries=())
        self.assertEqual({"cuMemAllocAsync": 3, "cuCtxCreate_v2": 150}, in_mib(by_call(log)))

    def test_where_no_cuda_is_a_weak_reference_is_told_so(self):
        cuda = self.cuda()
        cuda.program("""
extern int cudaMalloc(void **, size_t) __attribute__((weak));
extern int cuMemFree_v2(uint64_t) __attribute__((weak));
typedef struct { size_t width, height, depth; } Extent;
extern int cudaMalloc3D(void *, Extent) __attribute__((weak));
int main(void) {
    void *p = (void *)5, *pitched[4];
    malloc(3 * M);
    CHECK(cudaMalloc(&p, M) == 3 && p == (void *)5 && cuMemFree_v2(8) == 3 && cudaMalloc3D(pitched, (Extent){1, 1, 1}) == 3);
    return 0;
}
""", libraries=())
        log = cuda.sampled.only()
        self.assertFalse(gpu.was_met(log))


SCRIPT = """import ctypes, sys, threading
M = 1 << 20
runtime = ctypes.CDLL("libcudart.so.12")
cudnn = ctypes.CDLL("libcudnn_stand_in.so")
pytorch = ctypes.CDLL("libc10_cuda.so")
def take(function, mib):
    p = ctypes.c_void_p()
    assert not function(ctypes.byref(p), ctypes.c_size_t(mib * M))
    return p
def inner():
    return take(runtime.cudaMalloc, 24)
a = inner()
b = take(cudnn.workspace, 32)
c = take(pytorch.reserve, 40)
def work():
    take(runtime.cudaMallocHost, 8)
thread = threading.Thread(target=work)
thread.start()
thread.join()
assert not cudnn.workspace_gone(b)
d = take(pytorch.reserve, 4)
"""


@unittest.skipUnless(heap.IS_BUILT, heap.WHY_NOT)
class BroughtIn(Case):
    def setUp(self):
        super().setUp()
        self.project = tempfile.mkdtemp(prefix="jmp-project-")
        self.addCleanup(shutil.rmtree, self.project)

    def brought(self, text, accelerator=harness.BOTH[-1], variant=(), **more):
        cuda = self.cuda(variant=variant)
        found = heap.Brought(self.project, text, accelerator, env={"LD_LIBRARY_PATH": cuda.search}, **more)
        self.addCleanup(found.close)
        return found

    def beside(self, run, summary):
        with open(os.path.join(run.out, "gpu.%d.json" % summary.pid)) as file:
            return json.load(file)

    def rows(self, beside, which="peak"):
        return dict(((row["kind"], row["library"], row["line"]), row[which] // M) for row in beside["rows"])

    def test_known_lines_have_their_bytes(self):
        for accelerator in harness.BOTH:
            for variant in VARIANTS + (("-DRELEASES",),):
                with self.subTest(accelerator=accelerator, variant=variant):
                    self.check_lines(self.brought(SCRIPT, accelerator, variant))

    def check_lines(self, run):
        self.assertEqual((0, [], []), (run.run.status, run.run.warnings, run.left), run.run.stderr)
        beside = self.beside(run, run.main)
        by_line = {}
        for row in beside["rows"]:
            if row["measured"] == "call":
                self.assertEqual("script.py", row["file"])
                by_line.setdefault(row["function"], {})[row["line"]] = row
        # Every one is made by `take`: its innermost line is the one that calls.
        self.assertEqual({"take": [8]}, dict((name, sorted(lines)) for name, lines in by_line.items()))
        libraries = dict(((row["library"], row["pytorch"]), (row["peak"] // M, row["live"] // M, row["most"] // M, row["taken"] // M,
                                                            row["count"])) for row in beside["rows"] if row["kind"] == "device")
        self.assertEqual((40, 44, 44, 44, 2), libraries.pop(("libc10_cuda.so", True)))
        self.assertEqual((32, 0, 32, 32, 1), libraries.pop(("libcudnn_stand_in.so", False)))
        (_, other), = libraries.items()
        self.assertEqual((24, 24, 24, 24, 1), other)
        self.assertEqual([8], [row["peak"] // M for row in beside["rows"] if row["kind"] == "pinned"])
        self.assertEqual([("module", "free-memory", 40)],
                         sorted(set((row["kind"], row["measured"], row["most"] // M) for row in beside["rows"] if row["measured"] != "call")))
        self.assertEqual((104, 76, 5), (beside["peak"]["bytes"] // M, beside["live"]["bytes"] // M, beside["calls"]))
        self.assertEqual(({"peak": 104 * M, "past_pytorch": 64 * M}), run.main.gpu)
        self.assertIn("runtime", beside["seen"])
        snapshots = reader.snapshots(os.path.join(run.out, "gpu.out.%d" % run.main.pid))
        names = reader.frames(os.path.join(run.out, "massif.frames.%d.jsonl" % run.main.pid))
        peak = max((row for row in snapshots if row["tree"]), key=lambda row: row["mem_heap_B"])
        self.assertEqual(104, peak["mem_heap_B"] // M)
        self.assertEqual(gpu._ROOT, peak["tree"][0][2])
        self.assertEqual(76, snapshots[-1]["mem_heap_B"] // M)
        held = dict((owner and owner[1], part // M) for owner, part in reader.by_owner(peak["tree"], names).items())
        self.assertEqual({8: 104}, held)
        stacks = {}
        for path, part in reader.leaves(peak["tree"]):
            python = [names[found.group()]["line"] for found in map(reader._PAD.search, path) if found]
            stacks[python[0]] = stacks.get(python[0], 0) + part // M
            self.assertRegex(path[-2], r": cu(da|Mem)")  # below the root
        self.assertEqual({12: 24, 13: 32, 14: 40, 16: 8}, stacks)

    def test_a_killed_process_has_its_figures(self):
        run = self.brought(SCRIPT + "import os\nos.kill(os.getpid(), 9)\n")
        beside = self.beside(run, run.main)
        self.assertEqual((104, False), (beside["peak"]["bytes"] // M, beside["finished"]))

    def test_without_cuda_there_is_nothing_of_it(self):
        run = self.brought("kept = bytearray(16 << 20)\n")
        self.assertIsNone(run.main.gpu)
        self.assertEqual([], [name for name in os.listdir(run.out) if name.startswith("gpu")])

    def test_a_library_that_took_nothing_is_said(self):
        run = self.brought("import ctypes\nctypes.CDLL('libcudart.so.12').cudaMalloc\nkept = bytearray(16 << 20)\n")
        beside = self.beside(run, run.main)
        self.assertEqual(([], [], 0), (beside["rows"], beside["seen"], beside["calls"]))
        self.assertEqual({"free": None, "total": None, "least_free": None}, beside["device"])
        self.assertEqual({"peak": 0, "past_pytorch": 0}, run.main.gpu)


class WhatALogSays(Case):
    """Rows of a log that may say anything."""

    def setUp(self):
        super().setUp()
        cuda = self.cuda()
        cuda.program(ALL_OF_THE_RUNTIME.replace("FREE", ""))
        self.logs, self.out = cuda.sampled.logs, os.path.join(cuda.path, "out")
        os.mkdir(self.out)
        self.path = os.path.join(self.logs, os.listdir(self.logs)[0])

    def bring_in(self):
        return list(heap.collect.bring_in(self.logs, self.out, self.out))

    def test_whatever_it_says_is_read_or_refused(self):
        with open(self.path, "rb") as file:
            data = file.read()
        nodes, stacks = layout.HEAD.unpack_from(data)[25:27]
        places = [(layout.HEAD.size - 80, 80), (layout.NODES_AT, nodes * layout.NODE.size), (layout.STACKS_AT, stacks * layout.STACK.size),
                  (layout.SNAPSHOTS_AT, 80), (layout.MODULES_AT, 200), (layout.TEXT_AT, 400), (12, 4)]
        chance = random.Random(9)
        read = 0
        for _ in range(80):
            torn = bytearray(data)
            for _ in range(30):
                at, size = chance.choice(places)
                torn[at + chance.randrange(size)] = chance.choice((0, 1, 255, chance.randrange(256)))
            with open(self.path, "wb") as file:
                file.write(torn)
            summary, = self.bring_in()
            read += summary.samples is not None
            for name in os.listdir(self.out):
                if name.startswith("gpu.") and name.endswith(".json"):
                    with open(os.path.join(self.out, name)) as file:
                        self.check(json.load(file))
        self.assertGreater(read, 40)

    def check(self, beside):
        self.assertLessEqual(len(beside["rows"]), 2000)
        for row in beside["rows"]:
            self.assertIn(row["kind"], gpu_names.KINDS)
            for name in ("live", "peak", "most", "taken", "count"):
                self.assertGreaterEqual(row[name], 0)
                self.assertIs(int, type(row[name]))
        for value in [beside["peak"]["bytes"], beside["peak"]["ms"], beside["live"]["bytes"], beside["calls"]]:
            self.assertGreaterEqual(value, 0)
        device = beside["device"]
        self.assertEqual(device["free"] is None, device["total"] is None)

    def test_what_the_log_had_no_place_for_stands_in_a_row(self):
        with open(self.path, "r+b") as file:
            fields = list(layout.HEAD.unpack(file.read(layout.HEAD.size)))
            fields[2] |= layout.LOG_FULL
            for at in range(5):  # bytes, peak, ms, calls, all
                fields[30 + at] += 0 if at == 2 else 1 if at == 3 else 5 * M
            file.seek(0)
            file.write(layout.HEAD.pack(*fields))
        summary, = self.bring_in()
        with open(os.path.join(self.out, "gpu.%d.json" % summary.pid)) as file:
            rows = [row for row in json.load(file)["rows"] if row["count"] == 1 and row["peak"] == 5 * M and row["library"] is None]
        self.assertEqual([(5 * M, 5 * M, 5 * M, None)], [(row["live"], row["most"], row["taken"], row["pytorch"]) for row in rows])
        self.assertEqual({"peak": 60 * M, "past_pytorch": 55 * M}, summary.gpu)

    def test_more_rows_than_are_kept_stand_in_one(self):
        with mock.patch.object(gpu, "_MOST_ROWS", 3):
            summary, = self.bring_in()
        with open(os.path.join(self.out, "gpu.%d.json" % summary.pid)) as file:
            beside = json.load(file)
        self.assertEqual(3, len(beside["rows"]))
        self.assertEqual((None, 55 * M), (beside["rows"][-1]["library"],
                                          sum(row["peak"] for row in beside["rows"] if row["measured"] == "call")))
        self.assertEqual(["gpu-rows"], [code for code, _ in beside["notes"] if code == "gpu-rows"])


class Numbers(unittest.TestCase):
    def test_the_names_of_the_calls_are_the_headers(self):
        with open(os.path.join(HEADERS, "gpu_calls.h"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(re.findall(r"X\((\w+), [A-Z]+, [A-Z0-9_]+\)", text), gpu_names.NAMES)
        kinds = re.search(r"enum \{ (DEVICE.*), KINDS \}", text).group(1)
        self.assertEqual(kinds.lower().split(", "), list(gpu_names.KINDS))


if __name__ == "__main__":
    sys.exit(unittest.main())
