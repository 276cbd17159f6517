/** The switches, the search field and the export menu above the graph. */
import type { MassifPageState, ToMassifEditor } from "../../src/protocol/massif/massif.ts";
import { t } from "../../src/words/t.ts";
import { byId } from "../dom.ts";
import { leadToSearch } from "../searchKey.ts";

export type Format = Extract<ToMassifEditor, { kind: "save" }>["format"];
export type Switches = Pick<MassifPageState, "shape" | "direction" | "fold">;

export interface ToolbarEvents {
  readonly onSwitch: (switches: Switches) => void;
  readonly onSearch: (text: string) => void;
  readonly onNextMatch: () => void;
  readonly onReset: () => void;
  readonly onExport: (format: Format) => void;
}

export interface Toolbar {
  set(switches: Switches, search: string): void;
  /** What the search found, in words; `any` when there is a next match to go to. */
  showMatches(text: string, any: boolean): void;
  /** A change has negative sizes, which some formats cannot hold. */
  allowExports(ofChange: boolean): void;
}

const FOR_SNAPSHOTS_ONLY: readonly Format[] = ["speedscope", "heapprofile"];

export function createToolbar(events: ToolbarEvents): Toolbar {
  const tools = byId("tools", HTMLElement);
  const fold = byId("fold", HTMLInputElement);
  const search = byId("search", HTMLInputElement);
  const next = byId("next-match", HTMLButtonElement);
  const menu = byId("export", HTMLDetailsElement);
  const radios = [...tools.querySelectorAll<HTMLInputElement>('input[type="radio"]')];
  const exports = [...menu.querySelectorAll<HTMLButtonElement>("button[data-format]")];

  const picked = (name: string): string | undefined =>
    radios.find((radio) => radio.name === name && radio.checked)?.value;

  function switched(): void {
    events.onSwitch({
      shape: picked("shape") === "flame" ? "flame" : "icicle",
      direction: picked("direction") === "allocators-first" ? "allocators-first" : "callers-first",
      fold: fold.checked,
    });
  }

  for (const input of [...radios, fold]) input.addEventListener("change", switched);
  leadToSearch(search);
  search.addEventListener("input", () => events.onSearch(search.value));
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") events.onNextMatch();
  });
  next.addEventListener("click", events.onNextMatch);
  byId("reset", HTMLButtonElement).addEventListener("click", events.onReset);
  for (const item of exports)
    item.addEventListener("click", () => {
      menu.open = false;
      menu.querySelector("summary")?.focus();
      events.onExport(item.dataset["format"] as Format);
    });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  });

  return {
    set({ shape, direction, fold: folded }, text) {
      for (const radio of radios) radio.checked = radio.value === (radio.name === "shape" ? shape : direction);
      fold.checked = folded;
      search.value = text;
    },
    showMatches(text, any) {
      byId("matches", HTMLElement).textContent = text;
      next.disabled = !any;
      if (any) next.title = t("Next match (N)");
      else next.title = search.value === "" ? t("Type what to search for.") : t("The search has no match to go to.");
    },
    allowExports(ofChange) {
      for (const item of exports) {
        item.disabled = ofChange && FOR_SNAPSHOTS_ONLY.includes(item.dataset["format"] as Format);
        item.title = item.disabled ? t("This format holds one snapshot, not a change.") : "";
      }
    },
  };
}
