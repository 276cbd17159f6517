/** Typed arrays as they travel: base64 of their little-endian bytes, as every machine of ours has them. Undefined for text that is none. */

function bufferOf(base64: string, bytesPerElement: number): ArrayBuffer | undefined {
  let binary: string;
  try {
    binary = atob(base64);
  } catch {
    return undefined;
  }
  if (binary.length % bytesPerElement !== 0) return undefined;
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

export function bytesOf(base64: string): Uint8Array | undefined {
  const buffer = bufferOf(base64, Uint8Array.BYTES_PER_ELEMENT);
  return buffer && new Uint8Array(buffer);
}

export function wordsOf(base64: string): Uint32Array | undefined {
  const buffer = bufferOf(base64, Uint32Array.BYTES_PER_ELEMENT);
  return buffer && new Uint32Array(buffer);
}

export function integersOf(base64: string): Int32Array | undefined {
  const buffer = bufferOf(base64, Int32Array.BYTES_PER_ELEMENT);
  return buffer && new Int32Array(buffer);
}

export function doublesOf(base64: string): Float64Array | undefined {
  const buffer = bufferOf(base64, Float64Array.BYTES_PER_ELEMENT);
  return buffer && new Float64Array(buffer);
}
