/* A stand-in for a library of CUDA's that takes a workspace by a runtime of its own, as cuDNN and cuBLAS do. */
#define CUDART static __attribute__((unused))
#define SHOWN_HERE __attribute__((visibility("default")))
#include "libcudart.c"

SHOWN_HERE int workspace(void **made, size_t size) { return cudaMalloc(made, size); }
SHOWN_HERE int staging(void **made, size_t size) { return cudaMallocHost(made, size); }
SHOWN_HERE int staging_gone(void *at) { return cudaFreeHost(at); }
SHOWN_HERE int workspace_gone(void *at) { return cudaFree(at); }
