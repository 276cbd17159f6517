/** The memory page in a tab: fed by a run's folder or by a board that is watched. */
import type * as vscode from "vscode";
import { type MemoryPageToEditor, readMemoryPageToEditor, type ToMemoryPage } from "../../../protocol/board/memory.ts";
import { t } from "../../../words/t.ts";
import { type OpenBesideParts, openBeside } from "../../page/openBeside.ts";
import { copyText, hostPage, type PageHostParts } from "../../page/pageHost.ts";
import type { Listening, MemoryFeed } from "./memoryFeed.ts";
import { memoryHtml } from "./memoryHtml.ts";

export type MemoryPanelParts = OpenBesideParts & PageHostParts;

/** @param folder the run folder, for going to lines and for bringing the page back; undefined for a watch */
export function fillMemoryPanel(
  parts: MemoryPanelParts,
  panel: vscode.WebviewPanel,
  feed: MemoryFeed,
  folder: string | undefined,
): void {
  let listening: Listening | undefined;

  const stop = (): void => {
    listening?.dispose();
    listening = undefined;
  };
  const send = (message: ToMemoryPage): void => {
    if (message.kind === "start") page.setTitle(t("Memory: {0}", message.title));
    void page.post(message);
  };
  const page = hostPage<ToMemoryPage, MemoryPageToEditor>(parts, panel, {
    name: "memory",
    doing: t("Showing the board's memory"),
    html: (bundle) => memoryHtml({ ...bundle, folder: folder ?? "" }),
    read: readMemoryPageToEditor,
    async received(message): Promise<void> {
      switch (message.kind) {
        case "ready":
          stop();
          listening = feed.listen(send);
          return;
        case "goTo":
          if (folder === undefined) return;
          return openBeside(parts, panel, { folder, ...message.place });
        case "copy":
          return copyText(message.text);
      }
    },
    left: stop,
  });
}
