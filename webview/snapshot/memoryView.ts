/** The chart of what was held over all events, the chosen moment in it, and the parts that are asked for as one zooms in. */
import { formatCount } from "../../src/profile/text/format.ts";
import type { SnapshotDevice } from "../../src/protocol/torch/snapshot.ts";
import { t } from "../../src/words/t.ts";
import { byId } from "../dom.ts";
import { ActiveChart, type Range, type Recorded } from "./active/chart.ts";
import { stepAt } from "./active/curve.ts";
import { LiveSweep, placesOf } from "./active/layers.ts";
import { marksOf } from "./active/marks.ts";
import { type PlacedPart, placedParts } from "./active/parts.ts";
import type { Colors } from "./colors.ts";
import { type ActiveMemory, activeMemoryOf } from "./decode.ts";
import { latest } from "./latest.ts";
import { showLayerTip } from "./layerTip.ts";
import { isFound, type LineColors } from "./lines.ts";
import type { SnapshotStore } from "./pageState.ts";
import { CHART_LAYERS, CHART_POINTS, type Queries, withBeside } from "./queries.ts";
import { momentSentences } from "./words.ts";

/** A view that still moves is not asked about. */
const SETTLE_MS = 150;
/** What a press of the button leaves of the range. */
const CLOSER = 0.5;

export interface MemoryViewEvents {
  readonly onPick: (moment: number, allocation: number | undefined) => void;
  /** @param range moments of the other recording that are seen; undefined: all */
  readonly onView: (isWhole: boolean, otherRange: Range | undefined) => void;
  readonly onAnswered: () => void;
  readonly onFailed: (error: unknown) => void;
}

export interface MemoryLook {
  readonly colors: Colors;
  /** An allocation. */
  readonly selected: number | undefined;
  /** Drawn over it. */
  readonly other: Recorded | undefined;
}

export interface MemoryView {
  /** Begins with a device, and asks for its events. */
  open(device: SnapshotDevice, moment: number): void;
  choose(moment: number): void;
  /** What is held at the chosen moment; undefined until that is known. */
  setHeld(held: number | undefined): void;
  closer(): void;
  whole(): void;
  /** The allocation above or below the selected one, among those live at the chosen moment. */
  neighbor(step: 1 | -1): number | undefined;
  /** As the switches say by now. */
  redraw(): void;
  /** After a change of the theme, the selection or the search. */
  restyle(): void;
}

