"""What the log of an inference server says of its own memory, as parts [kind, where, bytes]. Pure: text in, parts out.

Kinds: `weights`, `kv_cache`, `compute`, `other`. `where` is the server's own word for it (a device, a library). The
lines are those of
- llama.cpp, builds of 2023 to 2026 (src/llama-model.cpp, llama-kv-cache.cpp, llama-context.cpp); newer ones print them
  with `-lv 4` only;
- Ollama 0.11 and newer (ml/device.go), and llama.cpp's in its log;
- vLLM 0.6 to 0.14 (worker.py, gpu_model_runner.py, gpu_worker.py);
- TensorRT from 8.0 on, also in Triton's and TensorRT-LLM's log (`[MemUsageChange]`).
They are no interface: a line that is not known says nothing.
"""
import re

_MIB, _GIB = 1 << 20, 1 << 30
_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": _MIB, "GiB": _GIB, "TiB": 1 << 40}
_MOST_PARTS, _LONGEST_WHERE, _MOST_BYTES = 24, 40, 1 << 48
#: Only these lines are looked at closer.
_TELLING = ("buffer size =", "msg=\"", "GiB", " GB", "[MemUsageChange]", "load_model: loading model '", "build",
            "vLLM API server version", "Pinned memory pool is created")

#: From here on the process, or its next model, is another: what was said before is of one that is gone.
_BEGINS = re.compile(
    r"load_model: loading model '|^(?:[\d.]+ I )?build(?:_info)?: \S|msg=\"starting (?:go runner|ollama engine|runner|"
    r"llama server)\"|vLLM API server version|Pinned memory pool is created")

_LLAMA = re.compile(r"(\w+): +(\S+) +(?:(model|KV|RS|compute|output) +)?buffer size = +(\d{1,9}\.\d{1,3}) MiB")
_LLAMA_KINDS = {"model": "weights", "KV": "kv_cache", "RS": "kv_cache", "compute": "compute", "output": "other"}
_OLLAMA = re.compile(r'msg="(model weights|kv cache|compute graph|total memory)"(?: device=(\S+))? size="([\d.]{1,12}) (\w+)"')
_OLLAMA_KINDS = {"model weights": "weights", "kv cache": "kv_cache", "compute graph": "compute"}
_NUMBER = r"(\d{1,6}(?:\.\d{1,6})?)"
_VLLM = (  # the unit GB of older versions is GiB too: they divide by 2^30
    ("weights", None, re.compile(r"(?:Model loading|Loading model weights) took %s Gi?B" % _NUMBER)),
    ("weights", None, re.compile(r"model weights take %sGiB" % _NUMBER)),
    ("kv_cache", None, re.compile(r"Available KV cache memory: %s GiB" % _NUMBER)),
    ("kv_cache", None, re.compile(r"reserved for KV Cache is %sGiB" % _NUMBER)),
    ("compute", "activation peak", re.compile(r"PyTorch activation peak memory takes %sGiB" % _NUMBER)),
    ("other", "non_torch_memory", re.compile(r"non_torch_memory takes %sGiB" % _NUMBER)),
    ("other", "graph capturing", re.compile(r"Graph capturing finished in \d+ secs, took %s GiB" % _NUMBER)))
_WORKER = re.compile(r"\((\w{1,40})(?: pid=\d+)?\)")
_TENSORRT = re.compile(
    r"\[MemUsageChange\] ([^:]{1,80}): CPU ([+-]\d{1,9}), GPU ([+-]\d{1,9}), now: CPU \d+, GPU \d+ \(MiB\)")


