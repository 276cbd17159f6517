"""A stand-in for torch: no machine of the tests has CUDA.

It has those parts of PyTorch 1.4 to 2.x that the helper reads, told apart by feature: the environment variable
STANDIN_TORCH is the version that it is like (2.1 where it is not set). Memory is taken by `torch.standin`; the figures
lie in this process's memory as PyTorch's allocator lays them out.
"""
import os

__version__ = os.environ.get("STANDIN_TORCH", "2.1")

from . import _C, _tensor, cuda, nn, optim  # noqa: E402,F401
