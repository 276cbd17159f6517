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
