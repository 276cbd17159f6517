/* Stand-in for CUDA's runtime: it counts what is taken and gives no memory. */
#include <stddef.h>
#include <stdint.h>

enum { PLACES = 4096 };
static const size_t TOTAL = (size_t)4 << 30, ELSEWHERE = (size_t)300 << 20;
static size_t sizes[PLACES], used;

int cudaMalloc(void **place, size_t size) {
  for (int at = 0; at < PLACES; at++)
    if (sizes[at] == 0 && size > 0 && used + size + ELSEWHERE <= TOTAL) {
      sizes[at] = size;
      used += size;
      *place = (void *)((uintptr_t)(at + 1) << 33);
      return 0;
    }
  return 2;
}

int cudaFree(void *place) {
  uintptr_t at = (uintptr_t)place >> 33;
  if (at == 0 || at > PLACES) return at != 0;
  used -= sizes[at - 1];
  sizes[at - 1] = 0;
  return 0;
}

int cudaMemGetInfo(size_t *available, size_t *total) {
  *available = TOTAL - ELSEWHERE - used;
  *total = TOTAL;
  return 0;
}
