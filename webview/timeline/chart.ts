/** Two plots over one time axis. All colours are CSS classes, so a change of theme needs no redraw. */
import { max } from "d3-array";
import { axisBottom, axisLeft } from "d3-axis";
import { type ScaleLinear, scaleLinear } from "d3-scale";
import { pointer, type Selection, select } from "d3-selection";
import { area, line } from "d3-shape";
import { formatBytes } from "../../src/profile/format.ts";
import type { Sample, Timeline } from "../../src/protocol/timeline.ts";
import { coverage, METRIC_NAMES, type Metric, missedPeak, nearest, peakIndex, timeText } from "./series.ts";

const MARGIN = { left: 84, right: 16, top: 26, bottom: 30 };
const GAP = 40;
/** Room for the peak's label above the highest reading. */
const PEAK_LABEL = 20;
const MIN_WIDTH = 240;
const MIN_HEIGHT = 260;
const METRICS: readonly Metric[] = ["rss", "memAvailable"];

export interface Chart {
  /** Draws everything again for the given size in CSS pixels. */
  draw(timeline: Timeline, width: number, height: number): void;
  /** Moves the cursor to a sample of the timeline drawn last; undefined hides it. */
  cursor(sample: Sample | undefined): void;
}

export interface ChartEvents {
  readonly onHover: (index: number) => void;
  readonly onPick: (index: number) => void;
}

interface Plot {
  readonly metric: Metric;
  readonly top: number;
  readonly bottom: number;
  readonly y: ScaleLinear<number, number>;
}

type Group = Selection<SVGGElement, unknown, null, undefined>;

/** Ticks at round numbers of MiB rather than of bytes. */
function byteTicks(y: ScaleLinear<number, number>, height: number): number[] {
  const [low = 0, high = 0] = y.domain();
  const unit = high - low > 4 * 1024 * 1024 ? 1024 * 1024 : 1024;
  const inUnits = scaleLinear([low / unit, high / unit], [0, 1]);
  return inUnits.ticks(Math.max(2, Math.floor(height / 40))).map((tick) => tick * unit);
}

function drawSeries(group: Group, samples: readonly Sample[], x: ScaleLinear<number, number>, plot: Plot): void {
  const { metric, y, bottom } = plot;
  const known = (sample: Sample): boolean => sample[metric] !== undefined;
  const height = (sample: Sample): number => y(sample[metric] ?? 0);
  const fill = area<Sample>()
    .defined(known)
    .x((sample) => x(sample.t))
    .y0(bottom)
    .y1(height);
  const stroke = line<Sample>()
    .defined(known)
    .x((sample) => x(sample.t))
    .y(height);
  group.append("path").attr("class", `area ${metric}`).attr("d", fill(samples));
  group.append("path").attr("class", `series ${metric}`).attr("d", stroke(samples));
}

/** A sample between two that were not read is no line; it gets a dot. */
function drawLoneSamples(group: Group, samples: readonly Sample[], x: ScaleLinear<number, number>, plot: Plot): void {
  const { metric, y } = plot;
  samples.forEach((sample, i) => {
    const value = sample[metric];
    if (value === undefined || samples[i - 1]?.[metric] !== undefined || samples[i + 1]?.[metric] !== undefined) return;
    group.append("circle").attr("class", `lone ${metric}`).attr("cx", x(sample.t)).attr("cy", y(value)).attr("r", 3);
  });
}

function drawPeak(group: Group, timeline: Timeline, x: ScaleLinear<number, number>, plot: Plot): void {
  const { samples } = timeline;
  const [left = 0, right = 0] = x.range();
  const missed = missedPeak(timeline);
  if (missed !== undefined) {
    const y = plot.y(missed);
    group.append("line").attr("class", "peak").attr("x1", left).attr("x2", right).attr("y1", y).attr("y2", y);
    const label = group
      .append("text")
      .attr("class", "peak-label")
      .attr("x", right)
      .attr("y", y - 6);
    label.attr("text-anchor", "end").text(`peak ${formatBytes(missed)}, between two samples`);
    return;
  }
  const peak = samples[peakIndex(samples)];
  if (peak?.rss === undefined) return;
  const at = { x: x(peak.t), y: plot.y(peak.rss) };
  const text = `peak ${formatBytes(peak.rss)}${peak.at ? ` · ${peak.at.path}:${peak.at.line}` : ""}`;
  const atRight = at.x > (left + right) / 2;
  group.append("circle").attr("class", "peak").attr("cx", at.x).attr("cy", at.y).attr("r", 4.5);
  group
    .append("text")
    .attr("class", "peak-label")
    .attr("x", at.x + (atRight ? -9 : 9))
    .attr("y", at.y - 6)
    .attr("text-anchor", atRight ? "end" : "start")
    .text(text);
}

