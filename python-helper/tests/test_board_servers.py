"""What inference servers' logs say of their memory: lines as the projects print them."""
import unittest

import test_board_common  # noqa: F401  (makes the helper importable)

from jetson_memprof.board.servers.said import parts_of

MIB, GIB = 1 << 20, 1 << 30

# llama-server b9026 and later, with -lv 4.
LLAMA = """\
0.00.455.401 I build_info: b9026-a817a22bc
0.00.790.521 I srv    load_model: loading model '/models/Qwen3-4B-Q4_K_M.gguf'
load_tensors: offloaded 37/37 layers to GPU
load_tensors:   CPU_Mapped model buffer size =   304.28 MiB
load_tensors:        CUDA0 model buffer size =  2375.91 MiB
llama_context:  CUDA_Host  output buffer size =     2.32 MiB
llama_kv_cache:      CUDA0 KV buffer size =  1152.00 MiB
llama_kv_cache: size = 1152.00 MiB (  8192 cells,  36 layers,  4/1 seqs), K (f16):  576.00 MiB, V (f16):  576.00 MiB
sched_reserve:      CUDA0 compute buffer size =    85.01 MiB
sched_reserve:  CUDA_Host compute buffer size =    28.02 MiB
"""

# llama.cpp of early 2024.
OLD_LLAMA = """\
llm_load_tensors: ggml ctx size =    0.22 MiB
llm_load_tensors:        CPU buffer size =    70.31 MiB
llm_load_tensors:      CUDA0 buffer size =  3820.94 MiB
llama_kv_cache_init:      CUDA0 KV buffer size =   256.00 MiB
llama_new_context_with_model: KV self size  =  256.00 MiB, K (f16):  128.00 MiB, V (f16):  128.00 MiB
llama_new_context_with_model:  CUDA_Host  output buffer size =     0.12 MiB
llama_new_context_with_model:      CUDA0 compute buffer size =    70.50 MiB
"""

OLLAMA = """\
time=2025-09-11T00:42:50.100+02:00 level=INFO source=runner.go:1251 msg="starting ollama engine"
time=2025-09-11T00:42:50.484+02:00 level=INFO source=backend.go:310 msg="model weights" device=CUDA0 size="59.8 GiB"
time=2025-09-11T00:42:50.484+02:00 level=INFO source=backend.go:315 msg="model weights" device=CPU size="1.1 GiB"
time=2025-09-11T00:42:50.484+02:00 level=INFO source=backend.go:321 msg="kv cache" device=CUDA0 size="450.0 MiB"
time=2025-09-11T00:42:50.484+02:00 level=INFO source=backend.go:332 msg="compute graph" device=CUDA0 size="121.8 MiB"
time=2025-09-11T00:42:50.484+02:00 level=INFO source=backend.go:342 msg="total memory" size="61.4 GiB"
"""

# vLLM 0.6 (GB is GiB there), 0.8 and 0.12.
VLLM_OLD = """\
INFO 12-22 10:55:34 model_runner.py:1097] Loading model weights took 8.5107 GB
INFO 12-22 10:55:34 worker.py:241] the current vLLM instance can use total_gpu_memory (79.25GiB) x gpu_memory_utilization (0.15) = 11.89GiB
INFO 12-22 10:55:34 worker.py:241] model weights take 8.51GiB; non_torch_memory takes 0.25GiB; PyTorch activation peak memory takes 0.50GiB; the rest of the memory reserved for KV Cache is 2.50GiB.
INFO 12-22 10:55:52 model_runner.py:1527] Graph capturing finished in 18 secs, took 0.25 GiB
"""
VLLM = """\
(APIServer pid=41) INFO 09-26 11:01:50 [api_server.py:1896] vLLM API server version 0.12.0
(EngineCore_DP0 pid=99) INFO 09-26 11:02:03 [default_loader.py:268] Loading weights took 2.09 seconds
(EngineCore_DP0 pid=99) INFO 09-26 11:02:05 [gpu_model_runner.py:3338] Model loading took 15.5000 GiB memory and 36.573577 seconds
(EngineCore_DP0 pid=99) INFO 09-26 11:02:09 [gpu_worker.py:298] Available KV cache memory: 8.75 GiB
(EngineCore_DP0 pid=99) INFO 09-26 11:02:09 [kv_cache_utils.py:1087] GPU KV cache size: 90,841 tokens
(EngineCore_DP0 pid=99) INFO 09-26 11:02:29 [gpu_model_runner.py:4094] Graph capturing finished in 20 secs, took 0.50 GiB
"""

