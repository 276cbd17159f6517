/** A run folder as a whole: read, listed, printed, explained, compared, exported and told to an agent. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { explainRun } from "../../../../src/board/node/readEnding.ts";
import { whyText } from "../../../../src/cli/board/ending/whyText.ts";
import { printReport } from "../../../../src/cli/runs/report.ts";
import { runLine } from "../../../../src/cli/runs/runsText.ts";
import { collected } from "../../../../src/cli/terminal/testing.ts";
import { compareFolders } from "../../../../src/compare/node/compareFolders.ts";
import { exportWhole, jsonExport } from "../../../../src/formats/exports/exportRun.ts";
import type { WholeRun } from "../../../../src/formats/exports/model.ts";
import { readWholeRun } from "../../../../src/formats/exports/readRun.ts";
import { wholeOf } from "../../../../src/profile/lines/totals.ts";
import { openRunFolder, type RunReader } from "../../../../src/profile/run/runFolder.ts";
import { runJson, writeFiles } from "../../../../src/profile/testing.ts";
import { createRunList } from "../../../../src/runs/list/runList.ts";
import { readSweepRun } from "../../../../src/sweep/node/readRun.ts";
import type { Random } from "../../support/random.ts";
import { demand, demandFinite, demandPrintable, type FuzzReader, type Outcome } from "../reader.ts";
import { demandAnswers } from "./agents.ts";
import { demandFiles } from "./runFiles.ts";
import { FOLDER, ID, IMPORTED, MASSIF } from "./runSamples.ts";

const MARK = "\n\x01";
const packed = (changes: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ ...FOLDER, ...changes })
    .map(([name, text]) => `${MARK}${name}\n${text}`)
    .join("");

/** A project with one run, written anew where an input's file is another than the last one's. */
function scratch() {
  const project = process.cwd();
  const runs = join(project, ".jetson-memprof/runs");
  const folder = join(runs, ID);
  mkdirSync(join(folder, "sources"), { recursive: true });
  const now = new Map<string, string>();
  /** A second run that is never damaged, for comparisons. */
  const other = join(project, "other/.jetson-memprof/runs", ID);
  writeFiles(other, FOLDER);
  const write = (input: string): void => {
    const given = new Map(
      input
        .split(MARK)
        .map((part): [string, string] => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]),
    );
    for (const name of Object.keys(FOLDER)) {
      const text = given.get(name);
      if (text === now.get(name)) continue;
      if (text === undefined) rmSync(join(folder, name));
      else writeFileSync(join(folder, name), text, "latin1");
      if (text === undefined) now.delete(name);
      else now.set(name, text);
    }
  };
  return { runs, folder, other, write };
}
let place: ReturnType<typeof scratch> | undefined;

type View = (reader: RunReader, random: Random, other: string) => Promise<void>;
const EXPORTS = ["html", "markdown", "csv", "memory_profiler", "pprof", "speedscope", "heapprofile", "json"] as const;
const REPORTS = ["table", "json", "memory_profiler"] as const;
const METRICS = ["rss", "cuda", "system", "all"] as const;

export const readers: readonly FuzzReader[] = [
  {
    name: "a whole run folder, read, listed, printed, explained, compared, exported and told to an agent",
    short: 250,
    samples: [
      packed(),
      packed({ "run.json": JSON.stringify(runJson(MASSIF)) }),
      packed({ "run.json": JSON.stringify(runJson(IMPORTED)) }),
      packed({ "run.json": JSON.stringify(runJson({ engine: { name: "memory_profiler" } })), "lines.jsonl": "" }),
    ],
    pieces: [MARK, "\n"],
    async read(input, random): Promise<Outcome> {
      place ??= scratch();
      place.write(Buffer.from(input).toString("latin1"));
      demandPrintable((await createRunList().runs([place.runs])).map(runLine).join("\n"), "the list of runs");
      const reader = openRunFolder(place.folder);
      await reader.refresh();
      demandFiles(reader.profile().files);
      demandFinite([reader.samples(), wholeOf(reader.profile(), "rss", reader.rssPeak())]);
      await random.pick(VIEWS)(reader, random, place.other);
      return "read";
    },
  },
];

/** One of them for each input: each takes as long as the reading. */
const VIEWS: readonly [View, ...View[]] = [
  async (reader, random) => {
    const output = collected();
    await printReport(reader, { format: random.pick(REPORTS), metric: random.pick(METRICS) }, output, {});
    demandPrintable(output.text(), "the report");
  },
  async (reader) => {
    const explained = await explainRun(reader);
    demandFinite(explained);
    demandPrintable(whyText("run", false, explained), "the explanation");
  },
  async (reader, random) => exported(await readWholeRun(reader), random.pick(EXPORTS)),
  async (_, random) => demandAnswers(process.cwd(), random),
  async (reader) => demandFinite(await readSweepRun(reader.folder, {})),
  async (reader, random, other) =>
    demandFinite(
      await compareFolders({ before: [other], after: [reader.folder] }, random.pick(["rss", "cuda", "system"])),
    ),
];

/** All pieces are made, as saving would. */
function exported(whole: WholeRun, format: (typeof EXPORTS)[number]): void {
  const { content } = format === "json" ? jsonExport(whole, []) : exportWhole(whole, format, {});
  for (const piece of content) demand(piece.length >= 0, "a piece is none");
}
