/** Every page shows what a board, a script or a file calls things as text: nothing of it runs, loads or links. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { boardLines, training } from "../../../src/board/testing.ts";
import { memoryHtml } from "../../../src/editor/board/memory/memoryHtml.ts";
import { compareHtml } from "../../../src/editor/compare/compareHtml.ts";
import { sweepHtml } from "../../../src/editor/sweep/sweepHtml.ts";
import { timelineHtml, traceHtml } from "../../../src/editor/timeline/timelineHtml.ts";
import { modelHtml } from "../../../src/editor/torch/model/modelHtml.ts";
import { readToMemoryPage } from "../../../src/protocol/board/memory.ts";
import { readToComparePage } from "../../../src/protocol/compare.ts";
import { readToMassifPage } from "../../../src/protocol/massif/massif.ts";
import { readToSweepPage } from "../../../src/protocol/sweep.ts";
import { readToPage } from "../../../src/protocol/timeline.ts";
import { readToModelPage } from "../../../src/protocol/torch/model.ts";
import { readToSnapshotPage } from "../../../src/protocol/torch/snapshot.ts";
import { DOCUMENT as COMPARED } from "../../../webview/compare/testing.ts";
import { DOCUMENT as MODEL } from "../../../webview/model/testing.ts";
import { SWEEP } from "../../../webview/sweep/testing.ts";
import { openMassifPage } from "../../integration/webview/massifPage.ts";
import { SCENE as HEAP } from "../../integration/webview/massifScene.ts";
import { type Bundle, bundlePage, type OpenPage, openPage } from "../../integration/webview/page.ts";
import { openSnapshotPage } from "../../integration/webview/snapshotPage.ts";
import { SCENE as SNAPSHOT } from "../../integration/webview/snapshotScene.ts";
import { hasChromium, launchChromium } from "../../workbench/support/workbench.ts";
import { record } from "../support/results.ts";
import { PLANTED, plantedLines, plantedMessage } from "./planted.ts";

interface Tried {
  readonly page: Parameters<typeof bundlePage>[0];
  readonly read: (message: unknown) => unknown;
  readonly message: object;
  readonly open: (browser: Browser, bundle: Bundle, message: object) => Promise<OpenPage>;
  /** Is there when the message is shown. */
  readonly shown: string;
}

const sent =
  (html: Parameters<typeof openPage>[2]): Tried["open"] =>
  async (browser, bundle, message) => {
    const view = await openPage(browser, bundle, html);
    await view.send(message);
    return view;
  };

/** Reads what is planted; columns of figures, which travel as base64, must be as they were. */
function readWithFigures<Message extends object>(read: (message: unknown) => Message | undefined, whole: object) {
  const figures = (message: object): string =>
    (JSON.stringify(message).match(/"[A-Za-z0-9+/]{8,}={0,2}"/g) ?? []).filter((text) => text.length % 4 === 2).join();
  const expected = figures(whole);
  return (message: unknown): Message | undefined =>
    figures(message as object) === expected ? read(message) : undefined;
}

