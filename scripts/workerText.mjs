// `import code from "worker:./worker.ts"` gives that module's bundled code as text: a VS Code webview may start workers
// from blob addresses only, so the page carries its worker with it.
import * as path from "node:path";
import * as esbuild from "esbuild";
import { minifiedAgain } from "./minifyAgain.mjs";

/** Files that went into workers so far, as in a metafile's `inputs`: the bundles that carry them name only the worker. */
export const workerInputs = new Set();

/** @param {{ readonly again?: boolean }} [options] `again`: minified once more, as for a release @returns {esbuild.Plugin} */
export const workerText = ({ again = false } = {}) => ({
  name: "worker-text",
  setup(build) {
    build.onResolve({ filter: /^worker:/ }, (args) => ({
      path: path.resolve(args.resolveDir, args.path.slice("worker:".length)),
      namespace: "worker-text",
    }));
    build.onLoad({ filter: /.*/, namespace: "worker-text" }, async (args) => {
      const { absWorkingDir, minify, target } = build.initialOptions;
      const result = await esbuild.build({
        entryPoints: [args.path],
        absWorkingDir,
        target,
        minify,
        bundle: true,
        format: "iife",
        platform: "browser",
        write: false,
        metafile: true,
        logLevel: "silent",
      });
      for (const file of Object.keys(result.metafile.inputs)) workerInputs.add(file);
      const watchFiles = Object.keys(result.metafile.inputs).map((file) => path.resolve(absWorkingDir, file));
      const text = result.outputFiles[0]?.text ?? "";
      return { contents: again ? await minifiedAgain(text) : text, loader: "text", watchFiles };
    });
  },
});
