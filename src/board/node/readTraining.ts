/** What the runs of a project know of a training besides its model account, for estimates of what a change saves. */
import * as path from "node:path";
import { defined } from "../../profile/defined.ts";
import { stepsInTurns } from "../../profile/files/inTurns.ts";
import type { RunInfo } from "../../profile/model.ts";
import type { RunReader } from "../../profile/run/runFolder.ts";
import { readRunHead } from "../../profile/run/runHead.ts";
import { listRunFolders } from "../../profile/run/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";
import type { ModelAccount, RootAccount } from "../../torch/model/model.ts";
import { batchSizes } from "../../torch/model/peaks.ts";
import type { NamedModel } from "../../torch/model/sharing.ts";
import { readAccounts } from "../../torch/node/readAccounts.ts";
import type { LoaderLine, MeasuredRun, TrainingContext } from "../../torch/whatif/context.ts";
import { factsOf, type SourceLine } from "../advice/facts.ts";
import { copiesToDevice } from "../advice/rules/copies.ts";
import { PINNED, WORKERS, workersAt } from "../advice/rules/loader.ts";
import { readAdviceInput } from "./readEnding.ts";

/** The newest runs that are looked at. */
const MOST_RUNS = 200;

/** @param reader of the run, refreshed */
export async function readTraining(reader: RunReader): Promise<TrainingContext> {
  const [input, others] = await Promise.all([readAdviceInput(reader), readOthers(reader)]);
  const facts = await stepsInTurns(factsOf(input));
  const available = input.baseline?.meminfo["MemAvailable"];
  const workers = workersAt(input.tightest, facts);
  const { computeCapability, tegra } = input.board;
  return {
    sharedMemory: tegra,
    ...defined({ computeCapability, availableBefore: available }),
    moves: copiesToDevice(facts).map(({ made, moved, bytes }) => ({
      made: { path: made.path, line: made.line },
      moved: { path: moved.path, line: moved.line },
      bytes,
    })),
    ...defined({ workers }),
    loader: facts.lines.flatMap((line) => loaderLine(line) ?? []),
    others,
  };
}

/** @returns the newest run's model of each script, by the script's name */
export async function newestAccounts(runsFolders: readonly string[]): Promise<NamedModel[]> {
  const folders = (await Promise.all(runsFolders.map(listRunFolders))).flat().slice(0, MOST_RUNS);
  const models = new Map<string, NamedModel>();
  for (const folder of folders) {
    const found = await readWhere(folder, (run) => !models.has(programOf(run)));
    const account = found?.accounts.find(({ trial }) => trial === undefined);
    if (found === undefined || account === undefined) continue;
    models.set(programOf(found.run), { model: programOf(found.run), account });
  }
  return [...models.values()];
}

async function readOthers({ folder, profile }: RunReader): Promise<MeasuredRun[]> {
  const { run } = profile();
  const others: MeasuredRun[] = [];
  const siblings = (await listRunFolders(path.dirname(folder))).filter((other) => other !== folder);
  for (const other of siblings.slice(0, MOST_RUNS)) {
    const found = await readWhere(other, (one) => sameProgram(one, run));
    if (found === undefined) continue;
    for (const account of found.accounts) others.push(...measuredRuns(found.run, account, run));
  }
  return others;
}

function programOf({ id, command }: RunInfo): string {
  return command.script ?? command.module ?? id;
}

function sameProgram(a: RunInfo, b: RunInfo): boolean {
  return (
    a.command.script === b.command.script &&
    a.command.module === b.command.module &&
    a.board.hostname === b.board.hostname &&
    a.board.simulated === b.board.simulated
  );
}

function measuredRuns(run: RunInfo, { roots, trial }: ModelAccount, of: RunInfo): MeasuredRun[] {
  // What was not applied, or not everywhere, measures something else.
  if (trial?.refused !== undefined) return [];
  const sameArguments = JSON.stringify(run.command.args) === JSON.stringify(of.command.args);
  return roots.flatMap((root: RootAccount) =>
    batchSizes(root).map(({ batch, peak, measure, activations }) => ({
      run: run.id,
      root: root.type,
      ...defined({ trial: trial?.trial, batch }),
      ...(peak === undefined || measure === undefined ? {} : { peak, measure }),
      ...defined({ activations }),
      sameArguments,
    })),
  );
}

/** Accounts may be large, so only those of wanted runs are read. Runs that cannot be read do not count. */
async function readWhere(folder: string, wanted: (run: RunInfo) => boolean) {
  try {
    const { run } = await readRunHead(folder);
    return wanted(run) ? { run, accounts: await readAccounts(folder) } : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function loaderLine({ path: file, line, text }: SourceLine): LoaderLine | undefined {
  const workers = WORKERS.exec(text)?.[0].replace(/\D+/, "");
  const pinned = PINNED.test(text);
  if (workers === undefined && !pinned) return undefined;
  return { path: file, line, ...defined({ workers: workers === undefined ? undefined : Number(workers) }), pinned };
}
