/** Contestants in turns, round by round, at each size of the work. */

import { writeRows } from "../support/result.mjs";

export function median(figures) {
  const sorted = figures.filter((figure) => figure !== null).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
}

/**
 * The row's contestants with their runs, and those that failed at the first try, which is not counted, with the reason.
 * @param prepare is called before each figure: what is measured begins as it should
 */
export async function takeTurns({ contestants, projects, rounds, measure, prepare = () => {} }) {
  const absent = [];
  const present = [];
  for (const contestant of contestants) {
    try {
      for (const project of projects) await measure(contestant, project, await prepare(contestant, project, 0));
      present.push({ contestant, runs: projects.map(() => []) });
    } catch (error) {
      absent.push({ name: contestant.name, why: error.message });
    }
  }
  for (let round = 1; round <= rounds; round++) {
    for (const [at, project] of projects.entries()) {
      for (const { contestant, runs } of present) {
        try {
          runs[at].push(await measure(contestant, project, await prepare(contestant, project, round)));
        } catch (error) {
          console.error(`${contestant.name}: ${error.message}`);
          runs[at].push(null);
        }
      }
    }
  }
  const described = ({ contestant: { name, version, command, notes }, runs }) => ({
    name,
    version,
    command,
    notes,
    runs,
  });
  return { contestants: present.map(described), absent };
}

/** Prints the medians, in ms, and writes the rows where a file is named. */
export function finish(rows, out) {
  for (const { row, contestants } of rows) {
    const figures = contestants.map(
      ({ name, runs }) => `${name} ${runs.map((each) => median(each)?.toFixed(0)).join(" / ")} ms`,
    );
    console.log(row, figures.join("; "));
  }
  if (out !== undefined) writeRows(out, rows);
}