const MIB = 2 ** 20;
const at = { path: "train.py", line: 7 };
const TRIED: readonly Tried[] = [
  {
    page: "timeline",
    read: readToPage,
    message: {
      kind: "timeline",
      title: "train.py",
      finished: true,
      memTotal: 4_000 * MIB,
      measure: "x",
      samples: [0, 1, 2].map((t) => ({ t: 200 * t, rss: 10 * t * MIB, at })),
    },
    open: sent((parts) => timelineHtml({ ...parts, folder: `/r/${PLANTED}` })),
    shown: "#chart .axis",
  },
  {
    page: "timeline",
    read: readToPage,
    message: { kind: "unavailable", message: "gone" },
    open: sent((parts) => traceHtml({ ...parts, folder: `/r/${PLANTED}` })),
    shown: "#status",
  },
  {
    page: "compare",
    read: readToComparePage,
    message: { kind: "comparison", document: COMPARED },
    open: sent((parts) => compareHtml({ ...parts, folders: { before: [PLANTED], after: [PLANTED] } })),
    shown: "#content",
  },
  {
    page: "model",
    read: readToModelPage,
    message: { kind: "model", document: MODEL },
    open: sent((parts) => modelHtml({ ...parts, folder: PLANTED })),
    shown: "#content",
  },
  {
    page: "sweep",
    read: readToSweepPage,
    message: { kind: "sweep", sweep: SWEEP, making: "1 left" },
    open: sent((parts) => sweepHtml({ ...parts, sweep: PLANTED })),
    shown: "#content",
  },
  {
    page: "memory",
    read: readToMemoryPage,
    message: { kind: "start", title: "train.py", board: "Jetson Nano", source: "run", simulated: "Jetson Nano" },
    async open(browser, bundle, message) {
      const view = await openPage(browser, bundle, (parts) => memoryHtml({ ...parts, folder: PLANTED }));
      await view.send(message);
      const records = plantedLines(boardLines("nano", training(3)).join("\n"), "train.py").split("\n");
      await view.send({ kind: "records", lines: records });
      return view;
    },
    shown: "#content",
  },
  {
    page: "massif",
    read: readToMassifPage,
    message: { kind: "document", document: HEAP.document },
    async open(browser, bundle, message) {
      const tree: typeof HEAP.tree = async (ref) => {
        const whole = { kind: "tree", request: 1, tree: await HEAP.tree(ref) };
        return plantedMessage(whole, readWithFigures(readToMassifPage, whole)).tree;
      };
      const view = await openMassifPage(browser, bundle, { ...HEAP, tree }, { source: PLANTED });
      await view.send(message);
      await view.painted();
      return view;
    },
    shown: "#graph",
  },
  {
    page: "snapshot",
    read: readToSnapshotPage,
    message: { kind: "document", document: SNAPSHOT.document },
    async open(browser, bundle, message) {
      // Names of functions: the other texts of an answer are columns of figures and addresses.
      const answer: typeof SNAPSHOT.answer = async (query) =>
        JSON.parse(
          JSON.stringify(await SNAPSHOT.answer(query)).replaceAll('"forward"', JSON.stringify(`forward${PLANTED}`)),
        );
      const view = await openSnapshotPage(browser, bundle, { ...SNAPSHOT, answer }, { source: PLANTED });
      await view.send(message);
      await view.painted();
      return view;
    },
    shown: "#graph",
  },
];

interface Found {
  readonly hit: unknown;
  readonly elements: readonly string[];
  readonly links: readonly string[];
  readonly text: string;
}
const LOOK = `({
  hit: window.hit,
  elements: [...document.querySelectorAll("img, iframe, object, embed, script:not([nonce]), [onerror], base, form")]
    .map((element) => element.outerHTML),
  links: [...document.querySelectorAll("[href]")].map((element) => element.getAttribute("href")),
  text: document.body.textContent,
})`;

describe.skipIf(!hasChromium())("text of a hostile board in a page", () => {
  let browser: Browser;
  let tried = 0;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    record({
      kind: "fault",
      group: "hostile",
      fault: "HTML, scripts and links in every text that a page is sent: none runs, loads or links",
      trials: tried,
      lostProfiles: undefined,
      duplicatedOutput: undefined,
      wrongLine: undefined,
    });
  });

  test.each(TRIED.map((one) => [`${one.page}, ${one.shown}`, one] as const))("%s", async (_, one) => {
    tried++;
    const message = plantedMessage(one.message, one.read);
    expect(one.read(message), "the page would pass over it").toBeDefined();
    const view = await one.open(browser, await bundlePage(one.page), message);
    try {
      await view.page.locator(one.shown).first().waitFor();
      await expect.poll(() => view.page.evaluate("document.body.textContent")).toContain("<img src=x");
      const found = (await view.page.evaluate(LOOK)) as Found;
      expect(found.hit).toBeUndefined();
      expect(found.elements).toEqual([]);
      for (const link of found.links) expect(link).toMatch(/^(#|https:\/\/page\.test\/)/);
      // Nothing was even asked for: the policy of the page had nothing to refuse.
      expect(view.faults).toEqual([]);
      expect(found.text).not.toMatch(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/u);
    } finally {
      await view.page.close();
    }
  });
});
