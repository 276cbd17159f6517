/** Text reports of the package memory_profiler; the grammar is in src/profile/formats/memoryProfilerReading.ts. */

import {
  type ReportSection,
  readMemoryProfilerReport,
  reportedFiles,
} from "../../../profile/formats/memoryProfilerReading.ts";
import { formatCount } from "../../../profile/text/format.ts";
import { phrase, t } from "../../../words/t.ts";
import { type Importer, importedRun, nothingFound, type ReportedFile } from "../importer.ts";
import { placeFiles } from "../places.ts";
import { decodeText, foreignNote } from "../text/decodeText.ts";

export const importMemoryProfiler: Importer = (content, context) => {
  const { text, foreignLines } = decodeText(content);
  const { sections, cutOff, damaged } = readMemoryProfilerReport(text);
  if (sections.length === 0) {
    throw nothingFound(
      context.file,
      t(
        'no row of memory_profiler\'s table was found, such as "    87 2081.602 MiB 1585.188 MiB           1   net = net.to(device)".',
      ),
    );
  }
  const again = repeated(sections);
  return importedRun(context, {
    from: {
      format: "memory_profiler",
      measures: phrase("process memory as memory_profiler reads it (RSS, unless it was told otherwise)").text,
    },
    engine: { name: "memory_profiler", exact: false, accelerator: false },
    files: placeFiles(filesOf(sections), context),
    notes: [
      ...foreignNote(foreignLines),
      ...(cutOff ? [t("The report ends in the middle of a row, which was left out.")] : []),
      ...damagedNote(damaged),
      ...(again > 0
        ? [
            again === 1
              ? t(
                  "1 table is of lines that were reported before, as of a function's next call: increments and occurrences were added up.",
                )
              : t(
                  "{0} tables are of lines that were reported before, as of a function's next call: increments and occurrences were added up.",
                  again,
                ),
          ]
        : []),
      ...(sections.some(({ rows }) => rows.some(({ hits }) => hits === undefined))
        ? [t("The report has no occurrences (memory_profiler before 0.58), so how often lines ran is not known.")]
        : []),
    ],
  });
};

/** So many lines are named. */
const MOST_NAMED = 50;

function damagedNote(lines: readonly number[]): string[] {
  const [first, ...more] = lines;
  if (first === undefined) return [];
  if (more.length === 0) return [t("1 row could not be read and was left out: line {0} of the report.", first)];
  const named = [...lines.slice(0, MOST_NAMED), ...(lines.length > MOST_NAMED ? ["…"] : [])].join(t(", "));
  const count = formatCount(lines.length);
  return [t("{0} rows could not be read and were left out: lines {1} of the report.", count, named)];
}

function filesOf(sections: readonly ReportSection[]): ReportedFile[] {
  const texts = new Map<string, Map<number, string>>();
  for (const { name, text } of sections) {
    const all = texts.get(name) ?? new Map<number, string>();
    for (const [line, printed] of text) all.set(line, printed);
    texts.set(name, all);
  }
  return reportedFiles(sections, (name) => name).map(({ path, lines }) => ({
    name: path,
    lines,
    text: texts.get(path) ?? new Map(),
  }));
}

/** Tables whose first line another table had before. */
function repeated(sections: readonly ReportSection[]): number {
  const seen = new Set<string>();
  let count = 0;
  for (const { name, rows } of sections) {
    const key = `${rows[0]?.line} ${name}`;
    if (seen.has(key)) count++;
    seen.add(key);
  }
  return count;
}
