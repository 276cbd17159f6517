// CommonJS in which bundles share what they have in common. esbuild splits ES modules only, so it splits those, and each
// file then becomes CommonJS: VS Code hands out its API through `require`, and Node starts CommonJS sooner.
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as esbuild from "esbuild";

const SOURCE_MAP = "\n//# sourceMappingURL=";

/** What esbuild begins each file with that becomes CommonJS; here all load it from this one, some 13 KB less in the package. */
const HELPERS = "chunks/modules.cjs";

/** @type {import("esbuild").Plugin} */
export const commonJsChunks = {
  name: "common-js-chunks",
  setup(build) {
    const options = build.initialOptions;
    const { target, platform, sourcemap, outdir, absWorkingDir } = options;
    const folder = path.resolve(absWorkingDir ?? ".", outdir ?? ".");
    // A map in the file itself goes through the second step.
    Object.assign(options, { write: false, sourcemap: sourcemap ? "inline" : false });
    // Not made small here, so that the helpers are called what they are; what follows has its short names already.
    const asCommonJs = {
      format: "cjs",
      target,
      platform,
      sourcemap: sourcemap ? "external" : false,
      supported: { "dynamic-import": false },
    };

    async function write(file, helpers) {
      const { code, map } = await esbuild.transform(file.text, asCommonJs);
      const place = path.relative(path.dirname(file.path), path.join(folder, HELPERS));
      const text = withHelpersFrom(`./${place.replaceAll(path.sep, "/")}`, code, helpers);
      await fs.mkdir(path.dirname(file.path), { recursive: true });
      const mapFile = `${file.path}.map`;
      await fs.writeFile(file.path, map === "" ? text : `${text}${SOURCE_MAP.slice(1)}${path.basename(mapFile)}\n`);
      if (map !== "") await fs.writeFile(mapFile, map);
    }
    build.onEnd(async ({ outputFiles, metafile }) => {
      const helpers = await helpersOf(asCommonJs);
      await Promise.all((outputFiles ?? []).map((file) => write(file, helpers)));
      const text = `${helpers.map(({ declared }) => declared).join("")}module.exports = { ${helpers.map(({ name }) => name).join(", ")} };\n`;
      await fs.writeFile(path.join(folder, HELPERS), text);
      // As if esbuild had written it: it is made smaller and kept with the others.
      const own = path.relative(absWorkingDir ?? ".", path.join(folder, HELPERS));
      if (metafile) metafile.outputs[own] = { bytes: text.length, inputs: {}, imports: [], exports: [] };
    });
  },
};

/** @returns {Promise<{name: string, declared: string}[]>} in the order in which esbuild declares them, as it does so */
async function helpersOf(options) {
  const { code } = await esbuild.transform(`import one from "./one.cjs"; export { one };`, {
    ...options,
    sourcemap: false,
  });
  const all = code.slice(0, code.indexOf("var stdin_exports"));
  return all.split(/^(?=var )/m).map((declared) => ({ name: /^var (\w+)/.exec(declared)?.[1] ?? "", declared }));
}

/** `code` without the declarations that it begins with; as many lines as before, for its source map. */
function withHelpersFrom(place, code, helpers) {
  const [hashbang] = /^#!.*\n/.exec(code) ?? [""];
  let rest = code.slice(hashbang.length);
  const gone = [];
  for (const helper of helpers) {
    if (!rest.startsWith(helper.declared)) continue;
    rest = rest.slice(helper.declared.length);
    gone.push(helper);
  }
  const used = gone.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(rest)).map(({ name }) => name);
  if (used.length === 0) return code;
  const lines = code.slice(hashbang.length, -rest.length).split("\n").length - 1;
  return `${hashbang}var { ${used.join(", ")} } = require(${JSON.stringify(place)});${"\n".repeat(lines)}${rest}`;
}
