import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonLines, MIB, makeProject, runFiles, runJson } from "../../profile/testing.ts";
import { createHandlers, type Handlers } from "../handlers.ts";
import { createRunStore, type RunStore } from "../runs/runStore.ts";
import type { OpenCell } from "./matching.ts";

const FIRST = "def load(count):\n    return bytearray(count)\n";
const SECOND = "pass\nkept = load(48 << 20)";
const file = (number: number, id: string) => ({ number, id, path: `train.ipynb#cell${number}.py` });

let project: string;
let run: string;
let remove: () => void;
let store: RunStore;
let handlers: Handlers;
let cells: OpenCell[];

beforeEach(() => {
  ({ project, run, remove } = makeProject(
    runFiles({
      "run.json": JSON.stringify(
        runJson({
          command: { python: "python3", script: "train.ipynb", args: [] },
          notebook: { path: "train.ipynb", cells: [file(1, "a"), file(2, "b")] },
          files: [1, 2].map((number) => ({
            path: `train.ipynb#cell${number}.py`,
            sha256: "0",
            source: `sources/train.ipynb#cell${number}.py`,
          })),
        }),
      ),
      "lines.jsonl": jsonLines([
        { schema: 1, record: "header", run: "r" },
        { record: "process", pid: 1, ppid: 0, kind: "main", label: "main", implementation: "pure" },
        { record: "file", file: 0, path: "train.ipynb#cell1.py", sha256: "0", lines: 2, functions: [] },
        { record: "file", file: 1, path: "train.ipynb#cell2.py", sha256: "0", lines: 2, functions: [] },
        { record: "rows", t: 1, pid: 1, rows: [[0, 2, 1, 48 * MIB, 48 * MIB, 48 * MIB, 48 * MIB, 60 * MIB, 0]] },
        { record: "rows", t: 1, pid: 1, rows: [[1, 2, 1, 48 * MIB, 0, 48 * MIB, 48 * MIB, 60 * MIB, 0]] },
        { record: "end", t: 2 },
      ]),
      "sources/train.ipynb#cell1.py": FIRST,
      "sources/train.ipynb#cell2.py": SECOND,
    }),
  ));
  cells = [
    { uri: "vscode-notebook-cell:/train.ipynb#W1", id: "b", text: "%matplotlib inline\nkept = load(48 << 20)" },
    { uri: "vscode-notebook-cell:/train.ipynb#W0", text: `import math\n${FIRST}` },
    { uri: "vscode-notebook-cell:/train.ipynb#W2", text: "print('new')" },
  ];
  const text = (uri: string) => cells.find((cell) => cell.uri === uri)?.text;
  store = createRunStore({ onChange: () => {}, debounceMs: 10, pollMs: 50 });
  handlers = createHandlers({
    store,
    platform: process.platform,
    openDocument: (uri) => {
      const found = text(uri);
      return found === undefined ? undefined : { version: 1, text: found };
    },
    openNotebook: (uri) =>
      text(uri) === undefined
        ? undefined
        : { uri: pathToFileURL(path.join(project, "train.ipynb")).href, cells, version: String(cells.length) },
  });
});
afterEach(() => {
  store.dispose();
  remove();
});

const linesOf = async (uri: string) =>
  (await handlers.lineDeltas(uri))?.lines.map(({ line, label }) => [line, label]) ?? null;

describe("the cells of an open notebook", () => {
  it("carry the figures of the cells they were when the run was made, through moves and edits", async () => {
    await handlers.showRun(run, "rss");
    expect(await linesOf("vscode-notebook-cell:/train.ipynb#W1")).toEqual([[2, "+48.0 MiB"]]);
    expect(await linesOf("vscode-notebook-cell:/train.ipynb#W0")).toEqual([[3, "+48.0 MiB"]]);
    expect(await linesOf("vscode-notebook-cell:/train.ipynb#W2")).toBeNull();
  });

  it("have a hover of their own", async () => {
    await handlers.showRun(run, "rss");
    expect(await handlers.hover("vscode-notebook-cell:/train.ipynb#W1", 2)).toContain("+48.0");
    expect(await handlers.hover("vscode-notebook-cell:/train.ipynb#W2", 1)).toBeNull();
  });

  it("are found for a row of the tree, with their lines", async () => {
    const place = { folder: run, path: "train.ipynb#cell1.py" };
    expect(await handlers.cellNow({ ...place, cells })).toBe("vscode-notebook-cell:/train.ipynb#W0");
    expect(await handlers.lineNow({ ...place, line: 2, uri: "vscode-notebook-cell:/train.ipynb#W0" })).toEqual({
      line: 3,
      gone: false,
    });
    expect(await handlers.cellNow({ folder: run, path: "train.ipynb#cell9.py", cells })).toBeNull();
  });

  it("have none where another notebook was run", async () => {
    await handlers.showRun(run, "rss");
    project = path.join(project, "elsewhere");
    expect(await linesOf("vscode-notebook-cell:/train.ipynb#W1")).toBeNull();
  });
});
