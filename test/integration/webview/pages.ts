/** Each page with its scene, as tests of all pages open it. */
import type { Browser } from "playwright-core";
import { boardLines, training } from "../../../src/board/testing.ts";
import { doctorHtml } from "../../../src/editor/board/doctor/doctorHtml.ts";
import { endingHtml } from "../../../src/editor/board/ending/endingHtml.ts";
import { memoryHtml } from "../../../src/editor/board/memory/memoryHtml.ts";
import { compareHtml } from "../../../src/editor/compare/compareHtml.ts";
import { sweepHtml } from "../../../src/editor/sweep/sweepHtml.ts";
import { modelHtml } from "../../../src/editor/torch/model/modelHtml.ts";
import { REPEATED } from "../../../webview/compare/testing.ts";
import { DOCUMENT as MODEL } from "../../../webview/model/testing.ts";
import { SWEEP, WORDS } from "../../../webview/sweep/testing.ts";
import { MESSAGE as BOARD } from "./doctorScene.ts";
import { ENDING, FOLDER } from "./endingScene.ts";
import { openMassifPage } from "./massifPage.ts";
import { SCENE as MASSIF, TWO_RUNS } from "./massifScene.ts";
import { type Bundle, type bundlePage, type OpenPage, openPage, openTimelinePage, openTracePage } from "./page.ts";
import { openSnapshotPage } from "./snapshotPage.ts";
import { SCENE as SNAPSHOT } from "./snapshotScene.ts";
import { timeline } from "./timelineScene.ts";
import { trace } from "./traceScene.ts";

type Opener = (browser: Browser, bundle: Bundle) => Promise<OpenPage>;

/** A page that is sent its scene. */
const sent =
  (html: Parameters<typeof openPage>[2], messages: readonly unknown[], shown = "#content"): Opener =>
  async (browser, bundle) => {
    const view = await openPage(browser, bundle, html);
    for (const message of messages) await view.send(message);
    await view.page.locator(shown).first().waitFor();
    return view;
  };

const run = { kind: "start", title: "train.py", board: "Jetson Nano · JetPack 4.6.1", source: "run" };
const records = { kind: "records", lines: boardLines("nano", training(40), { simulated: "Jetson Nano" }) };
const ended = { kind: "ended" };

export const PAGES: readonly (readonly [name: string, bundle: Parameters<typeof bundlePage>[0], open: Opener])[] = [
  [
    "timeline",
    "timeline",
    async (browser, bundle) => {
      const view = await openTimelinePage(browser, bundle);
      await view.send(timeline);
      await view.page.locator("#chart .axis").first().waitFor();
      return view;
    },
  ],
  [
    "trace",
    "timeline",
    async (browser, bundle) => {
      const view = await openTracePage(browser, bundle);
      await view.send(trace);
      await view.page.locator("#chart .axis").first().waitFor();
      return view;
    },
  ],
  [
    "memory",
    "memory",
    sent((parts) => memoryHtml({ ...parts, folder: FOLDER }), [run, records, ended], "#legend-rows tr"),
  ],
  ["ending", "ending", sent((parts) => endingHtml({ ...parts, folder: FOLDER }), [{ kind: "ending", ending: ENDING }])],
  ["doctor", "doctor", sent(doctorHtml, [BOARD], ".line")],
  [
    "compare",
    "compare",
    sent(
      (parts) => compareHtml({ ...parts, folders: { before: [FOLDER], after: [`${FOLDER}b`] } }),
      [{ kind: "comparison", document: REPEATED }],
    ),
  ],
  ["model", "model", sent((parts) => modelHtml({ ...parts, folder: FOLDER }), [{ kind: "model", document: MODEL }])],
  ["sweep", "sweep", sent((parts) => sweepHtml({ ...parts, sweep: SWEEP.id }), [{ kind: "sweep", sweep: SWEEP }])],
  [
    "sweep-words",
    "sweep",
    sent((parts) => sweepHtml({ ...parts, sweep: WORDS.id }), [{ kind: "sweep", sweep: WORDS }]),
  ],
  ...(
    [
      ["massif", MASSIF],
      ["massif-growth", TWO_RUNS],
    ] as const
  ).map(
    ([name, scene]) =>
      [
        name,
        "massif",
        async (browser: Browser, bundle: Bundle) => {
          const view = await openMassifPage(browser, bundle, scene, { reducedMotion: true });
          await view.send({ kind: "document", document: scene.document });
          await view.painted();
          return view;
        },
      ] as const,
  ),
  [
    "snapshot",
    "snapshot",
    async (browser, bundle) => {
      const view = await openSnapshotPage(browser, bundle, SNAPSHOT, { reducedMotion: true });
      await view.send({ kind: "document", document: SNAPSHOT.document });
      await view.painted();
      return view;
    },
  ],
];
