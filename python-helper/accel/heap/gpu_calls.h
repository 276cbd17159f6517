/* The calls of CUDA that take or give back memory, by name. jetson_memprof/heap/gpu.py has these names in this order. */
#pragma once

/* What a call makes. The last two are measured by how much less of the GPU's memory is free after it. */
enum { DEVICE, ASYNC, MANAGED, PINNED, ARRAY, PHYSICAL, CONTEXT, MODULE, KINDS };
/* Where its size stands: (what it makes, size, …), (what it makes, pitch, width, height, …), an array's description;
 * FREES (what it made); TYPED: its own function, as its arguments are not all in registers; ASKS: cuGetProcAddress;
 * MAPS (where, size, offset, what), UNMAPS (where, size); ENDS (the device whose primary context may go with it). */
enum { SIZED, PITCHED, CHANNELS, DESCRIBED, DESCRIBED_3D, FREES, TYPED, LOADS, ASKS, MAPS, UNMAPS, ENDS };

#define GPU_CALLS(X)                                                                                                       \
    X(cudaMalloc, DEVICE, SIZED) X(cudaMallocPitch, DEVICE, PITCHED) X(cudaMalloc3D, DEVICE, TYPED)                        \
    X(cudaMallocAsync, ASYNC, SIZED) X(cudaMallocAsync_ptsz, ASYNC, SIZED) X(cudaMallocFromPoolAsync, ASYNC, SIZED)        \
    X(cudaMallocFromPoolAsync_ptsz, ASYNC, SIZED) X(cudaMallocManaged, MANAGED, SIZED) X(cudaMallocHost, PINNED, SIZED)    \
    X(cudaHostAlloc, PINNED, SIZED) X(cudaMallocArray, ARRAY, CHANNELS) X(cudaMalloc3DArray, ARRAY, TYPED)                 \
    X(cudaFree, DEVICE, FREES) X(cudaFreeAsync, ASYNC, FREES) X(cudaFreeAsync_ptsz, ASYNC, FREES)                          \
    X(cudaFreeHost, PINNED, FREES) X(cudaFreeArray, ARRAY, FREES) X(cudaDeviceReset, CONTEXT, ENDS)                        \
    X(cuMemAlloc_v2, DEVICE, SIZED) X(cuMemAllocPitch_v2, DEVICE, PITCHED) X(cuMemAllocAsync, ASYNC, SIZED)                \
    X(cuMemAllocAsync_ptsz, ASYNC, SIZED) X(cuMemAllocFromPoolAsync, ASYNC, SIZED)                                         \
    X(cuMemAllocFromPoolAsync_ptsz, ASYNC, SIZED) X(cuMemAllocManaged, MANAGED, SIZED) X(cuMemAllocHost_v2, PINNED, SIZED) \
    X(cuMemHostAlloc, PINNED, SIZED) X(cuArrayCreate_v2, ARRAY, DESCRIBED) X(cuArray3DCreate_v2, ARRAY, DESCRIBED_3D)      \
    X(cuMemCreate, PHYSICAL, SIZED) X(cuMemFree_v2, DEVICE, FREES) X(cuMemFreeAsync, ASYNC, FREES)                         \
    X(cuMemFreeAsync_ptsz, ASYNC, FREES) X(cuMemFreeHost, PINNED, FREES) X(cuArrayDestroy, ARRAY, FREES)                   \
    X(cuMemRelease, PHYSICAL, FREES) X(cuDevicePrimaryCtxRetain, CONTEXT, LOADS) X(cuCtxCreate_v2, CONTEXT, LOADS)         \
    X(cuCtxCreate_v3, CONTEXT, LOADS) X(cuCtxCreate_v4, CONTEXT, LOADS) X(cuCtxDestroy_v2, CONTEXT, FREES)                 \
    X(cuModuleLoad, MODULE, LOADS) X(cuModuleLoadData, MODULE, LOADS) X(cuModuleLoadDataEx, MODULE, LOADS)                 \
    X(cuModuleLoadFatBinary, MODULE, LOADS) X(cuModuleUnload, MODULE, FREES) X(cuLibraryLoadData, MODULE, LOADS)           \
    X(cuLibraryLoadFromFile, MODULE, LOADS) X(cuLibraryUnload, MODULE, FREES) X(cuGetProcAddress, DEVICE, ASKS)            \
    X(cuGetProcAddress_v2, DEVICE, ASKS) X(cuMemMap, PHYSICAL, MAPS) X(cuMemUnmap, PHYSICAL, UNMAPS)           \
    X(cuDevicePrimaryCtxReset, CONTEXT, ENDS) X(cuDevicePrimaryCtxReset_v2, CONTEXT, ENDS)                                 \
    X(cuDevicePrimaryCtxRelease, CONTEXT, ENDS) X(cuDevicePrimaryCtxRelease_v2, CONTEXT, ENDS)

