import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gguf, QWEN3_GGUF } from "../../../torch/kvCache/testing.ts";
import { parseCommandLine } from "../../commandLine/commandLine.ts";
import { collected } from "../../terminal/testing.ts";
import { showKvCache } from "./kvCacheCommand.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "kv-cache-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

async function printed(...argv: string[]): Promise<string> {
  const command = parseCommandLine(["kv-cache", ...argv]);
  if (command.kind !== "kv-cache") throw new Error("This is another command.");
  const output = collected();
  await showKvCache(command, output);
  return output.text();
}

const SHAPE = ["--layers", "36", "--kv-heads", "8", "--head-size", "128"];

describe("kv-cache", () => {
  it("prints sizes by length and type, and what fits", async () => {
    expect(
      await printed(...SHAPE, "--length", "8192,16384", "--free", "1152"),
    ).toBe(`36 layers keep 1,024 elements of keys and 1,024 of values of a token, of all tokens.

KV cache of one sequence, by its length in tokens and the type of an element
Length         f16        q8_0       q4_0
 8,192  1152.0 MiB   612.0 MiB  324.0 MiB
16,384  2304.0 MiB  1224.0 MiB  648.0 MiB

Longest that fits in 1152.0 MiB
 8,192  f16
15,420  q8_0
29,127  q4_0

Weights, compute buffers and what a server keeps beside it come on top: docs/ledger.md.
`);
  });

  it("reads a .gguf file, or the config.json of a folder, up to the length that the model is made for", async () => {
    const file = path.join(folder, "model.gguf");
    fs.writeFileSync(file, gguf(QWEN3_GGUF));
    const text = await printed(file, "--free", "100000");
    expect(text).toContain("\n 1,024   144.0 MiB");
    expect(text).toContain("\n40,960  5760.0 MiB");
    expect(text).toContain("40,960  f16   all that the model is made for");
    fs.writeFileSync(
      path.join(folder, "config.json"),
      JSON.stringify({ num_hidden_layers: 2, num_attention_heads: 3, hidden_size: 240, max_position_embeddings: 99 }),
    );
    const small = await printed(folder, "--length", "100");
    expect(small).toContain("100  188 KiB     –     –");
    expect(small).toContain("Note: The model is made for 99 tokens at most, as it says.");
    expect(small).toContain("no multiple of 32");
  });

  it("says the same in bytes as JSON, of several sequences", async () => {
    const options = ["--length", "8192", "--type", "f16", "--sequences", "4", "--free", "1152", "--json"];
    expect(JSON.parse(await printed(...SHAPE, ...options))).toEqual({
      schema: 1,
      model: { layers: [{ count: 36, key_elements: 1024, value_elements: 1024 }] },
      sequences: 4,
      cache: [{ length: 8192, type: "f16", bytes: 4 * 1152 * 2 ** 20 }],
      free_bytes: 1152 * 2 ** 20,
      longest_that_fits: [{ type: "f16", length: 2048 }],
      notes: [],
    });
  });

  it.each([
    [[], "Name a model"],
    [["--layers", "3"], "Name a model"],
    [["a.gguf", "--layers", "3"], "not both"],
    [["a", "b"], "one too many"],
    [[...SHAPE, "--type", "q3_k"], "--type is f32 or f16"],
    [[...SHAPE, "--length", "0"], "--length takes whole numbers"],
    [[...SHAPE, "--free", "much"], "--free is a size in MiB"],
  ])("%j is refused", (argv, message) => {
    expect(() => parseCommandLine(["kv-cache", ...argv])).toThrow(message);
  });

  it("a file that is no model, or is cut, is refused with what to do", async () => {
    const file = path.join(folder, "model.gguf");
    await expect(printed(file)).rejects.toThrow("cannot be read");
    await expect(printed("/dev/null")).rejects.toThrow("is not a plain file");
    fs.writeFileSync(file, gguf(QWEN3_GGUF).subarray(0, 5000));
    await expect(printed(file)).rejects.toThrow("ends within its head");
    fs.writeFileSync(file, "{}");
    await expect(printed(file)).rejects.toMatchObject({ hint: expect.stringContaining("--kv-heads") });
  });
});
