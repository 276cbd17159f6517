/** A script of which everything is known, and the judgement of a run of it that came home. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readRunFolder } from "../../../src/profile/run/runFolder.ts";

const MIB = 2 ** 20;
/** Of `truthScript`: the line that takes memory, and how much each time. */
const TAKES_LINE = 7;
const TAKES = 4 * MIB;

/** After the step of that number the script goes no further while the file is there. */
export interface Hold {
  readonly after: number;
  readonly file: string;
}

/** Each step takes 4 MiB on line 7, prints its number and waits; every figure is known beforehand. */
export function truthScript(steps: number, pauseSeconds: number, hold?: Hold): string {
  return `import ${hold === undefined ? "time" : "os, time"}

kept = []


def take(step):
    kept.append(bytearray(${TAKES}))
    print("step", step, flush=True)


for step in range(${steps}):
    take(step)
${hold === undefined ? "" : holding(hold)}    time.sleep(${pauseSeconds})
`;
}

function holding({ after, file }: Hold): string {
  return `    while step == ${after} and os.path.exists(${JSON.stringify(file)}):\n        time.sleep(0.01)\n`;
}

/** What is wrong with a run folder of `truthScript`; all false where all is well. */
export interface Verdict {
  readonly lostProfile: boolean;
  readonly duplicatedOutput: boolean;
  readonly wrongLine: boolean;
  /** In words, for a failing test. */
  readonly why: readonly string[];
}

/**
 * @param done the steps that the run is known to have finished: exactly (a run that ended by itself), or at least (one
 *   that was killed: the figures of its last step may or may not have been taken)
 */
export async function judge(
  folder: string,
  done: { readonly exactly: number } | { readonly atLeast: number },
): Promise<Verdict> {
  const least = "exactly" in done ? done.exactly : done.atLeast;
  const why: string[] = [];
  const log = join(folder, "stdout.log");
  // A run that was killed before it printed anything has none. What follows the last line end was cut off, if anything.
  const printed = (existsSync(log) ? readFileSync(log, "utf8") : "").split("\n").slice(0, -1);
  const numbers = printed.map((line) => Number(/^step (\d+)$/.exec(line)?.[1] ?? Number.NaN));
  const inOrder = numbers.every((number, index) => number === index);
  const lostOutput = numbers.length < least || ("exactly" in done && numbers.length > least);
  if (lostOutput) why.push(`${numbers.length} lines of output, expected ${least}`);
  const duplicatedOutput = !inOrder;
  if (!inOrder) why.push(`output out of order: ${printed.slice(0, 20).join(" | ")}`);

  const profile = await readRunFolder(folder);
  const lines = profile.files.flatMap((file) => file.lines.map((line) => ({ path: file.path, ...line })));
  const takes = lines.find(({ line }) => line === TAKES_LINE);
  const hits = takes?.hits ?? 0;
  const lostLines = "exactly" in done ? hits !== least : hits < least;
  if (lostLines) why.push(`line ${TAKES_LINE} has ${hits} hits, expected ${least}`);
  // Whole pages, the list's own growth, a step that has begun: within one step.
  const wrongTaker = takes !== undefined && Math.abs((takes.self ?? 0) - hits * TAKES) > TAKES;
  if (wrongTaker) why.push(`line ${TAKES_LINE} has self ${takes?.self}, expected ${hits * TAKES}`);
  const wrongOther = lines.find(({ line, self }) => line !== TAKES_LINE && Math.abs(self ?? 0) > TAKES / 2);
  if (wrongOther) why.push(`line ${wrongOther.line} has self ${wrongOther.self}, expected next to nothing`);
  return {
    lostProfile: lostOutput || lostLines,
    duplicatedOutput,
    wrongLine: wrongTaker || wrongOther !== undefined,
    why,
  };
}

/** Verdicts as the columns of a result. */
export function counted(verdicts: readonly Verdict[]): {
  readonly trials: number;
  readonly lostProfiles: number;
  readonly duplicatedOutput: number;
  readonly wrongLine: number;
} {
  return {
    trials: verdicts.length,
    lostProfiles: verdicts.filter((one) => one.lostProfile).length,
    duplicatedOutput: verdicts.filter((one) => one.duplicatedOutput).length,
    wrongLine: verdicts.filter((one) => one.wrongLine).length,
  };
}
