"""GPU memory by PyTorch, by cuBLAS and cuDNN, and by a call of our own."""
import torch
import asking
from asking import MIB

asking.note("before", smi=True)
torch.cuda.init()
kept = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
if not asking.IS_STAND_IN:
    square = torch.ones(1024, 1024, device="cuda")
    square = square @ square
    images = torch.ones(4, 3, 64, 64, device="cuda")
    convolved = torch.nn.Conv2d(3, 16, 3).to("cuda")(images)
torch.cuda.synchronize()
asking.note("ours")
own = asking.malloc(64 * MIB)
asking.note("known", smi=True, own=own)