function upperBound(timeline: Timeline, metric: Metric): number {
  const highest = max(timeline.samples, (sample) => sample[metric]) ?? 0;
  const known = metric === "rss" ? timeline.rssPeak : timeline.memTotal;
  return Math.max(highest, known ?? 0, 1);
}

function drawPlot(group: Group, timeline: Timeline, x: ScaleLinear<number, number>, plot: Plot): void {
  const [left = 0, right = 0] = x.range();
  const { samples } = timeline;
  const total = plot.metric === "memAvailable" && timeline.memTotal !== undefined;
  const name = METRIC_NAMES[plot.metric] + (total ? ` (of ${formatBytes(timeline.memTotal ?? 0)})` : "");
  group
    .append("text")
    .attr("class", "plot-name")
    .attr("x", left)
    .attr("y", plot.top - 10)
    .text(name);
  if (coverage(samples, plot.metric) === "none") {
    const middle = (plot.top + plot.bottom) / 2;
    const text = samples.length === 0 ? "no samples yet" : "not read in this run";
    group
      .append("text")
      .attr("class", "not-read")
      .attr("x", left + 8)
      .attr("y", middle)
      .text(text);
  } else {
    const axis = axisLeft<number>(plot.y)
      .tickValues(byteTicks(plot.y, plot.bottom - plot.top))
      .tickFormat(formatBytes)
      .tickSize(left - right);
    group.append("g").attr("class", "axis faint").attr("transform", `translate(${left},0)`).call(axis);
    drawSeries(group, samples, x, plot);
    drawLoneSamples(group, samples, x, plot);
    if (plot.metric === "rss") drawPeak(group, timeline, x, plot);
  }
  group
    .append("line")
    .attr("class", "base")
    .attr("x1", left)
    .attr("x2", right)
    .attr("y1", plot.bottom)
    .attr("y2", plot.bottom);
}

export function createChart(svgElement: SVGSVGElement, events: ChartEvents): Chart {
  const svg = select(svgElement);
  let samples: readonly Sample[] = [];
  let x = scaleLinear();
  let plots: readonly Plot[] = [];
  let mark: Group | undefined;

  const indexAt = (event: MouseEvent): number => nearest(samples, x.invert(pointer(event, svgElement)[0]));
  svg.on("pointermove", (event: PointerEvent) => events.onHover(indexAt(event)));
  svg.on("click", (event: MouseEvent) => events.onPick(indexAt(event)));

  return {
    draw(timeline, outerWidth, outerHeight) {
      const width = Math.max(MIN_WIDTH, outerWidth);
      const height = Math.max(MIN_HEIGHT, outerHeight);
      samples = timeline.samples;
      const first = samples[0]?.t ?? 0;
      const last = samples.at(-1)?.t ?? 1;
      x = scaleLinear([Math.min(0, first), Math.max(last, first + 1)], [MARGIN.left, width - MARGIN.right]);
      const plotHeight = (height - MARGIN.top - MARGIN.bottom - GAP) / METRICS.length;
      plots = METRICS.map((metric, i) => {
        const top = MARGIN.top + i * (plotHeight + GAP);
        const bottom = top + plotHeight;
        const highest = metric === "rss" ? top + PEAK_LABEL : top;
        return { metric, top, bottom, y: scaleLinear([0, upperBound(timeline, metric)], [bottom, highest]) };
      });
      svg.attr("width", width).attr("height", height).attr("viewBox", `0 0 ${width} ${height}`);
      svg.selectChildren().remove();
      for (const plot of plots) drawPlot(svg.append("g"), timeline, x, plot);
      const time = axisBottom<number>(x)
        .ticks(Math.max(2, Math.floor(width / 130)))
        .tickFormat(timeText);
      svg
        .append("g")
        .attr("class", "axis")
        .attr("transform", `translate(0,${height - MARGIN.bottom})`)
        .call(time);
      mark = svg.append("g").attr("class", "cursor");
    },

    cursor(sample) {
      if (!mark) return;
      mark.selectChildren().remove();
      const [top, bottom] = [plots[0]?.top, plots.at(-1)?.bottom];
      if (!sample || top === undefined || bottom === undefined) return;
      const at = x(sample.t);
      mark.append("line").attr("class", "cursor-line").attr("x1", at).attr("x2", at).attr("y1", top).attr("y2", bottom);
      for (const { metric, y } of plots) {
        const value = sample[metric];
        if (value !== undefined)
          mark.append("circle").attr("class", metric).attr("cx", at).attr("cy", y(value)).attr("r", 4);
      }
    },
  };
}
