/** What the page shows of a run or a trace; the chart, the readout and the table are made of it. */
import type { TimeRange } from "../../src/profile/samples/samples.ts";
import type { Place } from "../../src/protocol/timeline.ts";
import type { Stretch } from "./series.ts";

export interface Series {
  /** CSS class of its color and dashes. */
  readonly look: string;
  /** One for each moment; undefined where it is not known. */
  readonly values: readonly (number | undefined)[];
}

/** The moment of the peak among those drawn, or its height where it lies between two of them. */
export type Peak =
  | { readonly kind: "moment"; readonly index: number; readonly value: number; readonly text: string }
  | { readonly kind: "level"; readonly value: number; readonly text: string };

export interface PlotContent {
  readonly name: string;
  /** The first is the one whose area is filled. */
  readonly series: readonly Series[];
  /** Ends of the axis, bytes. */
  readonly low: number;
  readonly high: number;
  readonly peak?: Peak;
  /** Said in place of the series, where there is none. */
  readonly empty?: string;
}

export interface ChartContent {
  /** Milliseconds, in their order. */
  readonly t: readonly number[];
  /** Values hold until the next moment; else they are joined by straight lines. */
  readonly steps: boolean;
  readonly plots: readonly PlotContent[];
  /** Which line ran when; empty where that is not known. */
  readonly stretches: readonly Stretch[];
  /** The part of the time that is drawn; absent: all of it. */
  readonly range?: TimeRange;
}

export interface View {
  readonly title: string;
  /** What the user should know first; empty: nothing. */
  readonly status: string;
  /** The run's memory in the legend, where it is another than the script's RSS. */
  readonly memory?: string;
  readonly chart: ChartContent;
  /** Index of the peak's moment; -1: not among them. */
  readonly peak: number;
  /** A figure is missing at some moments. */
  readonly hasGaps: boolean;
  /** One moment in words, as the readout shows it and a screen reader says it. */
  readout(index: number): string;
  place(index: number): Place | undefined;
  table(onGoTo: (place: Place) => void): HTMLTableElement;
}
