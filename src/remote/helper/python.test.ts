import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createByteReader } from "./byteReader.ts";
import { readPython } from "./python.ts";

const read = (text: string) => readPython(createByteReader(Readable.from([Buffer.from(text)])), undefined, "nano");
const python = { version: "3.6.9", executable: "/usr/bin/python3" };

describe("what the search for Python says", () => {
  it("begins with what was found, then comes the program's own first line", async () => {
    const said = "python 2.7.17 /usr/bin/python\npython 3.6.9 /usr/bin/python3\n";
    expect(await read(`${said}{"ok":true}\nmore\n`)).toEqual({ python, line: '{"ok":true}' });
    expect(await read(said)).toEqual({ python, line: undefined });
  });

  it("is no line of the program's where interpreters come without end", async () => {
    expect(await read("python 3.6.9 /usr/bin/python3\n".repeat(4_000))).toEqual({ python, line: undefined });
  });
});
