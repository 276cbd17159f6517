/** Another snapshot beside the one that is shown: its memory as a line over the chart, and the lines that differ. */
import { formatBytes, formatChange, formatCount, formatDuration } from "../../../src/profile/text/format.ts";
import { printable } from "../../../src/profile/text/text.ts";
import type { Place, SnapshotDevice, SnapshotDocument } from "../../../src/protocol/torch/snapshot.ts";
import { type ComparedLine, comparedLines } from "../../../src/torch/snapshot/compared.ts";
import { sentences, t } from "../../../src/words/t.ts";
import { byId, element } from "../../dom.ts";
import type { Range, Recorded } from "../active/chart.ts";
import { activeMemoryOf } from "../decode.ts";
import { latest } from "../latest.ts";
import { stackName } from "../lines.ts";
import { CHART_LAYERS, CHART_POINTS, type Queries, withBeside } from "../queries.ts";
import { lineLink } from "../tables.ts";
import type { WorkspacePaths } from "../workspacePaths.ts";
import { type HeldLines, heldLines } from "./heldLines.ts";

const MOST_ROWS = 30;

export interface ComparisonEvents {
  /** There is something else to draw. */
  readonly onChanged: () => void;
  readonly onOpen: (place: Place) => void;
  readonly onFailed: (error: unknown) => void;
}

export interface Comparison {
  /** Begins with another snapshot, beside a device of the one that is shown. */
  open(other: SnapshotDocument, device: SnapshotDevice): void;
  /** Beside another device of the same. */
  beside(device: SnapshotDevice): void;
  close(): void;
  /** What is drawn; undefined until it is known. */
  readonly drawn: Recorded | undefined;
  /** The moments of it that are seen; undefined: all. */
  see(range: Range | undefined): void;
  /** Lines whose files are known by now are links. */
  showLines(): void;
}

export function createComparison(
  queries: Queries,
  paths: WorkspacePaths,
  { onChanged, onOpen, onFailed }: ComparisonEvents,
): Comparison {
  const section = byId("compared", HTMLElement);
  let other: SnapshotDocument | undefined;
  let there: SnapshotDevice | undefined;
  let drawn: Recorded | undefined;
  let overview: Recorded | undefined;
  let rows: readonly ComparedLine[] = [];

  const memories = latest(
    ({ device, from, to }: Range & { readonly device: SnapshotDevice }) =>
      queries.ask({ about: "memory", device: device.device, from, to, layers: 0, points: CHART_POINTS }, "other"),
    ({ memory }, { device, from, to }) => {
      if (device !== there) return;
      const { events, duration = 0, maximum } = device;
      drawn = { memory: activeMemoryOf(memory), events, duration, maximum: maximum.bytes };
      if (from === 0 && to === events) overview = drawn;
      onChanged();
    },
    onFailed,
  );

  const maxima = latest(
    async (both: { readonly here: SnapshotDevice; readonly there: SnapshotDevice }) => {
      const held = (device: SnapshotDevice, of: "shown" | "other") => {
        const { moment } = device.maximum;
        return queries.ask(
          { about: "memory", device: device.device, from: moment, to: moment, layers: CHART_LAYERS, points: 2 },
          of,
        );
      };
      const [here, beyond] = await Promise.all([held(both.here, "shown"), held(both.there, "other")]);
      return [heldLines(activeMemoryOf(here.memory)), heldLines(activeMemoryOf(beyond.memory))] as const;
    },
    ([here, beyond], both) => {
      if (both.there !== there) return;
      rows = withRest(here, beyond);
      paths.want(rows.flatMap(({ place }) => (place === undefined ? [] : [place.path])));
      showLines();
    },
    onFailed,
  );

  function beside(here: SnapshotDevice): void {
    if (other === undefined) return;
    there = other.devices.find(({ device }) => device === here.device) ?? other.devices[0];
    drawn = overview = undefined;
    rows = [];
    section.hidden = false;
    byId("compared-title", HTMLElement).textContent = t("Compared with {0}", printable(other.title));
    byId("compared-text", HTMLElement).textContent = there === undefined ? nothingThere() : summary(here, there);
    byId("compared-lines", HTMLElement).hidden = there === undefined;
    showLines();
    onChanged();
    if (there === undefined) return;
    if (there.events > 0) memories.want({ device: there, from: 0, to: there.events });
    maxima.want({ here, there });
  }

  function showLines(): void {
    const shown = rows.slice(0, MOST_ROWS);
    const left = rows.slice(MOST_ROWS);
    const of = (figure: "here" | "there") => left.reduce((sum, row) => sum + row[figure], 0);
    const more =
      left.length === 0
        ? []
        : [tableRow(element("span", t("{0} other lines", formatCount(left.length))), of("here"), of("there"))];
    byId("compared-rows", HTMLElement).replaceChildren(
      ...shown.map((row) => tableRow(lineOf(row), row.here, row.there)),
      ...more,
    );
  }

  function lineOf({ name, place }: ComparedLine): HTMLElement {
    return lineLink(stackName({ name, ...(place === undefined ? {} : { line: place }) }), place, onOpen, paths);
  }

  return {
    open(document, device) {
      other = document;
      beside(device);
    },
    beside,
    close() {
      other = there = drawn = overview = undefined;
      section.hidden = true;
      onChanged();
    },
    get drawn() {
      return drawn;
    },
    see(range) {
      if (there === undefined || overview === undefined) return;
      if (range === undefined) {
        drawn = overview;
        return;
      }
      memories.want({ device: there, ...withBeside(range, there.events) });
    },
    showLines,
  };
}

