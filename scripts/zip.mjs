// Zip archives whose bytes follow from their contents alone: sorted, one time, fixed rights, and a deflate that is the
// same on every machine (zlib's differs between processors and versions of Node, that of zopfli in WebAssembly does not).
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { inflateRawSync } from "node:zlib";
import zopfli from "@gfx/zopfli";
import { cached } from "./contentCache.mjs";

/** Another one may compress otherwise. */
const ZOPFLI_VERSION = createRequire(import.meta.url)("@gfx/zopfli/package.json").version;

const STORED = 0;
const DEFLATED = 8;
const MADE_BY_UNIX = 3 << 8;
const VERSION_NEEDED = 20;
/** Without it a reader takes names for code page 437. */
const NAME_IS_UTF8 = 1 << 11;
/** Already compressed: deflating it would make it longer. */
const COMPRESSED = /\.(br|gz|png|webp)$/;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

function crc32(data) {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff];
  return ~crc >>> 0;
}

/** See zip.d.mts. */
export function zipEntries(file) {
  const zip = fs.readFileSync(file);
  const end = zip.lastIndexOf("PK\x05\x06", zip.length, "latin1");
  if (end < 0) throw new Error(`${file} is not a zip archive.`);
  const entries = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = zip.readUInt16LE(at + 28);
    const header = zip.readUInt32LE(at + 42);
    const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
    const packed = zip.readUInt32LE(at + 20);
    const content = zip.subarray(start, start + packed);
    const deflated = zip.readUInt16LE(at + 10) === DEFLATED;
    entries.push({
      name: zip.toString("utf8", at + 46, at + 46 + nameLength),
      size: zip.readUInt32LE(at + 24),
      packed,
      read: () => (deflated ? inflateRawSync(content) : content),
    });
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

/** The time in a zip archive has two seconds as its unit, begins with 1980 and knows no time zone: it is UTC here. */
function dosTime(epochSeconds) {
  const time = new Date(Math.max(epochSeconds, Date.UTC(1980, 0, 1) / 1000) * 1000);
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  return ((date << 16) | (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1)) >>> 0;
}

async function deflate(data) {
  const packed = await cached("zopfli-5", [ZOPFLI_VERSION, data], async () =>
    Buffer.from(await zopfli.deflateAsync(data, { numiterations: 5 })),
  );
  if (!inflateRawSync(packed).equals(data))
    throw new Error("A file did not come out of its compressed form as it was.");
  return packed;
}

/** See zip.d.mts. */
export async function makeZip(files, epochSeconds) {
  const time = dosTime(epochSeconds);
  const sorted = [...files].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  const contents = [];
  const directory = [];
  let offset = 0;
  for (const { name, data, executable } of sorted) {
    const deflated = COMPRESSED.test(name) ? data : await deflate(data);
    const stored = deflated.length >= data.length;
    const packed = stored ? data : deflated;

    // What the local header and the entry of the table of contents have in common, from "version needed" on.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION_NEEDED, 0);
    if (/[^ -~]/.test(name)) common.writeUInt16LE(NAME_IS_UTF8, 2);
    common.writeUInt16LE(stored ? STORED : DEFLATED, 4);
    common.writeUInt32LE(time, 6);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const entry = Buffer.alloc(46);
    entry.write("PK\x01\x02", "latin1");
    entry.writeUInt16LE(MADE_BY_UNIX | VERSION_NEEDED, 4);
    common.copy(entry, 6);
    entry.writeUInt32LE(((executable ? 0o100755 : 0o100644) << 16) >>> 0, 38);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry, Buffer.from(name));

    const local = [Buffer.from("PK\x03\x04", "latin1"), common, Buffer.from(name), packed];
    contents.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(sorted.length, 8);
  end.writeUInt16LE(sorted.length, 10);
  end.writeUInt32LE(
    directory.reduce((sum, part) => sum + part.length, 0),
    12,
  );
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...contents, ...directory, end]);
}
