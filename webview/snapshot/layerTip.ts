/** What lies under the pointer in the chart. */
import { formatBytes, formatCount } from "../../src/profile/text/format.ts";
import type { SnapshotDevice } from "../../src/protocol/torch/snapshot.ts";
import { t } from "../../src/words/t.ts";
import { byId, element } from "../dom.ts";
import { stepAt } from "./active/curve.ts";
import type { ActiveMemory } from "./decode.ts";
import { stackName } from "./lines.ts";
import { momentText, partsText } from "./words.ts";

const OFFSET = 14;

export interface Pointed {
  readonly moment: number;
  /** Undefined above all layers, and on those that are summed up. */
  readonly layer: number | undefined;
  readonly x: number;
  readonly y: number;
}

export function showLayerTip(
  memory: ActiveMemory | undefined,
  device: SnapshotDevice | undefined,
  at: Pointed | undefined,
): void {
  const tip = byId("layer-tip", HTMLElement);
  tip.hidden = !memory || !device || !at;
  if (!memory || !device || !at) return;
  const step = stepAt(memory.moment, at.moment);
  const ms = memory.t[step];
  const when = momentText(at.moment, device, ms !== undefined && Number.isFinite(ms) ? ms : undefined);
  const parts = partsText(at.moment, device);
  tip.replaceChildren(
    ...layerLines(memory, at.layer, device.events),
    element("span", t("{0} held {1}", formatBytes(memory.total[step] ?? 0), when)),
    ...(parts === "" ? [] : [element("span", t("Within {0}.", parts))]),
  );
  const host = byId("plot", HTMLElement);
  const left = Math.max(0, Math.min(at.x + OFFSET, host.clientWidth - tip.offsetWidth));
  const below = at.y + OFFSET;
  const top = below + tip.offsetHeight <= host.clientHeight ? below : Math.max(0, at.y - OFFSET - tip.offsetHeight);
  tip.style.transform = `translate(${left}px, ${top}px)`;
}

function layerLines({ layers, stacks }: ActiveMemory, layer: number | undefined, events: number): HTMLElement[] {
  if (layer === undefined) return [];
  const [start, end] = [layers.start[layer] ?? 0, layers.end[layer] ?? 0];
  const stack = stacks.get(layers.stack[layer] ?? -1);
  const from = start === 0 ? t("before the first recorded event") : t("event {0}", formatCount(start));
  const to = end > events ? t("the end") : t("event {0}", formatCount(end));
  return [
    element("strong", formatBytes(layers.size[layer] ?? 0)),
    element("span", stackName(stack)),
    element(
      "span",
      t("Live from {0} to {1}.{2}", from, to, stack === undefined ? "" : t(" A click shows its whole stack.")),
    ),
  ];
}
