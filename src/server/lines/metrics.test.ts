import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonLines, LINES, MIB, makeProject, runFiles, TORCH_LINES, writeFiles } from "../../profile/testing.ts";
import { createHandlers, type Handlers } from "../handlers.ts";
import { createRunStore, type RunStore } from "../runs/runStore.ts";

let project: string;
let run: string;
let remove: () => void;
let store: RunStore;
let handlers: Handlers;

beforeEach(() => {
  ({ project, run, remove } = makeProject(runFiles({ "lines.jsonl": jsonLines(TORCH_LINES) })));
  store = createRunStore({ onChange: () => {} });
  handlers = createHandlers({ store, openDocument: () => undefined, platform: process.platform });
});
afterEach(() => {
  store.dispose();
  remove();
});

const uri = (name: string) => pathToFileURL(path.join(project, name)).href;

/** With plain blanks, not those that keep a figure on one line. */
async function hovered(name: string, line: number): Promise<string | undefined> {
  return (await handlers.hover(uri(name), line))?.replaceAll("\u00a0", " ");
}

async function labels(name: string): Promise<unknown> {
  const result = await handlers.lineDeltas(uri(name));
  return result?.lines.map(({ line, label }) => [line, label]);
}

describe("the metric that is shown", () => {
  it("is what decorations, lenses and the tree are of, each saying so", async () => {
    expect((await handlers.showRun(run, "cuda"))?.metrics).toEqual(["rss", "cuda", "system"]);
    expect(await handlers.lineDeltas(uri("model.py"))).toMatchObject({ metric: "cuda" });
    expect(await labels("model.py")).toEqual([
      [2, "CUDA +100.0 MiB"],
      [3, "CUDA -20.0 MiB, peak +30.0 MiB"],
    ]);
    expect((await handlers.lenses(uri("model.py")))?.lenses[0]?.title).toBe("CUDA +80.0 MiB net · 90 ms · 1 call");
    expect(await handlers.runTree(run)).toMatchObject({
      kind: "lines",
      metric: "cuda",
      files: [{ path: "model.py", net: 80 * MIB }, { path: "train.py" }],
    });
  });

  it("can be the whole board's", async () => {
    await handlers.showRun(run, "system");
    expect(await labels("model.py")).toEqual([[2, "board +190.0 MiB"]]);
  });

  it("is RSS where the run does not have it, in the words of every run", async () => {
    writeFiles(run, { "lines.jsonl": jsonLines(LINES) });
    expect((await handlers.showRun(run, "cuda"))?.metrics).toEqual(["rss"]);
    expect(await handlers.lineDeltas(uri("model.py"))).toMatchObject({ metric: "rss" });
    expect(await labels("model.py")).toEqual([
      [2, "+64.0 MiB"],
      [3, "peak +64.0 MiB"],
    ]);
  });

  it("comes as soon as a run that goes on has it", async () => {
    const begun = LINES.length - 1;
    writeFiles(run, { "lines.jsonl": jsonLines(TORCH_LINES.slice(0, begun)) });
    await handlers.showRun(run, "cuda");
    expect((await handlers.runSummary(run)).metrics).toEqual(["rss"]);
    fs.appendFileSync(path.join(run, "lines.jsonl"), jsonLines(TORCH_LINES.slice(begun)));
    expect((await handlers.runSummary(run)).metrics).toEqual(["rss", "cuda", "system"]);
    expect(await handlers.lineDeltas(uri("model.py"))).toMatchObject({ metric: "cuda" });
  });
});

describe("hover of a line with several measures", () => {
  it("has a column for each, bounds where a peak is not exact, and what is not known as such", async () => {
    await handlers.showRun(run, "rss");
    const hover = (await hovered("model.py", 3)) ?? "";
    expect(hover).toContain("| Memory | &emsp;RSS | &emsp;CUDA allocated | &emsp;CUDA reserved | &emsp;Board in use |");
    expect(hover).toContain("| Net, with everything it called | 0 B | -20.0 MiB | 0 B | – |");
    expect(hover).toContain("| Peak above entry, at least | +64.0 MiB | +30.0 MiB | 0 B | – |");
    expect(hover).toContain("| Peak above entry, at most | +64.0 MiB | +44.0 MiB | – | – |");
    expect(hover).toContain("GPU device (mem\\_get\\_info): –");
    expect(hover).toContain("Columns overlap; do not add them up");
    // The peaks say in each column what the net says: they need no row.
    const same = (await hovered("model.py", 2)) ?? "";
    expect(same).toContain("| Net, with everything it called | +64.0 MiB | +100.0 MiB | +120.0 MiB | +190.0 MiB |");
    expect(same).not.toContain("Peak above entry");
  });

  it("says which processes are not measured so", async () => {
    await handlers.showRun(run, "rss");
    const hover = (await hovered("train.py", 7)) ?? "";
    expect(hover).toMatch(/\| main \|.*\| 0 B \|\n\| worker 1 \|.*\| – \|/);
  });

  it("says which phase began there and what it took outside the allocator", async () => {
    await handlers.showRun(run, "rss");
    const hover = (await hovered("train.py", 4)) ?? "";
    expect(hover).toContain("| importing PyTorch | +300.0 MiB | +20.0 MiB | ~ +280.0 MiB |");
    expect(await handlers.hover(uri("train.py"), 10)).not.toContain("Outside the allocator");
  });

  it("explains no CUDA where the run has RSS and the board's memory only", async () => {
    const others = TORCH_LINES.filter((record) => !("record" in record && String(record.record).match(/cuda|phase/)));
    writeFiles(run, { "lines.jsonl": jsonLines(others) });
    await handlers.showRun(run, "rss");
    const hover = (await hovered("model.py", 2)) ?? "";
    expect(hover).toContain("| Memory | &emsp;RSS | &emsp;Board in use |");
    expect(hover).toContain("| Hits | 1 |  |");
    expect(hover).not.toContain("CUDA");
    expect(hover).not.toContain("NvMap");
  });

  it("is the short table where there is RSS alone", async () => {
    writeFiles(run, { "lines.jsonl": jsonLines(LINES) });
    await handlers.showRun(run, "rss");
    expect(await handlers.hover(uri("model.py"), 3)).toContain("| Memory (RSS) | this line |");
  });
});

it("phases are told with the lines that began them", async () => {
  expect(await handlers.phases(run)).toMatchObject([
    { phase: "import-torch", outside: 280 * MIB, at: { path: "train.py", line: 4 } },
    { phase: "to-device", at: { path: "model.py", line: 2 } },
  ]);
});

it("what a line loaded is told with it, and the file's name shows as it is", async () => {
  const load = {
    record: "load",
    t: 100,
    for_ms: 900,
    pid: 10,
    file: 0,
    line: 4,
    path: "/data/<b>a|b\n.pt",
    size: 500 * MIB,
    position: 0,
    before: { rss: 100 * MIB },
    most: { rss: 1100 * MIB },
  };
  writeFiles(run, { "lines.jsonl": jsonLines([...TORCH_LINES, load, { ...load, pid: "x" }]) });
  await handlers.showRun(run, "rss");
  const hover = (await hovered("train.py", 4))?.replaceAll("\\", "");
  expect(hover).toContain(
    "Loaded here: <b>a|b?.pt (500.0 MiB); the process grew by up to 1000.0 MiB; +64.0 MiB stayed",
  );
  expect(await hovered("train.py", 10)).not.toContain("Loaded here");
});
