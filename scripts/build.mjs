// Bundles the four programs: extension and language server (CommonJS, for VS Code's Node), command line, webviews.
// What several of them use is in dist/chunks/, once.
import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { commonJsChunks } from "./commonJsChunks.mjs";
import { joinSmallChunks } from "./joinSmallChunks.mjs";
import { minifyAgain } from "./minifyAgain.mjs";
import { sharedStyle, sharedStyleApart } from "./sharedStyle.mjs";
import { slimLanguageClient, slimScales, slimSsh2 } from "./slimLibraries.mjs";
import { slimMcp } from "./slimMcp.mjs";
import { slimProtocol } from "./slimProtocol.mjs";
import { vscodeOnce } from "./vscodeOnce.mjs";
import { packedWords } from "./words.mjs";
import { workerInputs, workerText } from "./workerText.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

// What the extension imports only on first need is a bundle of its own: VS Code compiles the whole of extension.cjs
// at activation, however little of it runs.
const loadedOnNeed = {
  exportRun: "src/editor/formats/exportRun.ts",
  onBoard: "src/editor/onBoard.ts",
  remote: "src/editor/remote.ts",
  languageClient: "src/editor/link/languageClient.ts",
  firstSteps: "src/editor/start/firstSteps.ts",
  flameView: "src/editor/massif/flameView.ts",
  memoryViews: "src/editor/board/memory/memoryViews.ts",
  endingAndDoctor: "src/editor/board/endingAndDoctor.ts",
  snapshotView: "src/editor/torch/snapshot/snapshotView.ts",
  modelPanel: "src/editor/torch/model/modelPanel.ts",
  runHistory: "src/editor/runs/history/runHistory.ts",
  sweepViews: "src/editor/sweep/sweepViews.ts",
  compareViews: "src/editor/compare/compareViews.ts",
  lineHistory: "src/editor/lines/lineHistory.ts",
  openCell: "src/editor/notebook/openCell.ts",
  importReports: "src/editor/formats/importReports.ts",
  explainTerm: "src/editor/glossary/explainTerm.ts",
  publicApi: "src/editor/api/publicApi.ts",
};
const apartOnNeed = {
  name: "apart-on-need",
  setup(build) {
    const onNeed = new RegExp(`/(${Object.keys(loadedOnNeed).join("|")})\\.ts$`);
    build.onResolve({ filter: onNeed }, ({ kind, path }) =>
      kind === "dynamic-import"
        ? { path: `./${path.split("/").at(-1).replace(/ts$/, "cjs")}`, external: true }
        : undefined,
    );
  },
};

/** Each folder of `webview/` with a `main.ts` is a page, called by the folder's name. */
function pages() {
  const folders = fs.readdirSync(`${root}webview`).filter((name) => fs.existsSync(`${root}webview/${name}/main.ts`));
  return Object.fromEntries(folders.map((name) => [name, `webview/${name}/main.ts`]));
}

const common = {
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  metafile: true,
  logLevel: "warning",
};
const node = {
  ...common,
  platform: "node",
  target: "node20",
  external: ["vscode"],
  outExtension: { ".js": ".cjs" },
  // Several dependencies ship both; the ESM build bundles smaller and without dynamic requires.
  mainFields: ["module", "main"],
};

const bundles = [
  {
    ...node,
    // In one file: nothing of it waits for another at activation.
    entryPoints: { extension: "src/extension.ts" },
    format: "cjs",
    plugins: [slimSsh2, vscodeOnce, apartOnNeed],
    // VS Code hands out its API through require.
    supported: { "dynamic-import": false },
  },
  {
    ...node,
    entryPoints: { ...loadedOnNeed, server: "src/server/start.ts", cli: "src/cli/main.ts" },
    chunkNames: "chunks/[hash]",
    plugins: [slimSsh2, slimProtocol, slimLanguageClient, slimMcp, slimScales, vscodeOnce],
    format: "esm",
    splitting: true,
  },
  {
    ...common,
    entryPoints: { ...pages(), ...sharedStyle },
    platform: "browser",
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[hash]",
    target: "es2022",
    plugins: [workerText({ again: production }), sharedStyleApart, slimScales],
  },
];

fs.mkdirSync(`${root}dist`, { recursive: true });
fs.writeFileSync(`${root}dist/zh-cn.json.br`, packedWords("zh-cn", "zh-CN"));
const inputs = new Set();
const outputs = new Set();
for (const bundle of bundles) {
  const options = bundle.splitting ? await joinSmallChunks(bundle) : bundle;
  if (bundle.splitting && bundle.platform === "node") options.plugins.push(commonJsChunks);
  if (watch) {
    await (await esbuild.context(options)).watch();
    continue;
  }
  const result = await esbuild.build(options);
  for (const file of Object.keys(result.metafile.inputs)) inputs.add(file);
  for (const file of Object.keys(result.metafile.outputs).filter((file) => !file.endsWith(".map"))) {
    outputs.add(file);
    if (production) await minifyAgain(`${root}${file}`);
    console.log(`${file.padEnd(26)} ${(fs.statSync(`${root}${file}`).size / 1024).toFixed(0).padStart(6)} KiB`);
  }
}
if (!watch) {
  // A program that was started before may still need the chunks of its own build; a release has none but its own.
  const stale = fs.readdirSync(`${root}dist/chunks`).filter((name) => !outputs.has(`dist/chunks/${name}`));
  for (const name of production ? stale : []) fs.rmSync(`${root}dist/chunks/${name}`);
  fs.chmodSync(`${root}dist/cli.cjs`, 0o755);
  // The packages of which something is in a bundle, by their places in the lock file: for the bill of materials.
  const packages = [...inputs, ...workerInputs].flatMap(
    (file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  );
  fs.writeFileSync(`${root}dist/packages.json`, `${JSON.stringify([...new Set(packages)].sort(), undefined, 2)}\n`);
}
