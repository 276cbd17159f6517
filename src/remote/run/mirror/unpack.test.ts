import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { MirrorFault } from "./mirror.ts";
import { unpacked } from "./unpack.ts";

const inPieces = (data: Buffer, size = 1000): AsyncIterable<Buffer> =>
  Readable.from(
    Array.from({ length: Math.ceil(data.length / size) }, (_, at) => data.subarray(at * size, (at + 1) * size)),
  );

async function all(data: AsyncIterable<Buffer>, size: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of unpacked(data, size)) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe("unpacking", () => {
  const text = Buffer.concat([randomBytes(70_000), Buffer.alloc(3_000_000, "n0: 1 0x1: f (a.c:1)\n")]);
  const packed = gzipSync(text);

  it("gives the bytes that were packed", async () => {
    expect((await all(inPieces(packed), text.length)).equals(text)).toBe(true);
    expect(await all(inPieces(gzipSync("")), 0)).toHaveLength(0);
  });

  it("refuses more, fewer and other bytes than were announced", async () => {
    const cut = packed.subarray(0, packed.length - 9);
    const wrong = Buffer.from(packed);
    wrong.fill(0xff, 75_000, 75_010);
    const faults: [Buffer, number][] = [
      [packed, text.length - 1],
      [packed, text.length + 1],
      [Buffer.concat([packed, gzipSync("more")]), text.length],
      [cut, text.length],
      [wrong, text.length],
      [Buffer.from("not packed at all"), 17],
      [Buffer.alloc(0), 4],
    ];
    for (const [data, size] of faults) await expect(all(inPieces(data), size)).rejects.toBeInstanceOf(MirrorFault);
  });

  it("stops a bomb after what was announced", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    let came = 0;
    const taking = (async () => {
      for await (const piece of unpacked(inPieces(bomb), 4096)) came += piece.length;
    })();
    await expect(taking).rejects.toBeInstanceOf(MirrorFault);
    expect(came).toBeLessThanOrEqual(4096);
  });

  it("passes on why the bytes broke off", async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield packed.subarray(0, 30_000);
      throw new Error("gone");
    }
    await expect(all(broken(), text.length)).rejects.toThrow("gone");
  });
});
