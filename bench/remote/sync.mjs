/**
 * A project's files on their way to the board, from the command to all of them being there. Rows: sync/one-of-10000,
 * sync/unchanged-500, sync/first-500.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import { readOptions } from "../support/options.mjs";
import { BARE, contestants, OURS, RSYNC } from "./contestants.mjs";
import { finish, takeTurns } from "./rounds.mjs";
import { makeProject, makeScene, moduleOf, PYTHON } from "./scene.mjs";

const { options, names: positionals } = readOptions();
const rounds = Number(options.rounds ?? (options.quick ? 1 : 5));
const small = options.quick ? 50 : 500;
const large = options.quick ? 100 : 1000;
const CHANGED = moduleOf(42);

const ROWS = [
  {
    row: "sync/one-of-10000",
    title: "One changed file in 10,000",
    measures: "the time from the command until the board has the changed file, over a new connection, round trip 0 ms",
    sizes: [large, 10 * large],
    goal: { kind: "factor", than: RSYNC, atMost: 1.5, at: 10 * large },
    /** The copy of each contestant lacks the same edit. */
    prepare(contestant, project, round) {
      const text = `edited = ${round}  # for ${contestant.name}\n`;
      fs.writeFileSync(path.join(project, CHANGED), text);
      return (copy) => same(fs.readFileSync(path.join(copy, CHANGED), "utf8"), text);
    },
  },
  {
    row: "sync/unchanged-500",
    title: "An unchanged project of 500 files",
    measures:
      "the time from the command until it is known that the board has all files, over a new connection, round trip 0 ms",
    sizes: [small, 10 * small],
    prepare: () => () => {},
  },
  {
    row: "sync/first-500",
    title: "A project of 500 files for the first time",
    measures: "the time from the command until the board has all files, over a new connection, round trip 0 ms",
    sizes: [small, 10 * small],
    prepare(contestant, project, round) {
      if (round > 0) removeCopy(contestant.copyOf(project));
      return (copy) => same(countFiles(copy), countFiles(project));
    },
  },
];

const scene = await makeScene();
try {
  const who = contestants(scene);
  const rows = [];
  for (const { row, title, measures, sizes, goal, prepare } of ROWS) {
    if (positionals.length > 0 && !positionals.includes(row)) continue;
    const projects = sizes.map((files) => makeProject(scene, files));
    const measure = async (contestant, project, check) => {
      const figure = await contestant.sync(project);
      check(contestant.copyOf(project));
      return figure;
    };
    const present = who.present.filter(({ name }) => name !== BARE);
    const taken = await takeTurns({ contestants: present, projects, rounds, measure, prepare });
    rows.push({
      row,
      title,
      measures,
      unit: "ms",
      better: "less",
      ours: OURS,
      ...(goal === undefined ? {} : { goal }),
      work: { unit: "files", sizes },
      ...taken,
      absent: [...who.absent, ...taken.absent],
      python: PYTHON,
      notes: [
        "Ours looks for the interpreter, checks the helper's files and asks what the board is in the same time; rsync trusts a file of the same size and time, as ours does.",
      ],
    });
  }
  finish(rows, options.out);
} finally {
  await scene.close();
}

/** With what is remembered of it. */
function removeCopy(folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.rmSync(`${folder}.sync.json`, { force: true });
}

function countFiles(folder) {
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
}

function same(there, here) {
  if (there !== here) throw new Error(`the copy is not what it should be: ${there} for ${here}`);
}
