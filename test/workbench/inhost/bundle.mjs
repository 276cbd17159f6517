// Bundles what runs in an extension host: the suite into one file, and the extension that it asks into another.
import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** @returns {Promise<string>} the path of the module whose `run()` the extension host calls */
export async function bundleInHostSuite() {
  return await bundle("index.ts", "index.cjs");
}

/** @returns {Promise<string>} the folder of the second extension */
export async function bundleListener() {
  await bundle("listener/extension.ts", "listener/extension.cjs");
  fs.copyFileSync(`${root}test/workbench/inhost/listener/package.json`, `${root}out/inhost/listener/package.json`);
  return `${root}out/inhost/listener`;
}

async function bundle(entry, out) {
  const outfile = `${root}out/inhost/${out}`;
  await esbuild.build({
    entryPoints: [`test/workbench/inhost/${entry}`],
    absWorkingDir: root,
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode", "mocha"],
    sourcemap: "inline",
    logLevel: "warning",
  });
  return outfile;
}