export function createMemoryView(
  queries: Queries,
  lines: LineColors,
  store: SnapshotStore,
  look: () => MemoryLook,
  events: MemoryViewEvents,
): MemoryView {
  const plot = byId("plot", HTMLElement);
  let device: SnapshotDevice | undefined;
  /** Of all events, and of the part that is seen. */
  let overview: ActiveMemory | undefined;
  let drawn: ActiveMemory | undefined;
  let parts: readonly PlacedPart[] = [];
  let moment = 0;
  let held: number | undefined;
  let settle: ReturnType<typeof setTimeout> | undefined;

  const chart = new ActiveChart(plot, byId("layers", HTMLCanvasElement), byId("marks", SVGSVGElement), {
    onPick: (at, layer) => events.onPick(at, allocationOf(layer)),
    onHover: (at) => showLayerTip(drawn, device, at),
    onView: (range, otherRange) => {
      events.onView(range === undefined, otherRange);
      clearTimeout(settle);
      settle = setTimeout(() => {
        store.keep({ range });
        refine();
      }, SETTLE_MS);
    },
  });

  const memories = latest(
    ({ device: wanted, from, to }: { readonly device: number; readonly from: number; readonly to: number }) =>
      queries.ask({ about: "memory", device: wanted, from, to, layers: CHART_LAYERS, points: CHART_POINTS }),
    ({ memory }, { device: wanted, from, to }) => {
      if (wanted !== device?.device) return;
      const next = activeMemoryOf(memory);
      events.onAnswered();
      const first = overview === undefined;
      if (from === 0 && to === device.events) overview = next;
      if (first) colorLines(next, device.maximum.moment);
      show(next);
      if (first && store.state.range) chart.zoomTo(store.state.range);
    },
    (error) => {
      // Nothing comes any more.
      plot.setAttribute("aria-busy", "false");
      events.onFailed(error);
    },
  );

  const allocationOf = (layer: number | undefined): number | undefined =>
    layer === undefined ? undefined : drawn?.layers.allocation[layer];

  /** The lines that held the most at the maximum have colors of their own. */
  function colorLines({ layers, stacks }: ActiveMemory, maximum: number): void {
    const live = placesOf(new LiveSweep(layers).at(maximum));
    lines.use(
      stacks,
      Array.from(live, (i) => ({ stack: layers.stack[i] ?? -1, size: layers.size[i] ?? 0 })),
    );
  }

  /** Asks for the part that is seen. */
  function refine(): void {
    if (!device) return;
    const { range } = store.state;
    const { events: last, device: number } = device;
    if (range === undefined) {
      if (overview) show(overview);
      return;
    }
    memories.want({ device: number, ...withBeside(range, last) });
  }

  const chartLook = () => ({
    ...look(),
    lines,
    found: (name: Parameters<typeof isFound>[0]) => store.state.search === "" || isFound(name, store.state.search),
  });

  function show(memory: ActiveMemory): void {
    if (!device) return;
    drawn = memory;
    const { events: last, duration = 0, maximum } = device;
    const { axis } = store.state;
    const { other } = look();
    // Without times it has no place on an axis of time.
    const isDrawn = other !== undefined && (axis === "events" || other.duration > 0);
    chart.show(
      {
        memory,
        events: last,
        duration,
        maximum: maximum.bytes,
        marks: marksOf(device),
        parts,
        ...(isDrawn ? { other } : {}),
      },
      axis,
      chartLook(),
    );
    const others =
      memory.others === 0
        ? ""
        : t(" {0} smaller allocations are drawn as one gray layer on top.", formatCount(memory.others));
    const unlisted =
      device.partsMore === 0
        ? ""
        : t(" {0} more parts of the program are not drawn below it.", formatCount(device.partsMore));
    byId("memory-about", HTMLElement).textContent = t(
      "Bytes as the program asked for them, one layer for each allocation, in the color of its line.{0}",
      others + unlisted,
    );
    showMoment();
  }

  function showMoment(): void {
    if (!device) return;
    const step = drawn ? stepAt(drawn.moment, moment) : -1;
    const at = drawn?.t[step];
    const bytes = held ?? (drawn?.moment[step] === moment ? drawn.total[step] : undefined);
    const text = momentSentences(moment, device, at !== undefined && Number.isFinite(at) ? at : undefined, bytes);
    byId("moment", HTMLElement).textContent = text;
    plot.setAttribute("aria-valuenow", String(moment));
    plot.setAttribute("aria-valuetext", text);
  }

  return {
    open(next, at) {
      device = next;
      parts = placedParts(next.parts);
      overview = undefined;
      drawn = undefined;
      held = undefined;
      moment = at;
      plot.setAttribute("aria-valuemax", String(next.events));
      if (next.events > 0) memories.want({ device: next.device, from: 0, to: next.events });
      chart.chosen = moment;
      showMoment();
    },
    choose(at) {
      moment = at;
      held = undefined;
      chart.chosen = moment;
      chart.reveal(moment);
      showMoment();
    },
    setHeld(bytes) {
      held = bytes;
      showMoment();
    },
    closer: () => chart.zoomBy(CLOSER),
    whole: () => chart.zoomTo(undefined),
    neighbor(step) {
      if (!drawn) return undefined;
      const live = chart.live(moment);
      const { selected } = look();
      const at = live.findIndex((layer) => allocationOf(layer) === selected);
      return allocationOf(live[Math.min(live.length - 1, Math.max(0, at === -1 ? live.length - 1 : at + step))]);
    },
    redraw() {
      if (drawn) show(drawn);
    },
    restyle: () => chart.restyle(chartLook()),
  };
}
