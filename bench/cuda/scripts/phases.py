"""A module is moved to the GPU and used once; nvidia-smi is asked before, after, and once it was used."""
import torch
import asking

asking.note("before", smi=True)
inputs = torch.empty(64 * 1024, dtype=torch.uint8, device="cpu") if asking.IS_STAND_IN else torch.ones(64, 1024)
net = torch.nn.Linear(1024, 4096)
net.to("cuda")
inputs = inputs if asking.IS_STAND_IN else inputs.to("cuda")
torch.cuda.synchronize()
asking.note("moved", smi=True)
net(inputs)
torch.cuda.synchronize()
asking.note("used", smi=True)
