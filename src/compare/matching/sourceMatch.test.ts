import { describe, expect, it } from "vitest";
import { seeded } from "../../../test/faults/support/random.ts";
import { matchSources, type SourceFile } from "./sourceMatch.ts";

const file = (path: string, text: string): SourceFile => ({ path, sha256: text, lines: text.split("|") });
const LONG = "import torch|def main():|    x = load()|    y = train(x)|    return y|main()";

const pairs = (before: SourceFile[], after: SourceFile[]) =>
  matchSources(before, after).files.map((match) => `${match.before} > ${match.after}`);

describe("files of two runs", () => {
  it("of one name are the same, whatever became of their text", () => {
    expect(pairs([file("a.py", LONG)], [file("a.py", "x = 1")])).toEqual(["a.py > a.py"]);
  });

  it("of one name in different folders are kept apart", () => {
    const both = [file("one/model.py", LONG), file("two/model.py", `${LONG}|print(1)`)];
    expect(pairs(both, [...both].reverse())).toEqual(["two/model.py > two/model.py", "one/model.py > one/model.py"]);
  });

  it("are recognized by their text where they were renamed, and by its likeness where they were edited too", () => {
    const before = [file("old.py", LONG), file("net.py", LONG.replaceAll("x", "other").replace("torch", "numpy"))];
    const after = [file("new.py", LONG), file("pkg/net.py", `# moved|${before[1]?.sha256}`)];
    const match = matchSources(before, after);
    expect(match.files.map((one) => [one.before, one.after])).toEqual([
      ["old.py", "new.py"],
      ["net.py", "pkg/net.py"],
    ]);
    expect(match.toAfter("net.py", 3)).toEqual({ kind: "at", path: "pkg/net.py", line: 4 });
  });

  it("of equal texts go where the names agree most", () => {
    const before = [file("a/x.py", LONG), file("b/y.py", LONG)];
    const after = [file("c/y.py", LONG), file("d/x.py", LONG)];
    expect(pairs(before, after)).toEqual(["a/x.py > d/x.py", "b/y.py > c/y.py"]);
  });

  it("that have little in common are not the same", () => {
    const match = matchSources(
      [file("old.py", LONG)],
      [file("new.py", "import os|def f():|    return os|f()|g()|h()")],
    );
    expect(match).toMatchObject({ files: [], onlyBefore: ["old.py"], onlyAfter: ["new.py"] });
    expect(match.toAfter("old.py", 1)).toEqual({ kind: "gone" });
    expect(match.toAfter("/usr/lib/python3/os.py", 1)).toEqual({ kind: "elsewhere" });
  });

  it("that are cells of a notebook are recognized by their text, as their numbers move; else by their number", () => {
    const cell = (number: number, text: string) => file(`train.ipynb#cell${number}.py`, text);
    const before = [cell(1, "import torch"), cell(2, LONG), cell(3, "x = 1")];
    const after = [cell(1, "import os"), cell(2, "import torch"), cell(3, `${LONG}|extra = 1`), cell(4, "y = 2")];
    expect(pairs(before, after)).toEqual([
      "train.ipynb#cell1.py > train.ipynb#cell2.py",
      "train.ipynb#cell2.py > train.ipynb#cell3.py",
    ]);
    expect(pairs([cell(1, "a = 1")], [cell(1, "a = 2")])).toEqual(["train.ipynb#cell1.py > train.ipynb#cell1.py"]);
  });

  it("of two lines are too short to be recognized once they were edited", () => {
    expect(pairs([file("old.py", "a|b|c")], [file("new.py", "a|b")])).toEqual([]);
  });

  it("are still found by name where thousands were renamed", () => {
    const many = (folder: string) =>
      Array.from({ length: 150 }, (_, i) => file(`${folder}/m${i}.py`, `${LONG}|x${i}|${folder}`));
    const match = matchSources(many("old"), many("new"));
    expect(match.files).toHaveLength(150);
    expect(match.files.every((one) => one.before.slice(4) === one.after.slice(4))).toBe(true);
  });
});

describe("lines of two runs", () => {
  const lines = (before: string, after: string) => {
    const [match] = matchSources([file("a.py", before)], [file("a.py", after)]).files;
    return before.split("|").map((_, at) => {
      const found = match?.toAfter(at + 1);
      return found && `${found.line}${found.edited ? "?" : ""}`;
    });
  };

  it.each([
    ["the same text", "a|b", "a|b", ["1", "2"]],
    ["a line before", "a|b", "x|a|b", ["2", "3"]],
    ["an edited line", "a|b = f(1, 2)|c", "a|b = f(1, 3)|c", ["1", "2?", "3"]],
    [
      "a statement that was wrapped",
      "a|net = Net(size, 10).to(dev)|c",
      "a|net = Net(|    size, 10|).to(dev)|c",
      ["1", "2?", "5"],
    ],
    [
      "one that was put into one line",
      "a|net = Net(|  size,|  10)|c",
      "a|net = Net(size, 10)|c",
      ["1", "2?", "2?", "2?", "3"],
    ],
    ["one wrapped twice, moved down", "a|f(|  1)|c", "a|x|f(|  1)|c", ["1", "3", "4", "5"]],
    ["a string with a bracket", 'a|b = "("|c', 'a|x|b = "("|c', ["1", "3", "4"]],
  ])("%s", (_, before, after, expected) => {
    expect(lines(before, after)).toEqual(expected);
  });

  it("are matched by their numbers where a source was not kept, and exactly where the texts are known to be equal", () => {
    const bare = (sha256: string): SourceFile => ({ path: "a.py", sha256 });
    const match = (before: SourceFile, after: SourceFile) => matchSources([before], [after]).files[0];
    expect(match(bare("1"), bare("2"))).toMatchObject({ byNumbers: true });
    expect(match(bare("1"), file("a.py", "a|b"))?.toAfter(2)).toEqual({ line: 2, edited: false });
    expect(match(bare("1"), bare("1"))).toMatchObject({ byNumbers: false });
    expect(match(bare(""), bare(""))).toMatchObject({ byNumbers: true });
  });

  it("that were not edited stay matched through any edits around them, and the way back agrees", () => {
    const random = seeded(5).below;
    for (let round = 0; round < 200; round++) {
      const old = Array.from({ length: 5 + random(40) }, (_, at) => `value_${at} = compute_${random(90)}(${at})`);
      const { now, kept } = edit(old, random);
      const [match] = matchSources([file("a.py", old.join("|"))], [file("a.py", now.join("|"))]).files;
      for (const [before, after] of kept) {
        expect(match?.toAfter(before)).toEqual({ line: after, edited: false });
        expect(match?.toBefore(after)).toEqual({ line: before, edited: false });
      }
      for (let line = 1; line <= old.length; line++) {
        const there = match?.toAfter(line);
        if (there !== undefined) expect(match?.toBefore(there.line)?.line).toBe(line);
      }
    }
  });
});

/** Lines removed, edited and inserted; where those that were not edited are now. */
function edit(old: readonly string[], random: (below: number) => number) {
  const now: string[] = [];
  const kept = new Map<number, number>();
  for (const [at, line] of old.entries()) {
    const kind = random(8);
    if (kind === 0) continue;
    if (kind === 1) now.push(`inserted_${at} = (`, "  1)");
    now.push(kind === 2 ? `${line}  # edited` : line);
    if (kind !== 2) kept.set(at + 1, now.length);
  }
  return { now, kept };
}
