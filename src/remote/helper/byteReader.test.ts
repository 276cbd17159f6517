import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createByteReader, StreamFault } from "./byteReader.ts";

const reader = (...chunks: string[]) =>
  createByteReader(
    Readable.from(
      chunks.map((chunk) => Buffer.from(chunk, "latin1")),
      { objectMode: false },
    ),
  );

async function all(source: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts).toString("latin1");
}

describe("createByteReader", () => {
  it("reads lines and counted bytes in turn, however they were cut", async () => {
    for (const chunks of [["ab\ncd\nXYZef\n"], [..."ab\ncd\nXYZef\n"], ["ab", "\nc", "d\nXY", "Zef\n"]]) {
      const input = reader(...chunks);
      expect(await input.line(10)).toBe("ab");
      expect(await input.line(10)).toBe("cd");
      expect(await all(input.bytes(3))).toBe("XYZ");
      expect(await all(input.bytes(0))).toBe("");
      expect(await input.line(10)).toBe("ef");
      expect(await input.line(10)).toBeUndefined();
    }
  });

  it("gives up on a line without an end after the limit", async () => {
    await expect(reader("a".repeat(50), "b".repeat(60)).line(100)).rejects.toMatchObject({ kind: "too-long" });
    expect(await reader(`${"a".repeat(100)}\n`).line(100)).toHaveLength(100);
  });

  it("reports a torn line and missing bytes", async () => {
    await expect(reader("half").line(100)).rejects.toBeInstanceOf(StreamFault);
    await expect(all(reader("abc").bytes(5))).rejects.toMatchObject({ kind: "torn" });
  });
});
