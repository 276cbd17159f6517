import { describe, expect, it } from "vitest";
import { mirrorPlace } from "./mirrorPath.ts";

describe("mirrorPlace", () => {
  it.each([
    "run.json",
    "lines.jsonl",
    "moments.jsonl",
    "stdout.log",
    "massif.out.42",
    "heap.42.json",
    "gpu.42.json",
    "gpu.out.42",
    "massif.frames.4242.jsonl",
    "massif.lines.1.jsonl",
    "allocator.jsonl",
    "allocator.4242.0.pickle",
    "model.4242.jsonl",
    "massif-lines/42/0.before",
    "massif-lines/42/999999999.after",
    "sources/a.py",
    "sources/a b/ü\n.py",
  ])("takes %j", (file) => expect(mirrorPlace(file, "linux")?.parts.join("/")).toBe(file));
  it.each([
    "",
    "origin.json",
    "sources",
    "sources/",
    "sources/../run.json",
    "sources/./a",
    "sources//a",
    "/etc/passwd",
    "../x",
    "massif.out/../x",
    "massif.out.",
    "massif.out.0",
    "massif.out.42.part",
    "gpu.42",
    "gpu.out.42.json",
    "massif.out.42/x",
    "massif.exit.42",
    "massif.frames.42",
    "massif.lines.x.jsonl",
    "massif.other.42.jsonl",
    "allocator.42.jsonl",
    "allocator.42.pickle",
    "allocator.0.1.pickle",
    "allocator.42.12345.pickle",
    "allocator.42.0.pickle.part",
    "model.jsonl",
    "model.0.jsonl",
    "massif-lines",
    "massif-lines/42",
    "massif-lines/42/7",
    "massif-lines/42/7.after/x",
    "massif-lines/../7.after",
    "massif-lines/42/../../x.after",
    "massif-lines/42/7.before\n",
    "sources/a\0b",
    `sources/${"d/".repeat(80)}x`,
    "other.txt",
    "Run.json",
  ])("refuses %j", (file) => expect(mirrorPlace(file, "linux")).toBeUndefined());
  it("knows which files grow", () => {
    expect(mirrorPlace("massif.frames.42.jsonl")?.grows).toBe(true);
    expect(mirrorPlace("stdout.log")?.grows).toBe(true);
    expect(mirrorPlace("allocator.jsonl")?.grows).toBe(true);
    expect(mirrorPlace("model.42.jsonl")?.grows).toBe(true);
    expect(mirrorPlace("allocator.42.0.pickle")?.grows).toBe(false);
    expect(mirrorPlace("massif.out.42")?.grows).toBe(false);
    expect(mirrorPlace("run.json")?.grows).toBe(false);
  });
  it("refuses what Windows would read as something else", () => {
    for (const file of [
      "sources/a\\..\\b",
      "sources/C:x",
      "sources/a.",
      "sources/con?",
      "sources/AUX",
      "sources/nul.py",
      "sources/com1 .x/y",
    ]) {
      expect(mirrorPlace(file, "win32")).toBeUndefined();
    }
    expect(mirrorPlace("sources/console/nullable.py", "win32")).toEqual({
      parts: ["sources", "console", "nullable.py"],
      grows: false,
    });
    expect(mirrorPlace("sources/aux.py", "linux")).toEqual({ parts: ["sources", "aux.py"], grows: false });
  });
});
