/** The files of a run folder, each by itself. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readMeasuredLines } from "../../../../src/massif/lineSnapshots.ts";
import { readFrameNames } from "../../../../src/massif/tree/frames.ts";
import { createLineSplitter } from "../../../../src/profile/files/lineSplitter.ts";
import { readMemoryProfilerReport, reportedFiles } from "../../../../src/profile/formats/memoryProfilerReading.ts";
import { createLineTable } from "../../../../src/profile/lines/lineTable.ts";
import type { FileProfile } from "../../../../src/profile/model.ts";
import { decodeOrigin } from "../../../../src/profile/run/origin.ts";
import { decodeListedRun, decodeRun } from "../../../../src/profile/run/runJson.ts";
import { readSnapshotRecords } from "../../../../src/profile/run/snapshotRecords.ts";
import { decodeSample, highestRss, thinSamples } from "../../../../src/profile/samples/samples.ts";
import { jsonLines, ORIGIN, runJson, SAMPLES, TORCH_LINES } from "../../../../src/profile/testing.ts";
import { UserError } from "../../../../src/profile/userError.ts";
import { KEPT, keepingOf } from "../../../../src/runs/keeping.ts";
import { readIndex } from "../../../../src/runs/list/runIndex.ts";
import { readPlan } from "../../../../src/sweep/node/planFile.ts";
import { createAccountTable } from "../../../../src/torch/model/accountTable.ts";
import { mainRoot } from "../../../../src/torch/model/bytes.ts";
import { batchSizes, chainSize, shownSize } from "../../../../src/torch/model/peaks.ts";
import { sharedLayers } from "../../../../src/torch/model/sharing.ts";
import { SMALL, TUNED } from "../../../../src/torch/model/testing.ts";
import { tuningSummary } from "../../../../src/torch/model/tuning.ts";
import { allWhatIfs } from "../../../../src/torch/whatif/allWhatIfs.ts";
import { CONTEXT } from "../../../../src/torch/whatif/testing.ts";
import { demand, demandFinite, demandInside, type FuzzReader, type Outcome } from "../reader.ts";
import {
  ALLOCATOR,
  ENDED,
  FRAMES,
  ID,
  IMPORTED,
  KEPT_FILES,
  LOAD,
  MASSIF,
  MEASURED,
  PLAN,
  REPORT,
} from "./runSamples.ts";

const textOf = (input: Uint8Array): string => Buffer.from(input).toString("utf8");

export function demandFiles(files: readonly FileProfile[]): void {
  for (const { path, lines, functions } of files) {
    demandInside(path, "a measured file");
    demandFinite([lines, functions]);
    for (const { line, hits = 0, peak = 0, usage = 0 } of lines) {
      demand(line >= 1 && hits >= 0 && peak >= 0 && usage >= 0, `line ${line} has a figure below 0`);
    }
  }
}

/** The lines that come of bytes, cut into chunks of any size: the same as when they come at once. */
function linesOf(input: Uint8Array, chunk: number): string[] {
  const splitter = createLineSplitter();
  const lines: string[] = [];
  for (let at = 0; at < input.length; at += chunk) {
    for (const line of splitter.push(input.subarray(at, at + chunk))) lines.push(line);
  }
  return lines;
}

function demandSame(input: Uint8Array, chunk: number): string[] {
  const whole = linesOf(input, input.length + 1);
  const pieces = linesOf(input, chunk);
  demand(
    whole.length === pieces.length && whole.every((line, at) => line === pieces[at]),
    `chunks of ${chunk} bytes read otherwise`,
  );
  return whole;
}

/** A project's runs folder with one run, for readers that open files themselves. */
function scratch(): { readonly runs: string; readonly folder: string } {
  const runs = join(process.cwd(), ".jetson-memprof/runs");
  const folder = join(runs, ID);
  mkdirSync(folder, { recursive: true });
  return { runs, folder };
}
let place: ReturnType<typeof scratch> | undefined;

