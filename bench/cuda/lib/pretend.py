"""Gives the stand-in for torch of the helper's tests what the kit's scripts call of PyTorch. No GPU has a part in it."""
import ctypes
import os
import weakref

import torch
from torch import _C, cuda, nn, standin

_PAGES = 2 << 20


class _Driver(object):
    """The stand-in for CUDA's libraries that was compiled for this run; absent without a compiler."""

    def __init__(self):
        folder = os.environ.get("KIT_STAND_IN_CUDA")
        self._pytorch = None if not folder else ctypes.CDLL(os.path.join(folder, "libc10_cuda.so"))
        self._segments = []

    def reserve(self, change):
        """PyTorch's library takes a segment from CUDA; all of them go back where some do."""
        if self._pytorch is None:
            return
        if change < 0:
            change += sum(size for _, size in self._segments)
            while self._segments:
                self._pytorch.c10_release(ctypes.c_void_p(self._segments.pop()[0]))
        if change > 0:
            self._pytorch.c10_reserve.restype = ctypes.c_void_p
            self._segments.append((self._pytorch.c10_reserve(ctypes.c_size_t(change)), change))


class _Tensor(object):
    def __init__(self, size):
        self.size = size
        standin.alloc(size)
        weakref.finalize(self, standin.free, size).atexit = False


class _Limit(object):
    fraction = 1.0


class OutOfMemoryError(RuntimeError):
    pass


def _empty(size, dtype=None, device="cpu"):
    cuda._lazy_init()
    size = -(-size // 512) * 512
    if _C.reserved() + size > _Limit.fraction * cuda.TOTAL:
        for observer in cuda.memory.observers:
            observer(0, size, cuda.TOTAL, 0)
        raise OutOfMemoryError("CUDA out of memory. Tried to allocate %.2f MiB" % (size / (1 << 20)))
    return _Tensor(size)


class _Linear(nn.Module):
    def __init__(self, inner, outer):
        self._bytes = 4 * (inner + 1) * outer

    def to(self, device):
        nn.Module.to(self, device)
        self._weights = _empty(self._bytes)
        return self

    def forward(self, inputs):
        return inputs


def dress(runtime, mem_get_info):
    """Once in a process. mem_get_info asks the stand-in's CUDA, as PyTorch's asks CUDA."""
    from torch.cuda import memory
    driver = _Driver()
    reserve = standin.reserve

    def reserve_of_cuda(size, device=0):
        reserve(size, device)
        driver.reserve(size)

    standin.reserve = reserve_of_cuda
    cuda.memory = memory
    torch.empty, torch.uint8 = _empty, "uint8"
    nn.Linear = _Linear
    cuda.memory_allocated, cuda.memory_reserved, cuda.synchronize = _C.total, _C.reserved, lambda: None
    cuda.max_memory_allocated = lambda: _C.devices[0].allocated_bytes[0].peak
    cuda.reset_peak_memory_stats = lambda: _C._cuda_resetPeakMemoryStats(0)
    cuda.set_per_process_memory_fraction = lambda fraction: setattr(_Limit, "fraction", fraction)
    if runtime() is not None:
        cuda.mem_get_info = lambda device=0: mem_get_info()
