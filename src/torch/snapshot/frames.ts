/** A frame of an allocation's stack, as PyTorch names it: Python ones have a file and a line, C++ ones often none. */
export interface MemoryFrame {
  readonly name: string;
  readonly file: string;
  /** 1-based; 0: not known. */
  readonly line: number;
}
