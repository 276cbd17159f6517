/* Stand-in for PyTorch's library whose allocator calls CUDA. */
#include <stddef.h>

int cudaMalloc(void **place, size_t size);
int cudaFree(void *place);

void *c10_reserve(size_t size) {
  void *place = NULL;
  return cudaMalloc(&place, size) == 0 ? place : NULL;
}

void c10_release(void *place) { cudaFree(place); }
