/**
 * From the click to the first line of the script, of a project that is unchanged on the board, at round trips of 0, 20
 * and 100 ms. Rows: click/rtt-0, click/rtt-20, click/rtt-100.
 */
import { readOptions } from "../support/options.mjs";
import { contestants, OURS, RSYNC } from "./contestants.mjs";
import { finish, median, takeTurns } from "./rounds.mjs";
import { makeProject, makeScene, PYTHON } from "./scene.mjs";

const ROUND_TRIPS = [0, 20, 100];
const { options, names: positionals } = readOptions();
const sizes = options.quick ? [50, 500] : [500, 5000];
const rounds = Number(options.rounds ?? (options.quick ? 1 : 5));
const names = positionals.length === 0 ? ROUND_TRIPS.map((ms) => `click/rtt-${ms}`) : positionals;

const scene = await makeScene();
try {
  const who = contestants(scene);
  const projects = sizes.map((files) => makeProject(scene, files));
  const rows = [];
  for (const roundTrip of ROUND_TRIPS.filter((ms) => names.includes(`click/rtt-${ms}`))) {
    await scene.roundTrip(roundTrip);
    const measure = (contestant, project) => contestant.click(project);
    const taken = await takeTurns({ contestants: who.present, projects, rounds, measure });
    rows.push(row(roundTrip, taken, who.absent));
  }
  countRoundTrips(rows);
  finish(rows, options.out);
} finally {
  await scene.close();
}

function row(roundTrip, taken, absent) {
  return {
    row: `click/rtt-${roundTrip}`,
    title: `Click to first line, round trip ${roundTrip} ms`,
    measures:
      "the time from the command to the first line of the script, of a project that the board has unchanged, over a new connection",
    unit: "ms",
    better: "less",
    ours: OURS,
    goal: { kind: "factor", than: RSYNC, atMost: 1.2 },
    work: { unit: "files", sizes },
    ...taken,
    absent: [...absent, ...taken.absent],
    python: PYTHON,
    notes: [
      "Both sides are on one machine, with a real OpenSSH server behind a proxy that holds each byte back for half the round trip.",
      "Each run checks the helper's files on the board by their hashes, compares all files of the project, and starts the script under the line engine and its supervisor; the script's figure of ssh alone is a bare start.",
    ],
  };
}

/** What a millisecond of round trip costs, from the least and the longest: how often a contestant waits for the other side. */
function countRoundTrips(all) {
  const first = all.find(({ row: name }) => name === "click/rtt-0");
  const last = all.find(({ row: name }) => name === "click/rtt-100");
  if (first === undefined || last === undefined) return;
  for (const contestant of last.contestants) {
    const same = first.contestants.find(({ name }) => name === contestant.name);
    const [slow, quick] = [median(contestant.runs[0]), same && median(same.runs[0])];
    if (slow === undefined || quick === undefined) continue;
    const note = `Waits for the other side ${((slow - quick) / 100).toFixed(1)} times until the first line.`;
    for (const { contestants: inRow } of all) {
      const there = inRow.find(({ name }) => name === contestant.name);
      if (there !== undefined) there.notes = [...there.notes, note];
    }
  }
}
