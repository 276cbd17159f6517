// Bundles the four programs: extension and language server (CommonJS, for VS Code's Node), command line, webviews.
import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { workerText } from "./workerText.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

// ssh2 tries two native add-ons and falls back to JavaScript when they are missing; we ship the JavaScript.
const withoutNativeAddons = {
  name: "without-native-addons",
  setup(build) {
    build.onResolve({ filter: /\.node$|^cpu-features$/ }, (args) => ({ path: args.path, namespace: "absent-addon" }));
    build.onLoad({ filter: /.*/, namespace: "absent-addon" }, () => ({
      contents: "throw new Error('native add-on left out of the bundle');",
    }));
  },
};

// What the extension imports only on first need is a bundle of its own: VS Code compiles the whole of extension.cjs
// at activation, however little of it runs.
const loadedOnNeed = {
  remote: "src/editor/remote.ts",
  languageClient: "src/editor/link/languageClient.ts",
  flameView: "src/editor/massif/flameView.ts",
  memoryViews: "src/editor/board/memoryViews.ts",
  endingAndDoctor: "src/editor/board/endingAndDoctor.ts",
  snapshotView: "src/editor/snapshot/snapshotView.ts",
  modelPanel: "src/editor/model/modelPanel.ts",
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

const node = {
  platform: "node",
  format: "cjs",
  target: "node20",
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
  // Several dependencies ship both; the ESM build bundles smaller and without dynamic requires.
  mainFields: ["module", "main"],
  plugins: [withoutNativeAddons],
};

const bundles = [
  {
    ...node,
    entryPoints: { extension: "src/extension.ts" },
    external: ["vscode"],
    plugins: [...node.plugins, apartOnNeed],
    // VS Code hands out its API through require.
    supported: { "dynamic-import": false },
  },
  { ...node, entryPoints: loadedOnNeed, external: ["vscode"] },
  { ...node, entryPoints: { server: "src/server/main.ts" } },
  { ...node, entryPoints: { cli: "src/cli/main.ts" }, banner: { js: "#!/usr/bin/env node" } },
  {
    entryPoints: {
      timeline: "webview/timeline/main.ts",
      massif: "webview/massif/main.ts",
      ending: "webview/ending/main.ts",
      doctor: "webview/doctor/main.ts",
      memory: "webview/memory/main.ts",
      snapshot: "webview/snapshot/main.ts",
      model: "webview/model/main.ts",
    },
    platform: "browser",
    format: "iife",
    target: "es2022",
    bundle: true,
    minify: production,
    sourcemap: production ? false : "linked",
    logLevel: "warning",
    plugins: [workerText],
  },
];

fs.mkdirSync(`${root}dist`, { recursive: true });
for (const bundle of bundles) {
  const options = {
    ...bundle,
    absWorkingDir: root,
    outdir: "dist",
    outExtension: { ".js": bundle.platform === "node" ? ".cjs" : ".js" },
    metafile: true,
  };
  if (watch) {
    await (await esbuild.context(options)).watch();
    continue;
  }
  const result = await esbuild.build(options);
  for (const [file, { bytes }] of Object.entries(result.metafile.outputs)) {
    if (!file.endsWith(".map")) console.log(`${file.padEnd(24)} ${(bytes / 1024).toFixed(0).padStart(6)} KiB`);
  }
}
if (!watch) fs.chmodSync(`${root}dist/cli.cjs`, 0o755);