class _Llama(object):
    """Buffers by context: a draft model has its own. What a context reserves again replaces what it had reserved."""

    def __init__(self):
        self._contexts = []

    def take(self, line):
        found = _LLAMA.search(line)
        if found is None:
            return False
        function, where, word, size = found.groups()
        if word is None and function != "llm_load_tensors":
            return False
        kind = "weights" if word is None else _LLAMA_KINDS[word]
        key = kind, where
        reserves = kind == "compute"
        if not self._contexts or (not reserves and any(kind == "compute" for kind, _ in self._contexts[-1])):
            self._contexts.append({})
        context = self._contexts[-1]
        adds = context.get(key, 0) if kind in ("weights", "kv_cache") else 0
        context[key] = adds + int(float(size) * _MIB)
        return True

    def parts(self):
        total = {}
        for context in self._contexts:
            loaded = [size for (kind, _), size in context.items() if kind in ("weights", "kv_cache")]
            # Only tried for size, nothing of it was allocated.
            if loaded and not any(loaded):
                continue
            for key, size in context.items():
                total[key] = total.get(key, 0) + size
        return total


class _Ollama(object):
    """The summary of the model that was loaded last."""

    def __init__(self):
        self._parts, self._whole = {}, False

    def take(self, line):
        found = _OLLAMA.search(line)
        if found is None:
            return False
        message, device, number, unit = found.groups()
        if message == "total memory":
            self._whole = True
        elif unit in _UNITS and number.count(".") < 2 and number.strip("."):
            if self._whole:
                self._parts, self._whole = {}, False
            self._parts[_OLLAMA_KINDS[message], device] = int(float(number) * _UNITS[unit])
        return True

    def parts(self):
        return self._parts


class _Vllm(object):
    """The newest figure of each worker."""

    def __init__(self):
        self._parts = {}

    def take(self, line):
        taken = False
        for kind, where, pattern in _VLLM:
            found = pattern.search(line)
            if found is not None:
                worker = _WORKER.search(line)
                self._parts[kind, where, worker and worker.group(1)] = int(float(found.group(1)) * _GIB)
                taken = True
        return taken

    def parts(self):
        total = {}
        for (kind, where, _), size in self._parts.items():
            total[kind, where] = total.get((kind, where), 0) + size
        return total


class _TensorRT(object):
    """The changes that were said, added up: of the process on the CPU's side, of all of the GPU's memory on the other."""

    def __init__(self):
        self._parts = {}

    def take(self, line):
        found = _TENSORRT.search(line)
        if found is None:
            return False
        what = found.group(1)
        if what.endswith("engine deserialization"):
            kind = "weights"
        elif what.endswith("IExecutionContext creation"):
            kind = "compute"
        elif what.startswith("Init "):
            kind = "other"
        else:
            return True  # building: it is given back
        for side, change in (("CPU", found.group(2)), ("GPU", found.group(3))):
            self._parts[kind, side] = self._parts.get((kind, side), 0) + int(change) * _MIB
        return True

    def parts(self):
        return self._parts


def parts_of(text, is_whole=True):
    """The parts, by kind in the order above, the largest first. Without `is_whole` the text may begin with what an earlier
    process wrote, or in the middle: nothing counts before a line that begins a process or a model."""
    readers, begun = _readers(), is_whole
    for line in text.splitlines():
        if not any(word in line for word in _TELLING):
            continue
        line = line[:2000]
        if _BEGINS.search(line):
            readers, begun = _readers(), True
        elif begun:
            for reader in readers:
                if reader.take(line):
                    break
    llama, ollama, vllm, tensorrt = [reader.parts() for reader in readers]
    # Ollama sums up what its llama.cpp says line by line.
    total = llama or ollama
    for more in (vllm, tensorrt):
        for key, size in more.items():
            total[key] = total.get(key, 0) + size
    order = ("weights", "kv_cache", "compute", "other")
    found = [[kind, clean(where), size] for (kind, where), size in total.items() if 0 < size <= _MOST_BYTES]
    return sorted(found, key=lambda part: (order.index(part[0]), -part[2], part[1] or ""))[:_MOST_PARTS]


def clean(word, longest=_LONGEST_WHERE):
    """A word of a server's as it may be written down; None where there is none."""
    return "".join(one for one in word if one.isprintable())[:longest] or None if word else None


def _readers():
    return _Llama(), _Ollama(), _Vllm(), _TensorRT()
