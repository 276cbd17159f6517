import threading
import time

import torch
import torch.cuda.memory
from torch.standin import alloc, start

start()
weights = alloc(3 << 20)
answer = []
threading.Thread(target=lambda: answer.append(input("end? ")), daemon=True).start()
while not answer:
    time.sleep(0.01)
