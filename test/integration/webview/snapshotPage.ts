/** The snapshot page in a plain Chromium, with a stand-in for the editor that answers its questions. */
import type { Browser } from "playwright-core";
import { snapshotHtml } from "../../../src/editor/torch/snapshot/snapshotHtml.ts";
import type { ToSnapshotEditor, ToSnapshotPage } from "../../../src/protocol/torch/snapshot.ts";
import { type Bundle, type OpenOptions, type OpenPage, openPage } from "./page.ts";
import type { Scene } from "./snapshotScene.ts";

export interface SnapshotPage extends OpenPage {
  /** Resolves when what was asked for last is painted. */
  painted(): Promise<void>;
}

/** @param options `inside`: the paths that the workspace has; `byName`: one of them, of which it has the name only; `other`: what it can be compared with */
export async function openSnapshotPage(
  browser: Browser,
  bundle: Bundle,
  scene: Scene,
  {
    source = "",
    inside = [],
    byName,
    other,
    ...options
  }: OpenOptions & {
    readonly source?: string;
    readonly inside?: readonly string[];
    readonly byName?: string;
    readonly other?: Scene;
  } = {},
): Promise<SnapshotPage> {
  const opened = await openPage(browser, bundle, (parts) => snapshotHtml({ ...parts, source }), options);
  const answer = async (message: ToSnapshotEditor): Promise<ToSnapshotPage | undefined> => {
    if (message.kind === "find")
      return {
        kind: "found",
        paths: message.paths.filter((path) => inside.includes(path)).map((path) => ({ path, byName: path === byName })),
      };
    if (message.kind !== "query") return undefined;
    const { request, query, of } = message;
    try {
      const asked = of === "shown" ? scene : other;
      if (asked === undefined) throw new Error("There is no other snapshot.");
      return { kind: "answer", request, answer: await asked.answer(query) };
    } catch (error) {
      return { kind: "failed", request, message: (error as Error).message };
    }
  };
  await opened.page.exposeFunction("answer", answer);
  await opened.page.evaluate(`window.editor = async (message) => {
    const answer = await window.answer(message);
    if (answer) window.postMessage(answer, "*");
  }`);
  return {
    ...opened,
    async painted() {
      // Without events there is no chart.
      await opened.page.locator('body.state-only, #plot[aria-busy="false"]').waitFor();
      await opened.page.locator('#map[aria-busy="false"]').waitFor();
      await opened.page.locator('#graph[aria-busy="false"]').waitFor();
    },
  };
}
