/** The pages: what tests of all of them open. A new page is added here, and all of these tests are of it too. */
import type { Browser } from "playwright-core";
import { boardLines, TRAINING_GPU, training } from "../../../src/board/testing.ts";
import { doctorHtml } from "../../../src/editor/board/doctor/doctorHtml.ts";
import { endingHtml } from "../../../src/editor/board/ending/endingHtml.ts";
import { memoryHtml } from "../../../src/editor/board/memory/memoryHtml.ts";
import { compareHtml } from "../../../src/editor/compare/compareHtml.ts";
import { massifHtml } from "../../../src/editor/massif/massifHtml.ts";
import { sweepHtml } from "../../../src/editor/sweep/sweepHtml.ts";
import { timelineHtml, traceHtml } from "../../../src/editor/timeline/timelineHtml.ts";
import { modelHtml } from "../../../src/editor/torch/model/modelHtml.ts";
import { snapshotHtml } from "../../../src/editor/torch/snapshot/snapshotHtml.ts";
import { REPEATED } from "../../../webview/compare/testing.ts";
import { DOCUMENT as MODEL } from "../../../webview/model/testing.ts";
import { SWEEP, WORDS } from "../../../webview/sweep/testing.ts";
import { MESSAGE as BOARD } from "./doctorScene.ts";
import { ENDING, FOLDER } from "./endingScene.ts";
import { type Scene as MassifScene, openMassifPage } from "./massifPage.ts";
import { SCENE as MASSIF, TWO_RUNS } from "./massifScene.ts";
import { type Bundle, type OpenPage, openPage, type PageParts } from "./page.ts";
import { openSnapshotPage } from "./snapshotPage.ts";
import { MADE, NAMED_SCENE as SNAPSHOT, sceneOf } from "./snapshotScene.ts";
import { timeline } from "./timelineScene.ts";
import { trace } from "./traceScene.ts";

type Html = (parts: PageParts) => string;
type Opener = (browser: Browser, bundle: Bundle) => Promise<OpenPage>;

export interface TestedPage {
  readonly name: string;
  /** The folder of `webview/`. */
  readonly bundle: string;
  /** How docs/keyboard.md calls it. */
  readonly title: string;
  /** Before it is sent anything. */
  readonly html: Html;
  /** What can be pressed while it reads, and once it is said that there is nothing to show. */
  readonly controls?: { readonly reading?: readonly string[]; readonly failed: readonly string[] };
  /** The page with something on it, by the scene's name; the first is the usual one. */
  readonly scenes: Readonly<Record<string, Opener>>;
}

/** A page that is sent its scene. */
const sent =
  (html: Html, messages: readonly unknown[], shown = "#content"): Opener =>
  async (browser, bundle) => {
    const view = await openPage(browser, bundle, html);
    for (const message of messages) await view.send(message);
    await view.page.locator(shown).first().waitFor();
    return view;
  };

const massif =
  (scene: MassifScene): Opener =>
  async (browser, bundle) => {
    const view = await openMassifPage(browser, bundle, scene, { reducedMotion: true });
    await view.send({ kind: "document", document: scene.document });
    await view.painted();
    return view;
  };

const snapshot: Opener = async (browser, bundle) => {
  const view = await openSnapshotPage(browser, bundle, SNAPSHOT, { reducedMotion: true });
  await view.send({ kind: "document", document: SNAPSHOT.document });
  await view.painted();
  return view;
};

/** Beside the same with one allocation less. */
const compared: Opener = async (browser, bundle) => {
  const other = sceneOf({ made: MADE.slice(1), events: 12, timed: true, document: { title: "before.pickle" } });
  const view = await openSnapshotPage(browser, bundle, SNAPSHOT, { reducedMotion: true, other });
  await view.send({ kind: "document", document: SNAPSHOT.document });
  await view.painted();
  await view.send({ kind: "other", document: other.document });
  await view.page.locator("#compared-rows tr").first().waitFor();
  await view.page.locator("#marks path.other").first().waitFor();
  return view;
};

const run = { kind: "start", title: "train.py", board: "Jetson Nano · JetPack 4.6.1", source: "run" };
const records = { kind: "records", lines: boardLines("nano", training(40), { simulated: "Jetson Nano" }) };
const ended = { kind: "ended", gpu: TRAINING_GPU };
const AXIS = "#chart .axis";

