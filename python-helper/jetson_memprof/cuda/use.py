"""Whether the program uses CUDA, told without what reads it: most programs that are measured never do."""
import os
import sys

#: With it PyTorch goes past its allocator, which then says 0 whatever is taken.
_UNCACHED = "PYTORCH_NO_CUDA_MEMORY_CACHING"


def is_in_use():
    """Whether the program has initialised CUDA in this process, and its allocator says what it holds."""
    cuda = sys.modules.get("torch.cuda")
    names = vars(cuda) if cuda is not None else {}
    is_initialized = names.get("is_initialized")
    # The first is cheap; the second is also right in a forked child, which cannot use its parent's CUDA.
    if not names.get("_initialized") or is_initialized is None or not is_initialized():
        return False
    return is_told()


def is_told():
    """Whether the allocator says what there is, once CUDA is in use."""
    return os.environ.get(_UNCACHED) is None
