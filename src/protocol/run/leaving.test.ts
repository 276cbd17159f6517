import { describe, expect, it } from "vitest";
import { amountText, type Leaving, leavingLines, leavingOf, type StayReason } from "./leaving.ts";

const MIB = 1024 * 1024;

function leaving(sizes: Readonly<Record<string, number>>, stays: Partial<Record<StayReason, string[]>> = {}): Leaving {
  const files = Object.entries(sizes).map(([path, size]) => ({ path, size }));
  const kept = new Map(Object.entries(stays) as [StayReason, string[]][]);
  return leavingOf(files, { projectFolder: "/home/me/lenet", to: "nano", stays: kept, notes: [] });
}

describe("what leaves", () => {
  it("counts files and bytes, and names the largest of the folder first", () => {
    const all = leaving({ "a.py": 512, "data/x": 3 * MIB, "data/deep/y": MIB, "one/z": 2 * MIB, empty: 0 });
    expect(amountText(all)).toBe("5 files (6.0 MiB) of /home/me/lenet");
    expect(leavingLines(all)).toEqual(["The largest: data/ 4.0 MiB in 2 files, one/ 2.0 MiB, a.py 512 B, empty 0 B"]);
    expect(amountText(leaving({ "a.py": 512 }))).toBe("1 file (512 B) of /home/me/lenet");
  });

  it("says what stays by reason, what surprises most first, and no more than can be read", () => {
    const many = Array.from({ length: 1_007 }, (_, index) => `old/${index}.bin`);
    const all = leaving({}, { never: [".git/"], gitignore: many, credential: [".env"], setting: ["data/"] });
    expect(leavingLines(all)).toEqual([
      "What stays here, and why:",
      "• credentials, by their names: .env",
      "• named in the setting jetsonMemprof.exclude or by --exclude: data/",
      "• named in .gitignore: old/0.bin, old/1.bin, old/2.bin, old/3.bin, old/4.bin, 1,002 more",
      "• version control, environments and caches: .git/",
    ]);
  });

  it("shows names that are not one line, not text or very long so that they change nothing", () => {
    const all = leaving({ "a\n\u001b[2J\u202e.py": 1, [`${"x".repeat(300)}.py`]: 1 });
    const [line = ""] = leavingLines(all);
    expect(line).toBe(`The largest: a??[2J?.py 1 B, …${"x".repeat(97)}.py 1 B`);
  });
});
