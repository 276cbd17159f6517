/** A plain ustar archive: regular files only, the same bytes for the same files. */
export interface TarFile {
  /** Relative, `/`-separated, ASCII. */
  readonly name: string;
  readonly data: Buffer;
  readonly executable: boolean;
}

const BLOCK = 512;

/** Throws `RangeError` for a name that ustar cannot hold (more than 100 bytes). */
export function makeTar(files: readonly TarFile[]): Buffer {
  const parts: Buffer[] = [];
  for (const file of files) {
    parts.push(header(file), file.data, Buffer.alloc((BLOCK - (file.data.length % BLOCK)) % BLOCK));
  }
  parts.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(parts);
}

function header(file: TarFile): Buffer {
  const block = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(file.name) > 100) throw new RangeError(`${file.name} is too long a name for the archive`);
  block.write(file.name, 0);
  block.write(file.executable ? "0000755\0" : "0000644\0", 100, "latin1");
  block.write("0000000\0", 108, "latin1");
  block.write("0000000\0", 116, "latin1");
  block.write(`${file.data.length.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  block.write(`${"0".repeat(11)}\0`, 136, "latin1");
  block.write("        ", 148, "latin1");
  block.write("0", 156, "latin1");
  block.write("ustar\x0000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}
