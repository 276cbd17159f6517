// Bundles the suite into one file that an extension host can load.
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** @returns {Promise<string>} the path of the module whose `run()` the extension host calls */
export async function bundleInHostSuite() {
  const outfile = `${root}out/inhost/index.cjs`;
  await esbuild.build({
    entryPoints: ["test/workbench/inhost/index.ts"],
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
