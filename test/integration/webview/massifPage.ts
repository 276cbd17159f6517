/** The massif page in a plain Chromium, with a stand-in for the editor that has the trees at hand. */
import type { Browser } from "playwright-core";
import { massifHtml } from "../../../src/editor/massif/massifHtml.ts";
import type {
  MassifDocument,
  ToMassifEditor,
  ToMassifPage,
  TreeRef,
  WireTree,
} from "../../../src/protocol/massif/massif.ts";
import { type Bundle, type OpenOptions, type OpenPage, openPage } from "./page.ts";

export interface Scene {
  readonly document: MassifDocument;
  /** Rejects with what the page should say. */
  tree(ref: TreeRef): Promise<WireTree>;
}

export interface MassifPage extends OpenPage {
  /** Resolves when what was asked for last is painted. */
  painted(): Promise<void>;
}

/** The page answers nothing before it is sent a document. */
export async function openMassifPage(
  browser: Browser,
  bundle: Bundle,
  scene: Scene,
  { source = "", ...options }: OpenOptions & { readonly source?: string } = {},
): Promise<MassifPage> {
  const opened = await openPage(browser, bundle, (parts) => massifHtml({ ...parts, source }), options);
  await opened.page.exposeFunction("answer", async (message: ToMassifEditor): Promise<ToMassifPage | undefined> => {
    if (message.kind !== "tree") return undefined;
    const { request } = message;
    return scene.tree(message.ref).then(
      (tree) => ({ kind: "tree", request, tree }),
      (error: Error) => ({ kind: "tree-failed", request, message: error.message }),
    );
  });
  await opened.page.evaluate(`window.editor = async (message) => {
    const answer = await window.answer(message);
    if (answer) window.postMessage(answer, "*");
  }`);
  return { ...opened, painted: () => opened.page.locator('#graph[aria-busy="false"]').waitFor() };
}
