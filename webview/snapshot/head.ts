/** The page's head: what file this is, what to know of its figures, and the file's own sums. */
import { formatBytes, formatCount } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { SnapshotDevice, SnapshotDocument } from "../../src/protocol/torch/snapshot.ts";
import { phrase, say, t } from "../../src/words/t.ts";
import { byId, element } from "../dom.ts";
import { withTerms } from "../terms.ts";

export function showHead({ title, board, settings, notes }: SnapshotDocument): void {
  byId("title", HTMLElement).textContent = printable(title);
  const set = settings.map(({ name, value }) => `${printable(name)}: ${printable(value)}`);
  byId("about", HTMLElement).textContent = [
    t("PyTorch's CUDA allocator"),
    ...(board === undefined ? [] : [t("on {0}", printable(board))]),
  ].join(" ");
  const all = [
    ...notes.map(printable),
    ...(set.length === 0 ? [] : [t("The allocator's settings: {0}.", set.join(t(", ")))]),
  ];
  byId("notes", HTMLElement).hidden = all.length === 0;
  byId("notes-title", HTMLElement).textContent = t("Notes ({0})", formatCount(all.length));
  byId("notes-list", HTMLElement).replaceChildren(...all.map((note) => element("li", note)));
}

const MEANINGS = {
  reserved: phrase("All segments that PyTorch took from CUDA."),
  allocated: phrase("Blocks that tensors hold, as large as the allocator made them."),
  requested: phrase("The same as the program asked for it, before rounding."),
  awaiting: phrase("Freed by the program, but another stream may still use it."),
  pieces: phrase("Free parts of segments that have blocks in use. PyTorch cannot give them back."),
  cached: phrase("Segments wholly free, which PyTorch keeps for later."),
  largest: phrase("A tensor that is larger needs a new segment."),
} as const;

/** The file's own sums, when the snapshot was taken. */
export function showTotals({ totals }: SnapshotDevice): void {
  const { reserved, allocated, active, requested, inactiveSplit, cached, largestFree } = totals;
  const figures = [
    [t("Reserved"), formatBytes(reserved), MEANINGS.reserved],
    [t("Allocated"), formatBytes(allocated), MEANINGS.allocated],
    [t("Asked for"), requested === undefined ? t("not in the file") : formatBytes(requested), MEANINGS.requested],
    [t("Awaiting another stream"), formatBytes(Math.max(0, active - allocated)), MEANINGS.awaiting],
    [t("Free in pieces"), formatBytes(inactiveSplit), MEANINGS.pieces],
    [t("Free segments"), formatBytes(cached), MEANINGS.cached],
    [t("Largest free block"), formatBytes(largestFree), MEANINGS.largest],
  ] as const;
  byId("totals", HTMLElement).replaceChildren(
    ...figures.map(([name, value, title]) => {
      const pair = element("div", "", { title: say(title) });
      pair.append(withTerms("dt", name), element("dd", value));
      return pair;
    }),
  );
}

/** Devices that hold something are offered; with one there is no choice. */
export function fillDevices(devices: readonly SnapshotDevice[], chosen: number): void {
  byId("device-choice", HTMLElement).hidden = devices.length < 2;
  const select = byId("device", HTMLSelectElement);
  select.replaceChildren(
    ...devices.map(({ device, totals }) =>
      element("option", t("{0} ({1} reserved)", device, formatBytes(totals.reserved)), { value: String(device) }),
    ),
  );
  select.value = String(chosen);
}
