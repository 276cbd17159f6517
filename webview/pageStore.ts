/** What a page keeps while it is hidden, and VS Code over a restart. */
import { defined } from "../src/profile/defined.ts";

/** Parts of a state: what may be absent from it is forgotten by `undefined`. */
type Parts<State> = {
  readonly [Key in keyof State]?: Partial<Pick<State, Key>> extends Pick<State, Key>
    ? State[Key] | undefined
    : State[Key];
};

export interface PageStore<State> {
  readonly state: State;
  keep(parts: Parts<State>): void;
}

export function createPageStore<State extends object>(
  vscode: { setState(state: State): void },
  first: State,
): PageStore<State> {
  let state = first;
  vscode.setState(state);
  return {
    get state() {
      return state;
    },
    keep(parts) {
      state = defined({ ...state, ...parts }) as State;
      vscode.setState(state);
    },
  };
}