/* What cuGetProcAddress hands out: (the name it is asked for, a number, the call that it is). What one name stands for
 * depends on the version and the kind of stream that were asked for: a number for each function that may come. */
#define ASKED_CALLS(X)                                                                                                     \
    X(cuMemAlloc, 0, cuMemAlloc_v2) X(cuMemAllocPitch, 0, cuMemAllocPitch_v2) X(cuMemAllocAsync, 0, cuMemAllocAsync)       \
    X(cuMemAllocAsync, 1, cuMemAllocAsync) X(cuMemAllocFromPoolAsync, 0, cuMemAllocFromPoolAsync)                          \
    X(cuMemAllocFromPoolAsync, 1, cuMemAllocFromPoolAsync) X(cuMemAllocManaged, 0, cuMemAllocManaged)                      \
    X(cuMemAllocHost, 0, cuMemAllocHost_v2) X(cuMemHostAlloc, 0, cuMemHostAlloc) X(cuArrayCreate, 0, cuArrayCreate_v2)     \
    X(cuArray3DCreate, 0, cuArray3DCreate_v2) X(cuMemCreate, 0, cuMemCreate) X(cuMemFree, 0, cuMemFree_v2)                 \
    X(cuMemFreeAsync, 0, cuMemFreeAsync) X(cuMemFreeAsync, 1, cuMemFreeAsync) X(cuMemFreeHost, 0, cuMemFreeHost)           \
    X(cuArrayDestroy, 0, cuArrayDestroy) X(cuMemRelease, 0, cuMemRelease)                                                  \
    X(cuDevicePrimaryCtxRetain, 0, cuDevicePrimaryCtxRetain) X(cuCtxCreate, 0, cuCtxCreate_v2)                             \
    X(cuCtxCreate, 1, cuCtxCreate_v2) X(cuCtxCreate, 2, cuCtxCreate_v2) X(cuCtxDestroy, 0, cuCtxDestroy_v2)                \
    X(cuModuleLoad, 0, cuModuleLoad) X(cuModuleLoadData, 0, cuModuleLoadData)                                              \
    X(cuModuleLoadDataEx, 0, cuModuleLoadDataEx) X(cuModuleLoadFatBinary, 0, cuModuleLoadFatBinary)                        \
    X(cuModuleUnload, 0, cuModuleUnload) X(cuLibraryLoadData, 0, cuLibraryLoadData)                                        \
    X(cuLibraryLoadFromFile, 0, cuLibraryLoadFromFile) X(cuLibraryUnload, 0, cuLibraryUnload)                              \
    X(cuGetProcAddress, 0, cuGetProcAddress) X(cuGetProcAddress, 1, cuGetProcAddress_v2)            \
    X(cuMemMap, 0, cuMemMap) X(cuMemUnmap, 0, cuMemUnmap) X(cuDevicePrimaryCtxReset, 0, cuDevicePrimaryCtxReset_v2)        \
    X(cuDevicePrimaryCtxReset, 1, cuDevicePrimaryCtxReset_v2) X(cuDevicePrimaryCtxRelease, 0, cuDevicePrimaryCtxRelease_v2) \
    X(cuDevicePrimaryCtxRelease, 1, cuDevicePrimaryCtxRelease_v2)

#define NUMBER(name, kind, how) CALL_##name,
#define ASKED_NUMBER(base, at, name) ASKED_##base##_##at,
enum { GPU_CALLS(NUMBER) CALLS };
enum { ASKED_CALLS(ASKED_NUMBER) ASKED };

typedef struct { unsigned char kind, how; } Call;
#define CALL_OF(base, at, name) CALL_##name,
/* Whether the name stands for the second version of the call. */
#define IS_SECOND(base, at, name) sizeof(#name) == sizeof(#base) + 3,
#define ROW(name, kind, how) {kind, how},
static const Call calls[] = {GPU_CALLS(ROW)};

/* One after the other: a table of them would be twice as much. */
#define TEXT(name, kind, how) #name "\0"
#define ASKED_TEXT(base, at, name) #base "\0"
static const char call_names[] = GPU_CALLS(TEXT), asked_names[] = ASKED_CALLS(ASKED_TEXT);
