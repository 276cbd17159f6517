/** Bytes gathered piece by piece: what is kept is at most twice what came, however small the pieces were. */

export interface GrowingBytes {
  readonly length: number;
  add(piece: Uint8Array): void;
  /** All that came; holds until the next `add`. */
  view(): Buffer;
  /** The same, and begins anew. */
  take(): Buffer;
}

const SMALLEST = 1024;

export function growingBytes(): GrowingBytes {
  let room = Buffer.alloc(0);
  let length = 0;
  const view = (): Buffer => room.subarray(0, length);
  return {
    get length() {
      return length;
    },
    add(piece) {
      if (length + piece.length > room.length) {
        const wider = Buffer.allocUnsafeSlow(Math.max(SMALLEST, 2 * room.length, length + piece.length));
        view().copy(wider);
        room = wider;
      }
      room.set(piece, length);
      length += piece.length;
    },
    view,
    take() {
      const all = view();
      room = Buffer.alloc(0);
      length = 0;
      return all;
    },
  };
}
