"""Ends as a script ends for which CUDA has no memory left, with PyTorch's own words; PyTorch is not needed."""


class OutOfMemoryError(RuntimeError):
    pass


class DataLoader:
    def __init__(self, data, batch_size=1, num_workers=0, pin_memory=False):
        self.data = data
        self.batch_size = batch_size


def to_gpu(batch):
    raise OutOfMemoryError(
        "CUDA out of memory. Tried to allocate 96.00 MiB (GPU 0; 3.87 GiB total capacity; 1.41 GiB already allocated; "
        "61.52 MiB free; 2.05 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting "
        "max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"
    )


def train():
    loader = DataLoader(bytes(1 << 20), batch_size=64, num_workers=2, pin_memory=True)
    to_gpu(loader.data)


train()
