/** `get_lines`: which lines took the memory. */
import * as v from "valibot";
import { defined } from "../../../profile/defined.ts";
import { byMetric, METRIC_NAMES, metricOf } from "../../../profile/lines/metric.ts";
import { isLowerBound } from "../../../profile/lines/netText.ts";
import { heaviestOwnLines, type OwnLine, type ReadLine } from "../../../profile/lines/ownMemory.ts";
import { functionPeak, linesByFunction } from "../../../profile/lines/totals.ts";
import type { Figures, Metric, Profile } from "../../../profile/model.ts";
import type { RunReader } from "../../../profile/run/runFolder.ts";
import { formatBytes } from "../../../profile/text/format.ts";
import { sourceLines } from "../../../profile/text/text.ts";
import { UserError } from "../../../profile/userError.ts";
import { type Answer, fitted, quoted, untrusted } from "../answer.ts";
import { tool } from "../tool.ts";
import { METRIC, METRIC_SAYS, ROWS, RUN, RUN_SAYS, rowsSay, TEXT } from "./fields.ts";
import { type AskedRun, askedRun } from "./ofRun.ts";

export const USUAL_LINES = 15;

export const getLines = tool(
  {
    name: "get_lines",
    title: "Show which lines took memory",
    description:
      "The source lines of a run that took the most memory themselves, heaviest first: what each kept, or held only while it ran, in bytes, and how uncertain that is.",
    takes: { run: RUN, rows: ROWS, file: v.optional(TEXT), metric: METRIC },
    says: {
      run: RUN_SAYS,
      rows: rowsSay(USUAL_LINES),
      file: "Only lines of this file, by its path in the project.",
      metric: METRIC_SAYS,
    },
  },
  async ({ run, rows = USUAL_LINES, file, metric = "rss" }, workspace) => {
    const asked = await askedRun(workspace, run);
    return fitted(await linesAnswer(asked, metric, file), rows, rows > USUAL_LINES);
  },
);

type Line = ReadLine & Figures & { readonly line: number };

/** @throws UserError `no-lines`, `no-metric`, `no-such-file` */
export async function linesAnswer(
  { reader, profile, heading, data }: AskedRun,
  wanted: Metric,
  file?: string,
): Promise<(rows: number) => Answer> {
  check(profile, wanted, file);
  const lines = (await heaviestLines(reader, byMetric(profile, wanted))).filter(
    ({ path }) => file === undefined || path === file,
  );
  const peak = reader.rssPeak();
  return (rows) => {
    const shown = lines.slice(0, rows);
    const left = lines.length - shown.length;
    return {
      lines: [
        ...heading,
        peak === undefined ? "The peak of its RSS is not known." : `Its RSS was ${formatBytes(peak)} at the most.`,
        shown.length === 0
          ? "No line took memory that could be measured."
          : `Lines that took the most ${METRIC_NAMES[wanted]} memory themselves (MiB = 2^20 bytes):`,
        ...shown.map(lineText),
        ...(left > 0 ? [`${left} more lines took less.`] : []),
      ],
      data: {
        ...data,
        ...defined({ rss_peak_bytes: peak }),
        metric: wanted,
        exact: profile.run.engine.exact,
        lines: shown.map(lineData),
        left_out: left,
      },
    };
  };
}

function check({ run, metrics, files }: Profile, wanted: Metric, file: string | undefined): void {
  if (run.engine.name === "massif") {
    throw new UserError(
      "no-lines",
      "The run is one of Massif, whose lines hold parts of its heap; this tool does not list them.",
      `The person can see them with: jetson-memprof show ${run.id}`,
    );
  }
  if (metricOf(metrics, wanted) !== wanted) {
    throw new UserError(
      "no-metric",
      `The run has no ${METRIC_NAMES[wanted]} figures by line.`,
      `It has: ${[...metrics].join(", ")}.`,
    );
  }
  if (file !== undefined && !files.some(({ path, lines }) => path === file && lines.length > 0))
    throw new UserError(
      "no-such-file",
      "The run did not measure a file of that name.",
      "get_lines without file names those.",
    );
}

async function heaviestLines(reader: RunReader, { files }: Profile): Promise<readonly OwnLine<Line>[]> {
  const read = await Promise.all(
    files.map(async (file) => {
      const source = sourceLines((await reader.source(file.path)) ?? "");
      const functions = linesByFunction(file).map((part) => ({
        name: part.name,
        peak: functionPeak(part),
        lines: part.lines.map((row): Line => ({ ...row, text: source[row.line - 1] ?? "" })),
      }));
      return { path: file.path, functions };
    }),
  );
  return heaviestOwnLines(read, Number.POSITIVE_INFINITY);
}

function lineText({ path, row, kind, bytes }: OwnLine<Line>): string {
  const figure = `${isLowerBound(row) ? "at least " : ""}${formatBytes(bytes)} ${kind === "kept" ? "kept" : "held while it ran"}`;
  const unsure = row.uncertain === undefined || row.uncertain === 0 ? "" : ` ± ${formatBytes(row.uncertain)}`;
  return `  ${figure}${unsure}  ${quoted(`${path}:${row.line}`, 200)}  ${quoted((row.text ?? "").trim(), 120)}`;
}

function lineData({ path, row, kind, bytes }: OwnLine<Line>): object {
  return defined({
    file: untrusted(path, 200),
    line: row.line,
    text: untrusted((row.text ?? "").trim(), 120),
    kind,
    bytes,
    at_least: isLowerBound(row) ? true : undefined,
    uncertain_bytes: row.uncertain,
    net_bytes: row.net,
    self_bytes: row.self,
    peak_bytes: row.peak,
    hits: row.hits,
  });
}
