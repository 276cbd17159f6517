/** massif.out files that valgrind wrote for any program: kept as they are, src/massif reads them. */
import type { MassifFile } from "../../../massif/model.ts";
import { createMassifReader } from "../../../massif/reader/massifReader.ts";
import { phrase, t } from "../../../words/t.ts";
import { commandOf } from "../commandOf.ts";
import { type Importer, importedRun, MAIN, nothingFound } from "../importer.ts";
import { NO_FILES } from "../places.ts";

export const importMassif: Importer = (content, context) => {
  const reader = createMassifReader();
  reader.push(content);
  const file = reader.end();
  if (file.snapshots.length === 0) throw nothingFound(context.file, t("it has no whole snapshot."));
  const pid = Number(/\.(\d{1,9})(?:\.|$)/.exec(context.file)?.[1] ?? MAIN) || MAIN;
  const pages = /--pages-as-heap=yes/.test(file.description);
  return importedRun(context, {
    from: {
      format: "massif",
      measures: (pages
        ? phrase("mapped pages, as massif counts them")
        : phrase("blocks of the heap, as massif counts them")
      ).text,
    },
    engine: {
      name: "massif",
      exact: false,
      accelerator: false,
      massif: {
        threshold: option(file, "threshold", 1),
        depth: option(file, "depth", 30),
        pagesAsHeap: pages,
        gpu: false,
        maxHits: 0,
        lines: [],
      },
    },
    command: commandOf(file.command),
    ...(file.timeUnit === "ms" ? { elapsedMs: file.snapshots.at(-1)?.time ?? 0 } : {}),
    processes: [{ pid, kind: "main", label: "main", implementation: "massif-plain" }],
    files: NO_FILES,
    verbatim: new Map([[`massif.out.${pid}`, content]]),
    notes: [
      t("The file has no Python lines, unless its stacks name them: the flame view shows what there is."),
      ...file.problems.slice(0, 3).map(({ line, message }) => t("Line {0} of the file: {1}", line, message)),
      ...(file.problems.length > 3
        ? [t("{0} more parts of the file could not be read.", file.problems.length - 3)]
        : []),
    ],
  });
};

/** As the user gave it, else massif's own default. */
function option({ description }: MassifFile, name: string, otherwise: number): number {
  const given = Number(new RegExp(`--${name}=(\\d+(?:\\.\\d+)?)(?:\\s|$)`).exec(description)?.[1] ?? Number.NaN);
  return Number.isFinite(given) ? given : otherwise;
}
