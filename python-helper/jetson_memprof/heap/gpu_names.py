"""The calls of CUDA by their number, in the order of accel/heap/gpu_calls.h."""
from . import layout

KINDS = ("device", "async", "managed", "pinned", "array", "physical", "context", "module")
#: From the first of these on nothing is told but by how much the GPU's free memory fell.
BY_FREE_MEMORY = ("context", "module")
NAMES = """
cudaMalloc cudaMallocPitch cudaMalloc3D cudaMallocAsync cudaMallocAsync_ptsz cudaMallocFromPoolAsync
cudaMallocFromPoolAsync_ptsz cudaMallocManaged cudaMallocHost cudaHostAlloc cudaMallocArray cudaMalloc3DArray
cudaFree cudaFreeAsync cudaFreeAsync_ptsz cudaFreeHost cudaFreeArray cudaDeviceReset cuMemAlloc_v2 cuMemAllocPitch_v2 cuMemAllocAsync
cuMemAllocAsync_ptsz cuMemAllocFromPoolAsync cuMemAllocFromPoolAsync_ptsz cuMemAllocManaged cuMemAllocHost_v2
cuMemHostAlloc cuArrayCreate_v2 cuArray3DCreate_v2 cuMemCreate cuMemFree_v2 cuMemFreeAsync cuMemFreeAsync_ptsz
cuMemFreeHost cuArrayDestroy cuMemRelease cuDevicePrimaryCtxRetain cuCtxCreate_v2 cuCtxCreate_v3 cuCtxCreate_v4
cuCtxDestroy_v2 cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary cuModuleUnload
cuLibraryLoadData cuLibraryLoadFromFile cuLibraryUnload cuGetProcAddress cuGetProcAddress_v2 cuMemMap
cuMemUnmap cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2 cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
""".split()


def call_name(address):
    """Of a key's address, as the two below."""
    number = address & layout.CALL_MASK
    return NAMES[number] if number < len(NAMES) else "???"


def kind_of(address):
    """None of what is no group's."""
    number = (address & ~(layout.GPU_MASK << layout.GPU_SHIFT)) - layout.GROUP
    return KINDS[number] if 0 <= number < len(KINDS) else None


def gpu_of(address):
    """The number of the GPU; None: it is not known, or the memory lies on none."""
    number = address >> layout.GPU_SHIFT & layout.GPU_MASK
    return number - 1 if number else None
