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

/**
 * The files of an archive as `makeTar` makes it.
 * @throws RangeError where it is torn
 */
export function readTar(archive: Buffer): TarFile[] {
  const files: TarFile[] = [];
  for (let at = 0; ; ) {
    const name = textAt(archive, at, 100);
    if (name === "") return files;
    const size = Number.parseInt(textAt(archive, at + 124, 12), 8);
    const start = at + BLOCK;
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    // The end is marked by empty blocks.
    if (!(at < archive.length)) throw new RangeError(`the archive ends within ${name}`);
    const executable = (Number.parseInt(textAt(archive, start - BLOCK + 100, 8), 8) & 0o100) !== 0;
    files.push({ name, data: archive.subarray(start, start + size), executable });
  }
}

function textAt(archive: Buffer, at: number, length: number): string {
  const text = archive.toString("latin1", at, at + length);
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
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
