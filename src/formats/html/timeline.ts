/** The timeline as a picture: the script's memory, and what the board had left, above one another. */
import { scaleLinear } from "d3-scale";
import type { PlacedSample } from "../../profile/run/runFolder.ts";
import { thinSamples } from "../../profile/samples/samples.ts";
import { formatBytes, formatDuration, type SizeUnit, sizeUnit } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";
import { html, type Markup, type Part } from "./markup.ts";

const WIDTH = 960;
const LEFT = 92;
const RIGHT = 16;
const GAP = 34;
const MOST_POINTS = 800;
const MIB = 2 ** 20;

export interface TimelineOptions {
  /** What `rss` measures, for people. */
  readonly measures: string;
  readonly memTotal?: number;
  readonly rssPeak?: number;
}

interface Point {
  readonly t: number;
  readonly bytes: number;
}

interface Panel {
  readonly kind: "rss" | "available";
  readonly title: string;
  readonly height: number;
  readonly points: readonly Point[];
  readonly most: number;
}

/** Undefined where there are fewer than two samples with a figure. */
export function timelinePicture(all: readonly PlacedSample[], options: TimelineOptions): Markup | undefined {
  const samples = thinSamples(all, MOST_POINTS);
  const rss = pointsOf(samples, ({ rss }) => rss);
  const available = pointsOf(samples, ({ memAvailable }) => memAvailable);
  const most = (points: readonly Point[]) => points.reduce((top, { bytes }) => Math.max(top, bytes), 0);
  const panels: Panel[] = [
    { kind: "rss" as const, title: options.measures, height: 200, points: rss, most: most(rss) },
    {
      kind: "available" as const,
      title: t("Available on the board (MemAvailable)"),
      height: 90,
      points: available,
      most: Math.max(options.memTotal ?? 0, most(available)),
    },
  ].filter(({ points }) => points.length > 1);
  const last = samples.at(-1)?.t ?? 0;
  if (panels.length === 0 || last <= 0) return undefined;

  const x = scaleLinear([0, last], [LEFT, WIDTH - RIGHT]);
  let top = 0;
  const drawn: Part[] = panels.map((panel) => {
    const picture = panelPicture(panel, top, x);
    top += panel.height + GAP;
    return picture;
  });
  const ticks = x.ticks(6).filter((t) => t >= 0);
  const height = top + 4;
  const summary = panels.map(({ title, points }) => `${title}: ${rangeText(points)}`).join(". ");
  return html`<svg class="timeline" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${`Timeline over ${formatDuration(last)}. ${summary}.`}">
${drawn}
${ticks.map((t) => html`<text class="tick" text-anchor="${t === 0 ? "start" : "middle"}" x="${x(t).toFixed(1)}" y="${top - 12}">${t === 0 ? "0 s" : formatDuration(t)}</text>`)}
</svg>`;
}

function panelPicture({ kind, title, height, points, most }: Panel, top: number, x: (t: number) => number): Markup {
  const base = top + height;
  const unit = sizeUnit(Math.max(most, MIB));
  const y = scaleLinear([0, Math.max(most, 1) / unit.bytes], [base, top + 22]).nice(height > 120 ? 4 : 2);
  const at = ({ t, bytes }: Point) => `${x(t).toFixed(1)} ${y(bytes / unit.bytes).toFixed(1)}`;
  const line = points.map(at).join("L");
  const first = points[0] as Point;
  const last = points.at(-1) as Point;
  const peak = points.reduce((best, point) => (point.bytes > best.bytes ? point : best), first);
  const marked =
    kind === "rss" ? peak : points.reduce((best, point) => (point.bytes < best.bytes ? point : best), first);
  const anchor = x(marked.t) > WIDTH * 0.6 ? "end" : "start";
  const label = t(
    "{0} {1} at {2}",
    kind === "rss" ? "highest" : "lowest",
    formatBytes(marked.bytes),
    formatDuration(marked.t),
  );
  const beside = x(marked.t) + (anchor === "end" ? -8 : 8);
  return html`<g class="${kind}"><text class="panel" x="${LEFT}" y="${top + 13}">${title}</text>
${y
  .ticks(4)
  .map(
    (size) =>
      html`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(size).toFixed(1)}" y2="${y(size).toFixed(1)}"/><text class="tick" text-anchor="end" x="${LEFT - 8}" y="${(y(size) + 4).toFixed(1)}">${tickText(size, unit)}</text>`,
  )}
<path class="area" d="M${x(first.t).toFixed(1)} ${base}L${line}L${x(last.t).toFixed(1)} ${base}Z"/><path class="line" d="M${line}"/>
<circle class="mark" cx="${x(marked.t).toFixed(1)}" cy="${y(marked.bytes / unit.bytes).toFixed(1)}" r="4"/><text class="mark-label" text-anchor="${anchor}" x="${beside.toFixed(1)}" y="${(y(marked.bytes / unit.bytes) + (kind === "rss" ? -7 : 16)).toFixed(1)}">${label}</text></g>`;
}

function tickText(size: number, { name, bytes }: SizeUnit): string {
  return size === 0 ? "0" : size >= 1 ? `${size.toLocaleString("en-US")} ${name}` : formatBytes(size * bytes);
}

function pointsOf(samples: readonly PlacedSample[], figure: (sample: PlacedSample) => number | undefined): Point[] {
  return samples.flatMap((sample) => {
    const bytes = figure(sample);
    return bytes === undefined ? [] : [{ t: sample.t, bytes }];
  });
}

function rangeText(points: readonly Point[]): string {
  const bytes = points.map((point) => point.bytes);
  const least = bytes.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = bytes.reduce((a, b) => Math.max(a, b), 0);
  return t("{0} to {1}", formatBytes(least), formatBytes(most));
}