const HTML = {
  timeline: (parts) => timelineHtml({ ...parts, folder: FOLDER }),
  trace: (parts) => traceHtml({ ...parts, folder: "/p/step.pt.trace.json" }),
  memory: (parts) => memoryHtml({ ...parts, folder: FOLDER }),
  ending: (parts) => endingHtml({ ...parts, folder: FOLDER }),
  compare: (parts) => compareHtml({ ...parts, folders: { before: [FOLDER], after: [`${FOLDER}b`] } }),
  model: (parts) => modelHtml({ ...parts, folder: FOLDER }),
  sweep: (parts) => sweepHtml({ ...parts, sweep: SWEEP.id }),
} as const satisfies Readonly<Record<string, Html>>;

/** In the order of docs/keyboard.md. */
export const PAGES: readonly TestedPage[] = [
  {
    name: "massif",
    bundle: "massif",
    title: "Flame view",
    html: (parts) => massifHtml({ ...parts, source: FOLDER }),
    scenes: { massif: massif(MASSIF), "massif-growth": massif(TWO_RUNS) },
  },
  {
    name: "memory",
    bundle: "memory",
    title: "Board memory",
    html: HTML.memory,
    scenes: { memory: sent(HTML.memory, [run, records, ended], "#legend-rows tr") },
  },
  {
    name: "ending",
    bundle: "ending",
    title: "Why it ended",
    html: HTML.ending,
    scenes: { ending: sent(HTML.ending, [{ kind: "ending", ending: ENDING }]) },
  },
  {
    name: "compare",
    bundle: "compare",
    title: "Compare runs",
    html: HTML.compare,
    scenes: { compare: sent(HTML.compare, [{ kind: "comparison", document: REPEATED }]) },
  },
  {
    name: "sweep",
    bundle: "sweep",
    title: "Sweep",
    html: HTML.sweep,
    scenes: {
      sweep: sent(HTML.sweep, [{ kind: "sweep", sweep: SWEEP }]),
      "sweep-words": sent((parts) => sweepHtml({ ...parts, sweep: WORDS.id }), [{ kind: "sweep", sweep: WORDS }]),
    },
  },
  {
    name: "model",
    bundle: "model",
    title: "Model account",
    html: HTML.model,
    scenes: { model: sent(HTML.model, [{ kind: "model", document: MODEL }]) },
  },
  {
    name: "snapshot",
    bundle: "snapshot",
    title: "Allocator snapshot",
    html: (parts) => snapshotHtml({ ...parts, source: "/p/snapshot.pickle" }),
    controls: { failed: ["Try Again"] },
    scenes: { snapshot, "snapshot-compared": compared },
  },
  {
    name: "doctor",
    bundle: "doctor",
    title: "Check Board",
    html: doctorHtml,
    controls: { reading: ["Check Again"], failed: ["Check Again"] },
    scenes: { doctor: sent(doctorHtml, [BOARD], ".line") },
  },
  {
    name: "timeline",
    bundle: "timeline",
    title: "Memory timeline",
    html: HTML.timeline,
    scenes: { timeline: sent(HTML.timeline, [timeline], AXIS) },
  },
  {
    name: "trace",
    bundle: "timeline",
    title: "PyTorch profiler trace",
    html: HTML.trace,
    scenes: { trace: sent(HTML.trace, [trace], AXIS) },
  },
];

/** Each page with each of its scenes. */
export const SCENES: readonly (readonly [name: string, bundle: string, open: Opener])[] = PAGES.flatMap(
  ({ bundle, scenes }) => Object.entries(scenes).map(([name, open]) => [name, bundle, open] as const),
);

export function pageCalled(name: string): TestedPage {
  const found = PAGES.find((page) => page.name === name);
  if (found === undefined) throw new Error(`There is no page ${name}.`);
  return found;
}

/** A page with its usual scene. */
export function openerOf({ name, scenes }: TestedPage): Opener {
  const [open] = Object.values(scenes);
  if (open === undefined) throw new Error(`The page ${name} has no scene.`);
  return open;
}
