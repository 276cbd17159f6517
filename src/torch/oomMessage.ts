/** The figures in PyTorch's own "CUDA out of memory" message. Bytes, rounded as PyTorch prints them. */
export interface CudaOom {
  /** The message's wording: PyTorch up to 2.0, or 2.1 and later. */
  readonly form: "up-to-2.0" | "from-2.1";
  readonly device?: number;
  readonly tried: number;
  readonly total?: number;
  readonly free?: number;
  readonly allocated?: number;
  /** Reserved by the allocator in all (up to 2.0; `cached` before 1.4). */
  readonly reserved?: number;
  /** Reserved but not allocated (from 2.1). */
  readonly unallocated?: number;
  /** In use by this process, with what is not PyTorch's (from 2.1). */
  readonly inUse?: number;
}
