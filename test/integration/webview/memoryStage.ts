/** What tests of the memory page share: the page opened for a run or a live board, and what it says. */
import { expect } from "vitest";
import { boardLines, type Load, type TestBoard, training } from "../../../src/board/testing.ts";
import { memoryHtml } from "../../../src/editor/board/memory/memoryHtml.ts";
import { type OpenOptions, type OpenPage, openPage } from "./page.ts";
import { sharedStage } from "./stage.ts";

export const FOLDER = "/p/.jetson-memprof/runs/r1";
export const RUN = { kind: "start", title: "train.py", board: "Jetson Nano · JetPack 4.6.1", source: "run" };
export const WATCH = { kind: "start", title: "nano@192.168.1.20", source: "watch" };

export const PEAK = "at 30.0 s, peak, when this run held the most";

export const MIB = 1024 * 1024;
export const PHASE_COSTS = [
  {
    phase: "cuda",
    t: 2_100,
    at: { path: "train.py", line: 33 },
    rss: MIB,
    inUse: 300 * MIB,
    allocated: 0,
    reserved: 20 * MIB,
    outside: 280 * MIB,
  },
  { phase: "steady", t: 9_000 },
];

export const stage = sharedStage("memory");

export async function open({
  folder = FOLDER,
  ...options
}: OpenOptions & { readonly folder?: string } = {}): Promise<OpenPage> {
  return stage.open((browser, bundle) =>
    openPage(browser, bundle, (parts) => memoryHtml({ ...parts, folder }), options),
  );
}

/** A page with records, as they stand when the first of them is shown. */
export async function openWith(
  start: object,
  lines: readonly string[],
  options?: Parameters<typeof open>[0],
): Promise<OpenPage> {
  const view = await open(options);
  await view.send(start);
  await view.send({ kind: "records", lines });
  await view.page.locator("#legend-rows tr").first().waitFor();
  await drawn(view);
  return view;
}

/** Until what was sent is drawn: the page takes two frames for it, after the one that was under way. */
export async function drawn(view: OpenPage): Promise<void> {
  await view.page.evaluate(`(async () => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
  })()`);
}

/** A run of 40 s that is over: baseline, imports, CUDA from 10 s on, its peak at 30 s. */
export async function openRun(board: TestBoard = "nano", options?: Parameters<typeof open>[0]): Promise<OpenPage> {
  const view = await openWith(RUN, boardLines(board, training(40), { simulated: "Jetson Nano" }), options);
  await view.send({ kind: "ended" });
  await drawn(view);
  expect(await text(view, "#state")).toContain("ended");
  return view;
}

export const watchLoad = (second: number): Load => ({ t: second * 1000, pageCache: 200 + second, gpuLoad: 0.5 });
export const watchLines = (from: number, to: number): string[] =>
  boardLines(
    "orin",
    Array.from({ length: to - from }, (_, i) => watchLoad(from + i)),
  );

export const text = (view: OpenPage, selector: string): Promise<string | null> =>
  view.page.locator(selector).textContent();
export const moment = (view: OpenPage): Promise<string | null> => text(view, "#ledger-moment");
export const press = (view: OpenPage, ...keys: readonly string[]): Promise<void> =>
  keys.reduce((before, key) => before.then(() => view.page.locator("#plot").press(key)), Promise.resolve());
/** The texts of a row of the ledger. */
export const rowOf = (view: OpenPage, id: string): Promise<string[]> =>
  view.page.locator(`[data-row="${id}"] > tr`).first().locator("th, td").allTextContents();
