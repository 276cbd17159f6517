import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { licenceText } from "./materials.mjs";

describe("the licence of a bundled package", () => {
  let folder: string;
  let kept: string;
  beforeEach(() => {
    const scratch = mkdtempSync(join(tmpdir(), "jmp-licence-"));
    folder = join(scratch, "package");
    kept = join(scratch, "kept");
    mkdirSync(folder);
    mkdirSync(join(kept, "@scope"), { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "@scope/one", version: "1.2.3" }));
  });
  afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

  it("is the text that it comes with, with the notices of others after it", () => {
    writeFileSync(join(folder, "License.txt"), "Do as you like.\n");
    writeFileSync(join(folder, "thirdpartynotices.txt"), "Some of it is from others.\n");
    expect(licenceText(folder, kept)).toBe("Do as you like.\n\nSome of it is from others.");
  });

  it("is the kept text, which names its source, where it comes with none", () => {
    const text = "Source: https://example.org/one/LICENSE\n\nDo as you like.";
    writeFileSync(join(kept, "@scope/one.txt"), `${text}\n`);
    expect(licenceText(folder, kept)).toBe(text);
  });

  it("stops the packing where it is nowhere, or kept without its source", () => {
    expect(() => licenceText(folder, kept)).toThrow(/@scope\/one 1\.2\.3 comes without the text of its licence/);
    writeFileSync(join(kept, "@scope/one.txt"), "Do as you like.\n");
    expect(() => licenceText(folder, kept)).toThrow(/does not begin with "Source: "/);
  });
});
