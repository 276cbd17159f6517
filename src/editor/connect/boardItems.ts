/** What the picker of several boards offers. Nothing of VS Code is needed to decide it. */
import { defined } from "../../profile/defined.ts";
import { type TargetSources, targetItems, targetLabel } from "./targetItems.ts";

export interface BoardItem {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly icon: string;
  readonly picked: boolean;
  /** In the form `parseTarget` reads, as short as it can be: it is what the board is called from then on. */
  readonly board: string;
}

/** @param set those of the setting, each once */
export function boardItems(set: readonly string[], sources: Omit<TargetSources, "remembered">): readonly BoardItem[] {
  const short = (target: string): string => target.replace(/^ssh:\/\//, "");
  const known = targetItems({ ...sources, remembered: undefined }).flatMap(({ target, ...item }) =>
    target === undefined ? [] : { ...item, board: short(target) },
  );
  const chosen = set.map((text): BoardItem => {
    const board = short(text);
    const { label, icon, description, detail } = known.find((one) => one.board === board) ?? {
      label: targetLabel(board),
      icon: "server-environment",
    };
    return { label, icon, ...defined({ description, detail }), picked: true, board };
  });
  const others = known.filter(({ board }) => !chosen.some((one) => one.board === board));
  return [...chosen, ...others.map((item) => ({ ...item, picked: false }))];
}
