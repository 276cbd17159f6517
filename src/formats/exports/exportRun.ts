/** A run as a file of the format that is asked for. */
import { heapProfile } from "../../massif/exports/heapprofile.ts";
import { speedscope } from "../../massif/exports/speedscope.ts";
import { mostByLine } from "../../massif/lines.ts";
import { defined } from "../../profile/defined.ts";
import type { ExportFormat } from "../../profile/formats/exportFormats.ts";
import { exportJson } from "../../profile/formats/exportJson.ts";
import { memoryProfilerReport } from "../../profile/formats/memoryProfilerReport.ts";
import { gpuJson } from "../../profile/gpu/gpuJson.ts";
import { METRIC_NAMES } from "../../profile/lines/metric.ts";
import type { RunReader } from "../../profile/run/runFolder.ts";
import { runTitle } from "../../profile/run/runJson.ts";
import { printable, sourceLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { inEnglish, piecesInEnglish } from "../../words/inEnglish.ts";
import { listed, t } from "../../words/t.ts";
import { htmlReport } from "../html/report.ts";
import { callers } from "./callers.ts";
import { csv, type HeapOfLine } from "./csv.ts";
import { heapJson } from "./heapJson.ts";
import { choiceNotes, processesNote, projectLines, singleMetric } from "./lineFigures.ts";
import { lineTree, ownNotes } from "./lineTree.ts";
import { markdown } from "./markdown.ts";
import type { Exported, ExportOptions, WholeRun } from "./model.ts";
import { linesPprof, stacksPprof } from "./pprof/pprof.ts";
import { readMomentRecords, readWholeRun } from "./readRun.ts";

/**
 * @param reader of the run, refreshed
 * @throws UserError `nothing-to-export` and those of reading the run
 */
export async function exportRun(reader: RunReader, format: ExportFormat, options: ExportOptions): Promise<Exported> {
  const run = await readWholeRun(reader);
  if (format === "json") return jsonExport(run, await readMomentRecords(reader.folder));
  return exportWhole(run, format, options);
}

/** As exportRun, of a run that has been read, without files beside it. @throws UserError `nothing-to-export` */
export function exportWhole(run: WholeRun, format: Exclude<ExportFormat, "json">, { metric }: ExportOptions): Exported {
  const chosen = choiceNotes(run.profile, metric);
  switch (format) {
    case "html":
      return { content: piecesInEnglish(htmlReport(run, metric)), notes: chosen };
    case "markdown":
      return { content: piecesInEnglish(markdown(run, metric)), notes: chosen };
    case "csv":
      return csvExport(run);
    case "memory_profiler":
      return memoryProfilerExport(run);
    case "pprof":
      return pprofExport(run, { ...defined({ metric }) });
    case "speedscope": {
      const { tree, notes } = oneTree(run, metric);
      const content = piecesInEnglish(speedscope(tree, { name: runTitle(run.profile.run) }));
      return { content, notes: [...chosen, ...notes] };
    }
    case "heapprofile": {
      const { tree, notes } = oneTree(run, metric);
      return { content: piecesInEnglish(heapProfile(tree)), notes: [...chosen, ...notes] };
    }
  }
}

export function jsonExport(run: WholeRun, moments: readonly object[]): Exported {
  const { problems: _, ...kept } = run.keeping;
  const json = inEnglish(() =>
    exportJson(run.profile, undefined, {
      samples: run.samples,
      sources: run.sources,
      moments,
      kept,
      heaps: [...run.heaps, ...(run.sampledHeaps ?? [])].map(heapJson),
      gpu: (run.gpu ?? []).map(gpuJson),
    }),
  );
  return {
    content: [`${JSON.stringify(json)}\n`],
    notes:
      run.heaps.length > 0
        ? [t("The call stacks of massif are not in it; what each line, library and function held at the peak is.")]
        : [],
  };
}

function csvExport({ profile, sources, heaps }: WholeRun): Exported {
  if (heaps.length === 0) return { content: csv(profile, sources), notes: [] };
  const lines = mostByLine(heaps.map(({ stacks }) => projectLines(stacks)));
  const atPeak = new Map(lines.map((row) => [`${row.line} ${row.path}`, row]));
  const heapOf: HeapOfLine = (path, line) => atPeak.get(`${line} ${path}`);
  return { content: csv(profile, sources, heapOf), notes: processesNote(heaps) };
}

function memoryProfilerExport({ profile, sources }: WholeRun): Exported {
  if (profile.run.engine.name === "massif") {
    throw new UserError(
      "nothing-to-export",
      t("A run under massif has no RSS by line, which is what memory_profiler's table shows."),
      t("Export it as HTML, Markdown, CSV, pprof or Speedscope."),
    );
  }
  const reports = profile.files
    .filter(({ lines }) => lines.length > 0)
    .map((file) => {
      const text = sources.get(file.path);
      const source = text === undefined ? undefined : sourceLines(text).map(printable);
      return memoryProfilerReport({ ...file, path: printable(file.path) }, source);
    });
  if (reports.length === 0) throw nothingMeasured();
  return {
    content: [reports.join("\n\n")],
    notes: [t("It has the usage, the net increment and the hits of each line; what else was measured is not in it.")],
  };
}

function pprofExport(run: WholeRun, { metric }: ExportOptions): Exported {
  const { profile, heaps } = run;
  if (profile.run.engine.name === "massif") {
    if (heaps.length === 0) throw nothingMeasured();
    const processes = heaps.map(({ label, stacks }) => ({ label, tree: callers(stacks) }));
    return { content: [inEnglish(() => stacksPprof(profile.run, processes))], notes: [] };
  }
  if (profile.files.every(({ lines }) => lines.length === 0)) throw nothingMeasured();
  const chosen = singleMetric(profile, metric);
  return {
    content: [inEnglish(() => linesPprof(profile, chosen))],
    notes: [...choiceNotes(profile, metric), ...ownNotes(profile, chosen)],
  };
}

/** What a viewer of one tree is given. */
function oneTree({ profile, heaps }: WholeRun, wanted: ExportOptions["metric"]) {
  const [main, ...more] = heaps;
  if (main !== undefined) {
    const notes =
      more.length === 0 ? [] : [t("It holds the stacks of {0} only; pprof holds all processes.", main.label)];
    return { tree: callers(main.stacks), notes };
  }
  const metric = singleMetric(profile, wanted);
  const { tree, notes } = lineTree(profile, metric);
  if (tree.frame.length === 1) throw nothingMeasured();
  const others = [...profile.metrics].filter((other) => wanted === undefined && other !== metric);
  const names = listed(others.map((other) => METRIC_NAMES[other]));
  const which = names === "" ? [] : [t("It holds {0} only; the run has {1} figures too.", METRIC_NAMES[metric], names)];
  return { tree, notes: [...which, ...notes] };
}

function nothingMeasured(): UserError {
  return new UserError(
    "nothing-to-export",
    t("No line of the project took memory in this run, so there is nothing to put into this format."),
    t("Export it as HTML or JSON, which also hold what the run was and how it ended."),
  );
}
