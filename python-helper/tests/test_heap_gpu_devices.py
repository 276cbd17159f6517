"""What lies on which of several GPUs; by the stand-ins of test_heap_gpu.py."""
import json
import os
import shutil
import sys
import tempfile
import unittest

import heap_harness as heap
import test_heap_gpu as gpu
import test_heap_gpu_contexts as contexts
from heap_harness import M, layout
from jetson_memprof.heap import gpu_names
from massif import reader
from truth import harness


def held(log):
    """{(kind, GPU): MiB} that live."""
    found = {}
    for stack in log.stacks:
        if stack.gpu == layout.GPU_GROUP and stack.live[0]:
            key = gpu_names.kind_of(stack.keys[2] & layout.ADDRESS_MASK), gpu_names.gpu_of(stack.keys[2] & layout.ADDRESS_MASK)
            found[key] = found.get(key, 0) + stack.live[0] // M
    return found


class WhereItLies(gpu.Case):
    def log(self, text, gpus=2, **more):
        cuda = self.cuda(variant=more.pop("variant", ()))
        cuda.sampled.environment["STAND_IN_GPUS"] = str(gpus)
        cuda.program(text, **more)
        return cuda.sampled.only()

    def drivers(self, text, **more):
        return self.log(contexts.DRIVER + "int main(void) {\n    P a, b, p[9];\n    void *host;\n%s\n    _exit(0);\n}\n" % text,
                        libraries=("libcuda.so.1",), **more)

    def test_the_runtimes_by_the_device_that_is_set(self):
        for variant in gpu.VARIANTS:
            with self.subTest(variant=variant):
                log = self.log(contexts.RUNTIME + """
int main(void) {
    void *p;
    for (int i = 0; i < 6; i++) CHECK(!cudaSetDevice(i & 1) && !cudaMalloc(&p, (i + 1) * M));
    CHECK(!cudaMallocAsync(&p, 16 * M, NULL) && !cudaMallocHost(&p, 2 * M) && !cudaMallocManaged(&p, 3 * M, 1));
    _exit(0);
}
""", variant=variant)
                found = held(log)
                self.assertEqual({("device", 0): 1 + 3 + 5, ("device", 1): 2 + 4 + 6, ("async", 1): 16, ("pinned", None): 2,
                                  ("managed", None): 3}, dict((key, part) for key, part in found.items() if key[0] != "module"))
                self.assertEqual((0, (4096 - 190 - 1) * M), (log.gpu.device, log.gpu.free))

    def test_where_there_is_one_it_is_that_one(self):
        log = self.log(contexts.RUNTIME + "int main(void) { void *p; CHECK(!cudaMalloc(&p, 5 * M)); _exit(0); }", gpus=1)
        self.assertEqual({("device", 0): 5, ("module", 0): 40}, held(log))

    def test_physical_memory_lies_where_it_was_asked_for(self):
        log = self.drivers("""
    int here[8] = {1, 0, 1, 0}, there[8] = {1, 0, 1, 1}, cpu[8] = {1, 0, 2, 0};
    CHECK(!cuCtxCreate_v2(&a, 0, 0) && !cuMemCreate(&p[0], 2 * M, here, 0) && !cuMemCreate(&p[1], 4 * M, there, 0));
    CHECK(!cuMemCreate(&p[2], 8 * M, cpu, 0) && !cuMemCreate(&p[3], 16 * M, NULL, 0));""")
        self.assertEqual({("physical", 0): 2, ("physical", 1): 4, ("physical", None): 24}, held(log))

    def test_free_memory_is_compared_with_that_of_the_same_device(self):
        begin = "CHECK(!cuDevicePrimaryCtxRetain(&a, 0) && !cuCtxSetCurrent(a) && !cuMemAlloc_v2(p, M));"
        for text in ("!cuDevicePrimaryCtxRetain(&b, 1)", "!cuCtxCreate_v2(&b, 0, 1)"):
            log = self.drivers(begin + "CHECK(%s);" % text)
            self.assertEqual(({("device", 0): 1}, layout.CONTEXT_UNKNOWN), (held(log), log.flags & layout.CONTEXT_UNKNOWN))
        log = self.drivers(begin + "CHECK(!cuCtxCreate_v2(&b, 0, 1) && !cuCtxCreate_v2(&b, 0, 1) && !cuModuleLoadData(&p[1], \"code\"));")
        self.assertEqual({("device", 0): 1, ("context", 1): 150, ("module", 1): 40}, held(log))
        # Of the first one that was asked about.
        self.assertEqual((0, (4096 - 151) * M), (log.gpu.device, log.gpu.least_free))


SCRIPT = """import ctypes
runtime = ctypes.CDLL("libcudart.so.12")
def take(device, mib):
    p = ctypes.c_void_p()
    assert not runtime.cudaSetDevice(device) and not runtime.cudaMalloc(ctypes.byref(p), ctypes.c_size_t(mib << 20))
take(0, 8)
take(DEVICE, 24)
p = ctypes.c_void_p()
assert not runtime.cudaMallocHost(ctypes.byref(p), ctypes.c_size_t(2 << 20))
"""


@unittest.skipUnless(heap.IS_BUILT, heap.WHY_NOT)
class BroughtIn(gpu.Case):
    def brought(self, text):
        project = tempfile.mkdtemp(prefix="jmp-project-")
        self.addCleanup(shutil.rmtree, project)
        found = heap.Brought(project, text, harness.BOTH[-1], env={"LD_LIBRARY_PATH": self.cuda().search, "STAND_IN_GPUS": "2"})
        self.addCleanup(found.close)
        self.assertEqual((0, []), (found.run.status, found.run.warnings), found.run.stderr)
        with open(os.path.join(found.out, "gpu.%d.json" % found.main.pid)) as file:
            beside = json.load(file)
        snapshots = reader.snapshots(os.path.join(found.out, "gpu.out.%d" % found.main.pid))
        return beside, [path[-2].split(": ")[1] for path, _ in reader.leaves(snapshots[-1]["tree"])]

    def test_rows_and_stacks_of_a_process_that_used_two(self):
        beside, calls = self.brought(SCRIPT.replace("DEVICE", "1"))
        self.assertEqual([("device", 1, 24), ("device", 0, 8), ("pinned", None, 2)],
                         [(row["kind"], row["gpu"], row["peak"] // M) for row in beside["rows"] if row["measured"] == "call"])
        self.assertEqual([0, 1], sorted(row["gpu"] for row in beside["rows"] if row["kind"] == "module"))
        self.assertEqual(0, beside["device"]["gpu"])
        self.assertEqual(["cudaMalloc on GPU 0", "cudaMalloc on GPU 1", "cudaMallocHost"], sorted(calls))

    def test_nothing_of_it_where_one_of_them_was_used(self):
        beside, calls = self.brought(SCRIPT.replace("DEVICE", "0"))
        self.assertEqual(({"cudaMalloc", "cudaMallocHost"}, False),
                         (set(calls), any("gpu" in row for row in beside["rows"] + [beside["device"]])))


if __name__ == "__main__":
    sys.exit(unittest.main())
