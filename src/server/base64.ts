/** Little-endian bytes, as every machine has them that VS Code and the boards run on. */
export function base64({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}
