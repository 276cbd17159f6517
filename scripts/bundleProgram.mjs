/** Programs of ours bundled for tests and benches: as they are shipped, but each whole in itself and not minified. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { slimScales, slimSsh2 } from "./slimLibraries.mjs";
import { slimMcp } from "./slimMcp.mjs";
import { slimProtocol } from "./slimProtocol.mjs";

const absWorkingDir = fileURLToPath(new URL("..", import.meta.url));
const options = {
  absWorkingDir,
  platform: "node",
  format: "cjs",
  target: "node20",
  bundle: true,
  mainFields: ["module", "main"],
  plugins: [slimMcp, slimProtocol, slimSsh2, slimScales],
  logLevel: "warning",
};

export async function bundlePrograms(entryPoints, folder) {
  await esbuild.build({ ...options, entryPoints, outdir: folder, outExtension: { ".js": ".cjs" } });
}

export async function bundleText(contents, name, folder) {
  const outfile = join(folder, `${name}.cjs`);
  await esbuild.build({ ...options, stdin: { contents, resolveDir: absWorkingDir, loader: "ts" }, outfile });
  return outfile;
}