export const readers: readonly FuzzReader[] = [
  {
    name: "run.json",
    short: 8_000,
    samples: [runJson(), runJson(ENDED), runJson(IMPORTED), runJson(MASSIF)].map((run) => JSON.stringify(run)) as [
      string,
    ],
    read(input) {
      const { run, sources } = decodeRun(textOf(input), "run.json");
      decodeListedRun(textOf(input), "run.json");
      demandFinite(run);
      for (const { path, source } of sources) for (const one of [path, source ?? path]) demandInside(one, "a source");
      demand(/^[A-Za-z0-9._-]+$/.test(run.id), "the id is none");
      return "read";
    },
  },
  {
    name: "the line table (lines.jsonl)",
    short: 3_000,
    samples: [jsonLines(TORCH_LINES), jsonLines([...TORCH_LINES.slice(0, 3), LOAD])],
    pieces: ['"record":"rows"', '"rows":[[', "[0,4,1,0,0,0,0,20,0]", '"pid":10', '"file":0', "null"],
    async read(input, random): Promise<Outcome> {
      const table = createLineTable("lines.jsonl");
      for (const line of demandSame(input, 1 + random.below(300))) table.add(line);
      const state = await table.state();
      demandFiles(state.files);
      for (const files of state.byProcess.values()) demandFiles(files);
      demandFinite([state.phases, state.lastLines, [...state.processes], state.loads]);
      for (const { at } of state.loads) demandInside(at.path, "where a file was loaded");
      return "read";
    },
  },
  {
    name: "the timeline (samples.jsonl)",
    short: 8_000,
    samples: [jsonLines(SAMPLES)],
    read(input, random) {
      const samples = demandSame(input, 1 + random.below(100)).flatMap(
        (line) => decodeSample(line, "samples.jsonl") ?? [],
      );
      demandFinite([samples, samples.reduce(highestRss, undefined)]);
      demand(thinSamples(samples, 16).length <= 16, "a thinned timeline has more samples than were asked for");
      return samples.length > 0 ? "read" : "refused";
    },
  },
  {
    name: "names, groups, commits and targets of runs",
    short: 10_000,
    samples: [...Object.values(KEPT_FILES), ORIGIN].map((file) => JSON.stringify(file)) as [string],
    read(input) {
      const text = textOf(input);
      const alone = KEPT.map((name) => keepingOf("/runs/x", new Map([[name, text]])));
      demandFinite(alone);
      if (alone.some(({ problems }) => problems.length === 0)) return "read";
      return decodeOrigin(text, "origin.json") === undefined ? "refused" : "read";
    },
  },
  {
    name: "memory_profiler's report in a run folder",
    short: 10_000,
    samples: [REPORT],
    fixtures: ["memory_profiler"],
    pieces: ["Filename: ", " MiB", "Line #", "Occurrences", "=====", "nan"],
    read(input) {
      const { sections } = readMemoryProfilerReport(textOf(input));
      demandFiles(reportedFiles(sections, () => "a.py"));
      return sections.length > 0 ? "read" : "refused";
    },
  },
  {
    name: "model accounts (model.<pid>.jsonl)",
    short: 1_500,
    samples: [jsonLines(SMALL), jsonLines(TUNED)],
    pieces: ['"record":"activations"', '"root":0', '"module":1', '"parent":', "[2,11,1600,[4,100],"],
    read(input) {
      const table = createAccountTable("model.7.jsonl");
      for (const line of textOf(input).split("\n")) table.add(line);
      const account = table.account();
      if (account === undefined) return "refused";
      demandFinite(account);
      for (const root of account.roots) {
        demandFinite([batchSizes(root), shownSize(root), chainSize(root)]);
        demandFinite(allWhatIfs({ account, root, context: CONTEXT }));
        demandFinite(tuningSummary(account, root));
      }
      demandFinite([
        mainRoot(account.roots),
        sharedLayers([
          { model: "a", account },
          { model: "b", account },
        ]),
      ]);
      return "read";
    },
  },
  {
    name: "massif's names and measured lines (massif.frames, massif.lines)",
    short: 15_000,
    samples: [FRAMES, MEASURED],
    read(input) {
      const [text, outcomes] = [textOf(input), [] as unknown[]];
      for (const read of [readFrameNames, readMeasuredLines] as const) {
        try {
          outcomes.push(read(text, "massif"));
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
        }
      }
      demandFinite(outcomes);
      return outcomes.length > 0 ? "read" : "refused";
    },
  },
  {
    name: "plans of sweeps, allocator.jsonl and the index of runs",
    short: 800,
    samples: [JSON.stringify(PLAN), ALLOCATOR, '{"schema":1,"version":1,"runs":{}}'],
    async read(input) {
      place ??= scratch();
      writeFileSync(join(place.runs, `${ID}.sweep.json`), input);
      writeFileSync(join(place.folder, "allocator.jsonl"), input);
      writeFileSync(join(dirname(place.runs), "runs-index.json"), input);
      demandFinite([...(await readIndex(place.runs)).values()]);
      const answers = await Promise.allSettled([readPlan(place.runs, ID), readSnapshotRecords(place.folder)]);
      for (const answer of answers) {
        if (answer.status === "fulfilled") demandFinite(answer.value);
        else if (!(answer.reason instanceof UserError)) throw answer.reason;
      }
      return answers.some(({ status }) => status === "fulfilled") ? "read" : "refused";
    },
  },
];
