/**
 * What the extension costs the editor: activation, scrolling through decorated lines, hovers, the package's size. Rows
 * as in bench/README.md: `node bench/editor/editor.mjs --out FILE [--rounds N] [--quick] [ROW ...]`.
 */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { bundlePrograms } from "../../scripts/bundleProgram.mjs";
import { packageExtension } from "../../scripts/package.mjs";
import { readOptions } from "../support/options.mjs";
import { writeRows } from "../support/result.mjs";
import { visit } from "./window.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
const OURS = "Jetson Memory Profiler";
const SCROLLS = 20;
const HOVERS = 40;

const { options, names: wanted } = readOptions();
const rounds = Number(options.rounds ?? (options.quick ? 1 : 4));
/** Lines of the file, and as many runs for each 500 of them. */
const sizes = options.quick ? [10_000] : [10_000, 100_000];
const runsAt = (lines) => lines / 500;
const ROWS = ["editor/activation", "editor/scroll", "editor/scroll-frame", "editor/hover", "editor/bundle"];
const rows = wanted.length === 0 ? ROWS : ROWS.filter((row) => wanted.includes(row));

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "jmp-bench-editor-")));
try {
  const vsix = await packageExtension();
  const taken = rows.some((row) => row !== "editor/bundle") ? await measure(vsix) : undefined;
  const made = rows.map((row) => (row === "editor/bundle" ? bundleRow(vsix) : windowRow(row, taken)));
  if (options.out !== undefined) writeRows(options.out, made);
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}

/** @returns for each size the figures of each round */
async function measure(vsix) {
  execFileSync("python3", ["-m", "zipfile", "-e", vsix, path.join(scratch, "packed")]);
  const extension = path.join(scratch, "packed/extension");
  const tests = path.join(scratch, "inhost.cjs");
  await bundlePrograms({ manyLines: "test/faults/load/support/manyLines.ts" }, scratch);
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ["bench/editor/inhost.ts"],
    outfile: tests,
    bundle: true,
    platform: "node",
    external: ["vscode"],
  });
  const { writeRun } = createRequire(import.meta.url)(path.join(scratch, "manyLines.cjs"));
  const projects = sizes.map((lines) => {
    const folder = path.join(scratch, `project-${lines}`);
    for (let i = 1; i < runsAt(lines); i++)
      writeRun(folder, `20260101-${String(i).padStart(6, "0")}-small-0001`, new Map([["small.py", 500]]), 1);
    const run = writeRun(folder, "20260102-000000-large-0001", new Map([["large.py", lines]]), 1);
    return { lines, folder, run };
  });
  const taken = sizes.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, { lines, folder, run }] of projects.entries()) {
      const order = { script: path.join(folder, "large.py"), run, lines, scrolls: SCROLLS, hovers: HOVERS };
      const figures = await visit({ folder, extension, tests, scratch }, order).catch((error) => {
        console.error(`${lines} lines: ${error.message}`);
        return undefined;
      });
      const fresh = Number(execFileSync(process.execPath, [path.join(root, "bench/editor/freshHost.cjs"), extension]));
      console.error(lines, { ...figures, fresh });
      taken[at].push({ ...figures, fresh });
    }
  }
  return taken;
}

function windowRow(row, taken) {
  const each = (figure) => taken.map((round) => round.map((figures) => figures[figure] ?? null));
  const ours = (figure, command) => ({ name: OURS, version, command, runs: each(figure) });
  const window = "node bench/editor/editor.mjs";
  const common = {
    row,
    unit: "ms",
    better: "less",
    ours: OURS,
    work: { unit: "lines", sizes: sizes.length > 1 ? sizes : [1] },
  };
  const seen = "In the browser-run VS Code (code-server's, headless Chromium, no graphics processor), from the .vsix.";
  switch (row) {
    case "editor/activation":
      return {
        ...common,
        title: "Activation of the extension",
        measures: "milliseconds that VS Code tells for loading the code and the call of activate",
        goal: { kind: "bound", atMost: 30 },
        work: { unit: "runs in the folder", sizes: sizes.length > 1 ? sizes.map(runsAt) : [1] },
        contestants: [
          ours("activation", "Developer: Show Running Extensions"),
          {
            name: "in a fresh Node",
            version,
            command: "node bench/editor/freshHost.cjs FOLDER",
            runs: each("fresh"),
            notes: "With something in the place of VS Code's API that takes every call: what is left is our own part.",
          },
        ],
        notes: [seen, "While the window starts, as it is for everyone."],
      };
    case "editor/scroll":
      return {
        ...common,
        title: "Scrolling through decorated lines: our work",
        measures: "milliseconds that the extension works after a scroll, VS Code's own part of each call included",
        goal: { kind: "bound", atMost: 16 },
        contestants: [ours("scroll", window)],
        notes: [seen, `Every line was measured. Mean of ${SCROLLS} jumps, each to where no line has its figures yet.`],
      };
    case "editor/scroll-frame":
      return {
        ...common,
        title: "Scrolling through decorated lines: the longest frame",
        measures: "milliseconds of the longest frame of the window during the same jumps",
        contestants: [
          ours("longest", window),
          { name: "without figures", version: "", command: window, runs: each("bare") },
        ],
        notes: [
          seen,
          "A frame cannot be shorter than 16.7 ms. The window draws in software, other lines at each jump.",
        ],
      };
    case "editor/hover":
      return {
        ...common,
        title: "Hover",
        measures: "milliseconds from VS Code's request to the content, through the extension and its language server",
        goal: { kind: "bound", atMost: 20 },
        contestants: [ours("hover", "vscode.executeHoverProvider")],
        notes: [seen, `Mean of ${HOVERS} lines all over the file. Each answer has the line's figures.`],
      };
  }
}

function bundleRow(vsix) {
  return {
    row: "editor/bundle",
    title: "Size of the package",
    measures: "the .vsix file, in units of 1,000,000 bytes",
    unit: "MB",
    better: "less",
    ours: OURS,
    goal: { kind: "bound", atMost: 1.2 },
    work: { unit: "package", sizes: [1] },
    contestants: [{ name: OURS, version, command: "npm run package", runs: [[fs.statSync(vsix).size / 1e6]] }],
  };
}
