import { expect, it } from "vitest";
import { codeNodes } from "./codeNodes.ts";

const MIB = 1024 * 1024;

it("gives both kinds of run the same rows: file, function, line, each with its place", async () => {
  const line = { line: 5, text: "x = f()" };
  const rss = await codeNodes("/run", {
    kind: "lines",
    metric: "rss",
    files: [
      {
        path: "a.py",
        functions: [{ name: "main", defLine: 3, timeNs: 1, calls: 1, lines: [{ ...line, hits: 1, net: MIB }] }],
      },
    ],
  });
  const heap = await codeNodes("/run", {
    kind: "heap",
    peak: { bytes: MIB, pages: false, substitute: false, withoutLine: 0 },
    files: [
      {
        path: "a.py",
        total: MIB,
        own: MIB,
        functions: [{ name: "main", defLine: 3, total: MIB, own: MIB, lines: [{ ...line, total: MIB, own: MIB }] }],
      },
    ],
  });
  for (const [file] of [rss, heap]) {
    expect(file).toMatchObject({ level: "file", folder: "/run", text: { label: "a.py" } });
    const fn = file?.children[0];
    expect(fn).toMatchObject({ level: "function", place: { path: "a.py", line: 3 }, icon: "symbol-function" });
    expect(fn?.children[0]).toMatchObject({ level: "line", place: { path: "a.py", line: 5 }, children: [] });
  }
  expect(rss[0]?.children[0]?.children[0]?.text.label).toBe("+1.0 MiB");
  expect(heap[0]?.children[0]?.children[0]?.text.label).toBe("1.0 MiB of heap at peak");
});

it("says how many lines are not listed, in a row that leads nowhere", async () => {
  const fn = { name: "main", defLine: 3, timeNs: 1, calls: 1, lines: [{ line: 5, text: "x", net: MIB }], left: 45_000 };
  const [file] = await codeNodes("/run", { kind: "lines", metric: "rss", files: [{ path: "a.py", functions: [fn] }] });
  const last = file?.children[0]?.children.at(-1);
  expect(last?.text.label).toBe("45,000 more lines");
  expect(last).toMatchObject({ level: "line", children: [] });
  expect(last?.place).toBeUndefined();
});

const took = (line: number, mib: number, text = "x = f()") => ({
  line,
  text,
  hits: 1,
  net: mib * MIB,
  self: mib * MIB,
  peak: mib * MIB,
});
const fn = (name: string, lines: readonly ReturnType<typeof took>[]) => ({
  name,
  defLine: name === "<module>" ? 1 : 20,
  timeNs: 1,
  calls: 1,
  lines,
});
const rssTree = (files: readonly { path: string; functions: readonly ReturnType<typeof fn>[] }[]) =>
  codeNodes("/run", { kind: "lines", metric: "rss", files });

it("has the heaviest lines of all files first, each with its file where there are several", async () => {
  const [list, ...files] = await rssTree([
    { path: "train.py", functions: [fn("<module>", [took(3, 9), took(4, 2)]), fn("main", [took(21, 30)])] },
    { path: "lib/model.py", functions: [fn("build", [took(22, 40), took(23, 1), took(24, 3)])] },
  ]);
  expect(list).toMatchObject({ level: "heaviest", text: { label: "Heaviest lines" } });
  expect(list?.place).toBeUndefined();
  expect(list?.children.map(({ text }) => `${text.label} ${text.description}`)).toEqual([
    "+40.0 MiB lib/model.py:22: x = f()",
    "+30.0 MiB train.py:21: x = f()",
    "+9.0 MiB train.py:3: x = f()",
    "+3.0 MiB lib/model.py:24: x = f()",
    "+2.0 MiB train.py:4: x = f()",
  ]);
  expect(list?.children[0]?.place).toEqual({ path: "lib/model.py", line: 22 });
  expect(files.map(({ text }) => text.label)).toEqual(["train.py", "lib/model.py"]);
  const ids = (nodes: typeof files): string[] => nodes.flatMap(({ id, children }) => [id, ...ids([...children])]);
  const all = ids(list === undefined ? files : [list, ...files]);
  expect(new Set(all).size).toBe(all.length);
});

it("has no such list where one function has all lines", async () => {
  const [first] = await rssTree([{ path: "a.py", functions: [fn("<module>", [took(1, 5), took(2, 4)])] }]);
  expect(first).toMatchObject({ level: "file" });
});

it("folds a function's imports into one row, where their sum puts it", async () => {
  const lines = [
    took(9, 50),
    took(1, 20, "import torch"),
    took(10, 25),
    took(2, 8, "from torch import nn"),
    took(11, 1, "x = important()"),
  ];
  const [file] = await rssTree([{ path: "a.py", functions: [fn("<module>", lines)] }]);
  const rows = file?.children[0]?.children ?? [];
  expect(rows.map(({ text }) => text.label)).toEqual(["+50.0 MiB", "+28.0 MiB", "+25.0 MiB", "+1.0 MiB"]);
  expect(rows[1]).toMatchObject({ level: "imports", text: { description: "2 imports" } });
  expect(rows[1]?.children.map(({ place }) => place?.line)).toEqual([1, 2]);
  const [single] = await rssTree([{ path: "a.py", functions: [fn("<module>", lines.slice(0, 2))] }]);
  expect(single?.children[0]?.children.map(({ level }) => level)).toEqual(["line", "line"]);
});