/** What has no line of its own is a row, so that each column adds up to what was held. */
function withRest(here: HeldLines, there: HeldLines): readonly ComparedLine[] {
  const rows = comparedLines(here.lines, there.lines);
  if (here.rest === 0 && there.rest === 0) return rows;
  return [...rows, { name: t("without a stack, or small"), here: here.rest, there: there.rest }];
}

function tableRow(line: HTMLElement, here: number, there: number): HTMLElement {
  const row = element("tr");
  const cell = element("td");
  cell.append(line);
  row.append(
    element("td", formatChange(here - there), { class: "figure" }),
    element("td", formatBytes(here), { class: "figure" }),
    element("td", formatBytes(there), { class: "figure" }),
    cell,
  );
  return row;
}

const nothingThere = (): string => t("PyTorch held no memory of a CUDA device in it, and recorded no events.");

function summary(here: SnapshotDevice, there: SnapshotDevice): string {
  const change = here.maximum.bytes - there.maximum.bytes;
  const most = t(
    "At most {0} were held there, {1} here ({2}).",
    formatBytes(there.maximum.bytes),
    formatBytes(here.maximum.bytes),
    change === 0 ? t("the same") : formatChange(change),
  );
  const reserved = t(
    "When they were taken, PyTorch had reserved {0} there and {1} here.",
    formatBytes(there.totals.reserved),
    formatBytes(here.totals.reserved),
  );
  return sentences(most, reserved, recorded(there), differs(here, there));
}

function recorded({ events, duration }: SnapshotDevice): string {
  if (events === 0) return t("It has no events, so no line is drawn over the chart.");
  const long = duration === undefined ? "" : t(" in {0}", formatDuration(duration));
  return t("The dashed line is what it held over its {0} events{1}.", formatCount(events), long);
}

function differs(here: SnapshotDevice, there: SnapshotDevice): string {
  const device =
    here.device === there.device
      ? ""
      : t("It has nothing of device {0}: this is device {1}.", here.device, there.device);
  const times = here.duration !== undefined && there.duration === undefined && there.events > 0;
  return sentences(device, times ? t("It has no times: it is drawn by event only.") : "");
}
