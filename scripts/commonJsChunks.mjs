// CommonJS in which bundles share what they have in common. esbuild splits ES modules only, so it splits those, and each
// file then becomes CommonJS: VS Code hands out its API through `require`, and Node starts CommonJS sooner.
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as esbuild from "esbuild";

const SOURCE_MAP = "\n//# sourceMappingURL=";

/** @type {import("esbuild").Plugin} */
export const commonJsChunks = {
  name: "common-js-chunks",
  setup(build) {
    const options = build.initialOptions;
    const { minify, target, platform, sourcemap } = options;
    // A map in the file itself goes through the second step.
    Object.assign(options, { write: false, sourcemap: sourcemap ? "inline" : false });

    async function write(file) {
      const { code, map } = await esbuild.transform(file.text, {
        format: "cjs",
        minify,
        target,
        platform,
        sourcemap: sourcemap ? "external" : false,
        supported: { "dynamic-import": false },
      });
      await fs.mkdir(path.dirname(file.path), { recursive: true });
      const mapFile = `${file.path}.map`;
      await fs.writeFile(file.path, map === "" ? code : `${code}${SOURCE_MAP.slice(1)}${path.basename(mapFile)}\n`);
      if (map !== "") await fs.writeFile(mapFile, map);
    }
    build.onEnd(async ({ outputFiles }) => {
      await Promise.all((outputFiles ?? []).map(write));
    });
  },
};
