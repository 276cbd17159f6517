/** What the page keeps while it is hidden. */
import {
  readSnapshotPageState,
  type SnapshotPageState,
  type ToSnapshotEditor,
} from "../../src/protocol/torch/snapshot.ts";

export interface VsCode {
  postMessage(message: ToSnapshotEditor): void;
  getState(): unknown;
  setState(state: SnapshotPageState): void;
}

export interface PageStore {
  readonly state: SnapshotPageState;
  keep(parts: Partial<SnapshotPageState>): void;
  forget(...names: readonly ("moment" | "range" | "allocation")[]): void;
}

/** @param source the file; what was kept of another one is not taken over */
export function createPageStore(vscode: VsCode, source: string): PageStore {
  const saved = readSnapshotPageState(vscode.getState());
  let state: SnapshotPageState =
    saved?.source === source ? saved : { source, axis: "events", search: "", frames: "python" };
  const set = (next: SnapshotPageState): void => {
    state = next;
    vscode.setState(next);
  };
  set(state);
  return {
    get state() {
      return state;
    },
    keep: (parts) => set({ ...state, ...parts }),
    forget(...names) {
      const rest = { ...state };
      for (const name of names) delete rest[name];
      set(rest);
    },
  };
}