# TensorRT 8.5 in a Triton, on a Jetson.
TRITON = """\
I0223 08:55:10.299342 1 pinned_memory_manager.cc:240] Pinned memory pool is created at '0x203e00000' with size 268435456
I0223 08:55:16.295342 1 logging.cc:46] [MemUsageChange] Init CUDA: CPU +230, GPU +0, now: CPU 300, GPU 2554 (MiB)
I0223 08:55:17.316635 1 logging.cc:46] Loaded engine size: 16 MiB
I0223 08:55:17.325111 1 logging.cc:46] [MemUsageChange] Init cuDNN: CPU +240, GPU +360, now: CPU 728, GPU 3217 (MiB)
I0223 08:55:17.369536 1 logging.cc:46] [MemUsageChange] TensorRT-managed allocation in engine deserialization: CPU +0, GPU +13, now: CPU 0, GPU 13 (MiB)
I0223 08:55:17.377545 1 logging.cc:46] [MemUsageChange] TensorRT-managed allocation in IExecutionContext creation: CPU +0, GPU +4, now: CPU 0, GPU 17 (MiB)
I0223 08:55:17.436343 1 logging.cc:46] [MemUsageChange] TensorRT-managed allocation in engine deserialization: CPU +0, GPU +20, now: CPU 0, GPU 37 (MiB)
I0223 08:55:18.436343 1 logging.cc:46] [MemUsageChange] TensorRT-managed allocation in building engine: CPU +39, GPU +40, now: CPU 39, GPU 40 (MiB)
"""


def mib(size):
    return int(size * MIB)


