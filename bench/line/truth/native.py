"""Memory of native code: it counts where it is touched, as it takes no memory before."""
import ctypes
import sys

import numpy

kept = sys.kept = []
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]


#@profile
def work():
    kept.append(numpy.ones(1 << 20))  #: net=8*N, peak=8, plain
    lazy = numpy.zeros(2 << 20)  #: net=0, peak=0
    lazy[:1 << 20] = 1.0  #: net=8*N, peak=8
    kept.append(lazy)
    block = libc.malloc(12 << 20)  #: net=0, peak=0
    libc.memset(block, 1, 12 << 20)  #: net=12*N, peak=12
    mean = (numpy.ones(2 << 20) * 2.0 + 1.0).mean()  #: net=0
    return mean


numpy.ones(1 << 10).mean()
for _ in range(int(sys.argv[1])):
    work()
