"""Waits for a checkpoint, then dies as the kernel would end it."""
import os
import signal
import sys
import time

held = bytearray(5 << 20)
checkpoint = os.path.join(sys.argv[1], "massif.out.%d" % os.getpid())
while not os.path.exists(checkpoint):
    time.sleep(0.05)
if os.fork() == 0:  # valgrind would see it coming from the process itself
    os.kill(os.getppid(), signal.SIGKILL)
    os._exit(0)
time.sleep(60)
