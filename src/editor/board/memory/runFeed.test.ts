import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gpuRecord } from "../../../profile/gpu/testing.ts";
import type { PhaseCost } from "../../../profile/torch/phases.ts";
import { readToMemoryPage, type ToMemoryPage } from "../../../protocol/board/memory.ts";
import type { Listening } from "./memoryFeed.ts";
import { createRunFeed, type RunConnection } from "./runFeed.ts";

let folder: string;
let listening: Listening | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jmp-feed-"));
});
afterEach(() => {
  listening?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function run(changes: Record<string, unknown> = {}): void {
  const record = {
    schema: 1,
    id: "r1",
    state: "running",
    engine: { name: "line" },
    command: { python: "python3", script: "train.py", args: [] },
    board: { model: "Nano", simulated: "Jetson Nano" },
    ...changes,
  };
  // As the helper does it: whole or not at all.
  writeFileSync(join(folder, "run.json.part"), JSON.stringify(record));
  renameSync(join(folder, "run.json.part"), join(folder, "run.json"));
}
const moments = (text: string): void => appendFileSync(join(folder, "moments.jsonl"), text);

let phases: readonly PhaseCost[] = [];

/** Listens; gives each message to who waits for the next. */
function listen(connectionTo = (): RunConnection => "open") {
  const said: ToMemoryPage[] = [];
  const waiting: ((message: ToMemoryPage) => void)[] = [];
  const feed = createRunFeed(
    folder,
    {
      connectionTo,
      describe: ({ model }) => model,
      massifPeak: async () => ({ bytes: 7, pages: false }),
      phases: async () => phases,
    },
    5,
  );
  listening = feed.listen((message) => {
    const next = waiting.shift();
    if (next === undefined) said.push(message);
    else next(message);
  });
  return async (): Promise<ToMemoryPage> => said.shift() ?? new Promise((resolve) => waiting.push(resolve));
}

describe("the feed of a run", () => {
  it("gives with the end who asked for how much of the GPU, where the run has it", async () => {
    run({ state: "finished", engine: { name: "line", heap: { mean: 524_288, state: "sampled" } } });
    moments("a\n");
    writeFileSync(join(folder, "gpu.7.json"), JSON.stringify(gpuRecord(7)));
    const next = listen();
    let said = await next();
    while (said.kind !== "ended") said = await next();
    expect(said.gpu).toMatchObject([
      { pid: 7, parts: [{ name: "PyTorch", pytorch: true, pinned: false }, {}, {}, {}, {}, {}] },
    ]);
    expect(readToMemoryPage(said)).toEqual(said);
  });

  it("gives what the phases took, and again only where more of it is known", async () => {
    const cost = { phase: "cuda", t: 5 } as const;
    phases = [cost];
    run();
    moments("a\n");
    const next = listen();
    expect((await next()).kind).toBe("start");
    expect((await next()).kind).toBe("records");
    expect(await next()).toEqual({ kind: "phases", costs: [cost] });
    phases = [{ ...cost, outside: 9 }];
    expect(await next()).toEqual({ kind: "phases", costs: phases });
    phases = [];
    run({ state: "finished" });
    expect(await next()).toEqual({ kind: "phases", costs: [] });
    expect((await next()).kind).toBe("ended");
  });

  it("gives what is recorded and ends where the run has ended", async () => {
    run({ state: "finished" });
    moments("a\nb\ncut of");
    const next = listen();
    expect(await next()).toMatchObject({ kind: "start", source: "run", board: "Nano", simulated: "Jetson Nano" });
    expect(await next()).toEqual({ kind: "records", lines: ["a", "b"] });
    expect(await next()).toEqual({ kind: "ended" });
  });

  it("tells the peak of the main process at the end, which may lie between two records", async () => {
    run({ state: "finished" });
    moments("a\n");
    writeFileSync(join(folder, "samples.jsonl"), '{"t":5,"rss":7,"rss_peak":9}\n');
    const next = listen();
    await next();
    await next();
    expect(await next()).toEqual({ kind: "ended", rssPeak: 9 });
  });

  it("follows a run that goes on, from before its first record to its end", async () => {
    run();
    const next = listen();
    expect(await next()).toMatchObject({ kind: "waiting" });
    moments("a\n");
    expect(await next()).toMatchObject({ kind: "start" });
    expect(await next()).toEqual({ kind: "records", lines: ["a"] });
    moments("b\n");
    expect(await next()).toEqual({ kind: "records", lines: ["b"] });
    moments("c\n");
    run({ state: "finished" });
    expect(await next()).toEqual({ kind: "records", lines: ["c"] });
    expect(await next()).toEqual({ kind: "ended" });
  });

  it("says once that a run goes on to which the window is not connected, until records come again", async () => {
    run();
    moments("a\n");
    const next = listen(() => "none");
    expect(await next()).toMatchObject({ kind: "start" });
    expect(await next()).toEqual({ kind: "records", lines: ["a"] });
    expect(await next()).toMatchObject({ kind: "waiting", message: expect.stringContaining("Reattach to Run") });
    moments("b\n");
    expect(await next()).toEqual({ kind: "records", lines: ["b"] });
    expect(await next()).toMatchObject({ kind: "waiting" });
  });

  it("says that the connection is lost and is tried again", async () => {
    run();
    moments("a\n");
    const next = listen(() => "lost");
    expect(await next()).toMatchObject({ kind: "start" });
    expect(await next()).toEqual({ kind: "records", lines: ["a"] });
    expect(await next()).toMatchObject({
      kind: "waiting",
      message: expect.stringContaining("Connection lost, the run continues on the board."),
    });
  });

  it("shows a run under massif at once, and again with massif's peak", async () => {
    run({ state: "finished", engine: { name: "massif" } });
    moments("a\n");
    const next = listen();
    expect(await next()).not.toHaveProperty("massif");
    expect(await next()).toEqual({ kind: "records", lines: ["a"] });
    expect(await next()).toMatchObject({ kind: "start", massif: { bytes: 7, pages: false } });
    expect(await next()).toEqual({ kind: "records", lines: ["a"] });
    expect(await next()).toEqual({ kind: "ended" });
  });

  it("says that an old run has no such record", async () => {
    run({ state: "finished" });
    expect(await listen()()).toMatchObject({ kind: "unavailable", message: expect.stringContaining("no record") });
  });

  it("says that a run was deleted", async () => {
    run({ state: "finished" });
    rmSync(folder, { recursive: true });
    expect(await listen()()).toEqual({ kind: "unavailable", message: expect.stringContaining("was deleted") });
  });

  it("says what is wrong with a damaged run", async () => {
    writeFileSync(join(folder, "run.json"), JSON.stringify({ schema: 99 }));
    expect(await listen()()).toMatchObject({ kind: "unavailable", message: expect.stringContaining("format 99") });
  });
});
