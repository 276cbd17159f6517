/** What the snapshot page keeps: the device, the moment, the part that is seen, and how it is shown. */
import {
  readSnapshotPageState,
  type SnapshotPageState,
  type ToSnapshotEditor,
} from "../../src/protocol/torch/snapshot.ts";
import { createPageStore, type PageStore } from "../pageStore.ts";

export interface VsCode {
  postMessage(message: ToSnapshotEditor): void;
  getState(): unknown;
  setState(state: SnapshotPageState): void;
}

export type SnapshotStore = PageStore<SnapshotPageState>;

/** @param source the file; what was kept of another one is not taken over */
export function openSnapshotStore(vscode: VsCode, source: string): SnapshotStore {
  const saved = readSnapshotPageState(vscode.getState());
  return createPageStore<SnapshotPageState>(
    vscode,
    saved?.source === source ? saved : { source, axis: "events", search: "", frames: "python" },
  );
}
