import { describe, expect, it } from "vitest";
import { decodeText, linesOf } from "./decodeText.ts";

const TEXT = "MEM 1,5 2\r\né = 1\n";
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16();

describe("decodeText", () => {
  it.each([
    ["UTF-8", Buffer.from(TEXT)],
    ["UTF-8 with a byte order mark", Buffer.from(`\uFEFF${TEXT}`)],
    ["UTF-16, little end first", Buffer.from(TEXT, "utf16le")],
    ["UTF-16 with a byte order mark", Buffer.from(`\uFEFF${TEXT}`, "utf16le")],
    ["UTF-16, big end first, with a byte order mark", swapped(Buffer.from(`\uFEFF${TEXT}`, "utf16le"))],
    ["UTF-16, big end first", swapped(Buffer.from(TEXT, "utf16le"))],
  ])("reads %s", (_name, bytes) => {
    expect(decodeText(bytes)).toEqual({ text: TEXT, foreignLines: 0 });
  });

  it("reads lines that are no UTF-8 as Latin-1, and the others as they are", () => {
    const mixed = Buffer.concat([Buffer.from("ü\n"), Buffer.from([0xfc, 0x0a]), Buffer.from("ü")]);
    expect(decodeText(mixed)).toEqual({ text: "ü\nü\nü", foreignLines: 1 });
  });

  it("reads UTF-16 that was appended to text of another encoding, and what follows it", () => {
    // 上 has the byte of a line feed in it.
    const appended = "1.0 MiB\r\n\r\nx = '上ü'\r\n";
    for (const mark of ["", "\uFEFF"]) {
      const mixed = Buffer.concat([
        Buffer.from("é\n"),
        Buffer.from(`${mark}${appended}`, "utf16le"),
        Buffer.from([0xfc, 0x0a]),
      ]);
      expect(decodeText(mixed)).toEqual({ text: `é\n${appended}ü\n`, foreignLines: 1 });
    }
  });
});

describe("linesOf", () => {
  it("cuts at any line end and tells the line that has none", () => {
    expect([...linesOf("a\r\n\nb\rc")]).toEqual([
      { line: "a", whole: true },
      { line: "", whole: true },
      { line: "b", whole: true },
      { line: "c", whole: false },
    ]);
  });
});
