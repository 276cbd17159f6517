/** What the massif page keeps: what was chosen, found and zoomed to, and how it is shown. */
import { type MassifPageState, readMassifPageState, type ToMassifEditor } from "../../src/protocol/massif/massif.ts";
import { createPageStore, type PageStore } from "../pageStore.ts";

export interface VsCode {
  postMessage(message: ToMassifEditor): void;
  getState(): unknown;
  setState(state: MassifPageState): void;
}

export type MassifStore = PageStore<MassifPageState>;

/** @param source the file or run; what was kept of another one is not taken over */
export function openMassifStore(vscode: VsCode, source: string): MassifStore {
  const saved = readMassifPageState(vscode.getState());
  return createPageStore<MassifPageState>(
    vscode,
    saved?.source === source
      ? saved
      : {
          source,
          shape: "icicle",
          direction: "callers-first",
          fold: true,
          search: "",
          tab: "tree",
          zoom: [],
        },
  );
}