class Lines(unittest.TestCase):
    def test_llama_cpp_says_its_buffers(self):
        self.assertEqual([
            ["weights", "CUDA0", mib(2375.91)], ["weights", "CPU_Mapped", mib(304.28)], ["kv_cache", "CUDA0", mib(1152)],
            ["compute", "CUDA0", mib(85.01)], ["compute", "CUDA_Host", mib(28.02)], ["other", "CUDA_Host", mib(2.32)],
        ], parts_of(LLAMA))

    def test_so_did_older_ones(self):
        self.assertEqual([
            ["weights", "CUDA0", mib(3820.94)], ["weights", "CPU", mib(70.31)], ["kv_cache", "CUDA0", mib(256)],
            ["compute", "CUDA0", mib(70.5)], ["other", "CUDA_Host", mib(0.12)],
        ], parts_of(OLD_LLAMA))

    def test_two_caches_of_a_context_add_up_and_a_second_reserving_replaces_the_first(self):
        text = LLAMA + "sched_reserve:      CUDA0 compute buffer size =    90.00 MiB\n"
        text = text.replace("sched_reserve:", "llama_kv_cache:      CUDA0 KV buffer size =   100.00 MiB\nsched_reserve:", 1)
        found = {(kind, where): size for kind, where, size in parts_of(text)}
        self.assertEqual((mib(1252), mib(90)), (found["kv_cache", "CUDA0"], found["compute", "CUDA0"]))

    def test_a_draft_model_adds_to_it(self):
        draft = LLAMA.split("layers to GPU\n")[1]
        found = {(kind, where): size for kind, where, size in parts_of(LLAMA + draft)}
        self.assertEqual((2 * mib(2375.91), 2 * mib(1152), 2 * mib(85.01)), (
            found["weights", "CUDA0"], found["kv_cache", "CUDA0"], found["compute", "CUDA0"]))

    def test_what_was_only_tried_for_size_does_not_count(self):
        tried = ("load_tensors:        CUDA0 model buffer size =     0.00 MiB\n"
                 "llama_kv_cache:      CUDA0 KV buffer size =     0.00 MiB\n"
                 "sched_reserve:      CUDA0 compute buffer size =   304.00 MiB\n")
        begin, rest = LLAMA.split("load_tensors: offloaded", 1)
        self.assertEqual(parts_of(LLAMA), parts_of(begin + tried + rest))

    def test_another_model_or_process_replaces_what_was_said(self):
        for first in (LLAMA, OLD_LLAMA, VLLM_OLD):
            self.assertEqual(parts_of(LLAMA), parts_of(first + LLAMA))
        self.assertEqual(parts_of(TRITON), parts_of(TRITON + TRITON))
        self.assertEqual(parts_of(VLLM), parts_of(LLAMA + VLLM))

    def test_ollama_sums_up_the_model_that_it_loaded_last(self):
        found = [["weights", "CUDA0", int(59.8 * GIB)], ["weights", "CPU", int(1.1 * GIB)], ["kv_cache", "CUDA0", mib(450)],
                 ["compute", "CUDA0", mib(121.8)]]
        self.assertEqual(found, parts_of(OLLAMA))
        self.assertEqual(found, parts_of(OLLAMA.replace("59.8", "3.1") + OLLAMA.split("engine\"\n")[1]))

    def test_its_llama_cpp_says_more_exactly(self):
        lines = "".join(line + "\n" for line in LLAMA.splitlines() if "buffer size" in line)
        self.assertEqual(parts_of(LLAMA), parts_of(OLLAMA + lines))

    def test_vllm_says_weights_and_cache(self):
        self.assertEqual([["weights", None, int(15.5 * GIB)], ["kv_cache", None, int(8.75 * GIB)],
                          ["other", "graph capturing", GIB // 2]], parts_of(VLLM))
        self.assertEqual([
            ["weights", None, int(8.51 * GIB)], ["kv_cache", None, int(2.5 * GIB)],
            ["compute", "activation peak", GIB // 2], ["other", "graph capturing", GIB // 4],
            ["other", "non_torch_memory", GIB // 4]], parts_of_by_name(VLLM_OLD))

    def test_vllms_workers_add_up_and_a_cache_below_nothing_is_none(self):
        line = "(Worker_TP%d pid=%d) INFO [gpu_worker.py:298] Available KV cache memory: %s GiB\n"
        self.assertEqual([["kv_cache", None, 3 * GIB]], parts_of(line % (0, 5, "1.5") + line % (1, 6, "1.5")))
        self.assertEqual([], parts_of(line % (0, 5, "-7.83")))

    def test_tensorrt_says_what_changed(self):
        self.assertEqual([["weights", "GPU", mib(33)], ["compute", "GPU", mib(4)], ["other", "CPU", mib(470)],
                          ["other", "GPU", mib(360)]], parts_of(TRITON))

    def test_the_end_of_a_log_counts_from_where_something_begins(self):
        for text in (LLAMA, OLLAMA, VLLM, TRITON):
            self.assertEqual([], parts_of(text.split("\n", 2)[2], is_whole=False))
            self.assertEqual(parts_of(text), parts_of("sched_reserve: CUDA0 compute buffer size = 9.00 MiB\n" + text, False))

    def test_other_text_says_nothing(self):
        for text in ("", "\x00" * 99, "buffer size = MiB\n", "x" * 100000 + "GiB", "foo: bar buffer size = 12.00 MiB",
                     'msg="kv cache" device=CPU size="1.2.3 GiB"', 'msg="kv cache" device=CPU size=". GiB"',
                     'msg="kv cache" device=CPU size="3 parsecs"', "Available KV cache memory: nan GiB",
                     "load_tensors: CUDA0 model buffer size = 99999999999.00 MiB"):
            self.assertEqual([], parts_of(text), text[:50])

    def test_its_words_are_short_and_printable_and_few(self):
        line = "load_tensors: %s model buffer size = 1.00 MiB\n"
        (_, where, _), = parts_of(line % ("\x1b[31m" + "x" * 500))
        self.assertEqual("[31m" + "x" * 36, where)
        self.assertEqual(24, len(parts_of("".join(line % ("CUDA%d" % one) for one in range(100)))))


def parts_of_by_name(text):
    """Those of one size by their name, as no order is promised among them."""
    order = ("weights", "kv_cache", "compute", "other")
    return sorted(parts_of(text), key=lambda part: (order.index(part[0]), part[1] or ""))


if __name__ == "__main__":
    unittest.main()
