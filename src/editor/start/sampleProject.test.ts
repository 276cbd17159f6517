import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeSample } from "./sampleProject.ts";

const from = path.join(import.meta.dirname, "../../../examples/sample");

describe("writeSample", () => {
  let parent = "";
  beforeEach(() => {
    parent = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-sample-"));
  });
  afterEach(() => fs.rmSync(parent, { recursive: true, force: true }));

  it("makes a folder with the script, what it shows, and a place for runs", async () => {
    const folder = await writeSample(from, parent);
    expect(folder).toBe(path.join(parent, "jetson-memory-sample"));
    expect(fs.readdirSync(folder).sort()).toEqual([".jetson-memprof", "README.md", "train.py"]);
    const script = fs.readFileSync(path.join(from, "train.py"), "utf8");
    expect(fs.readFileSync(path.join(folder, "train.py"), "utf8")).toBe(script);
  });

  it("leaves what is there alone, and takes the next name", async () => {
    const first = await writeSample(from, parent);
    fs.writeFileSync(path.join(first, "train.py"), "mine");
    expect(await writeSample(from, parent)).toBe(`${first}-2`);
    fs.writeFileSync(`${first}-3`, "a file of that name");
    expect(await writeSample(from, parent)).toBe(`${first}-4`);
    expect(fs.readFileSync(path.join(first, "train.py"), "utf8")).toBe("mine");
    expect(fs.readFileSync(`${first}-3`, "utf8")).toBe("a file of that name");
  });

  it("says where it cannot be written, and what to do", async () => {
    const missing = path.join(parent, "not there");
    await expect(writeSample(from, missing)).rejects.toMatchObject({
      code: "sample-not-written",
      message: expect.stringContaining(missing),
      hint: expect.stringContaining("Choose a folder"),
    });
  });
});
