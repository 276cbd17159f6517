/** The buttons, choices and fields above the parts, and what they ask for. */
import type { SnapshotDevice, SnapshotPageState } from "../../src/protocol/torch/snapshot.ts";
import { t } from "../../src/words/t.ts";
import { byId } from "../dom.ts";
import { leadToSearch } from "../searchKey.ts";

export interface ToolbarEvents {
  readonly onMaximum: () => void;
  readonly onOutOfMemory: () => void;
  readonly onEnd: () => void;
  readonly onCompare: () => void;
  readonly onAxis: (axis: SnapshotPageState["axis"]) => void;
  readonly onCloser: () => void;
  readonly onAll: () => void;
  readonly onDevice: (device: number) => void;
  readonly onFrames: (frames: SnapshotPageState["frames"]) => void;
  readonly onSearch: (text: string) => void;
}

export interface Toolbar {
  set(state: SnapshotPageState): void;
  /** Offers what a device has. */
  offer(device: SnapshotDevice): void;
  /** Whether all events are seen. */
  showWhole(whole: boolean): void;
  showMatches(text: string): void;
}

/** Typing goes on without waiting for the search. */
const SEARCH_DELAY_MS = 150;

export function createToolbar(events: ToolbarEvents): Toolbar {
  const axis = byId("axis", HTMLSelectElement);
  const device = byId("device", HTMLSelectElement);
  const fold = byId("fold", HTMLInputElement);
  const search = byId("search", HTMLInputElement);
  const all = byId("all", HTMLButtonElement);
  const click = (id: string, body: () => void): void => byId(id, HTMLButtonElement).addEventListener("click", body);
  let typing: ReturnType<typeof setTimeout> | undefined;

  click("to-maximum", events.onMaximum);
  click("to-oom", events.onOutOfMemory);
  click("to-end", events.onEnd);
  click("compare", events.onCompare);
  click("closer", events.onCloser);
  click("all", events.onAll);
  axis.addEventListener("change", () => events.onAxis(axis.value === "time" ? "time" : "events"));
  device.addEventListener("change", () => events.onDevice(Number(device.value)));
  fold.addEventListener("change", () => events.onFrames(fold.checked ? "python" : "all"));
  leadToSearch(search);
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => events.onSearch(search.value), SEARCH_DELAY_MS);
  });

  function showWhole(whole: boolean): void {
    all.disabled = whole;
    all.title = whole ? t("All events are shown.") : t("Shows all events (0)");
  }

  return {
    set(state) {
      axis.value = state.axis;
      fold.checked = state.frames === "python";
      search.value = state.search;
      showWhole(state.range === undefined);
    },
    offer({ events: count, duration, outOfMemory }) {
      document.body.classList.toggle("state-only", count === 0);
      byId("to-oom", HTMLElement).hidden = outOfMemory.length === 0;
      byId("axis-choice", HTMLElement).hidden = duration === undefined;
    },
    showWhole,
    showMatches(text) {
      byId("matches", HTMLElement).textContent = text;
    },
  };
}
