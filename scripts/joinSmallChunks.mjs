// Code splitting leaves a chunk for each set of programs that share something, most of them of a few hundred bytes: each
// costs a start some 0.2 ms, and the package its entry. Here the small ones become one chunk that every program loads,
// and those that need VS Code's API another one, for the programs that need it anyway.
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as esbuild from "esbuild";

/** Bytes; larger chunks stay apart, and are loaded by those only that need them. */
const SMALL = 24 * 1024;

/**
 * @param {esbuild.BuildOptions} options of a build with `splitting`
 * @returns {Promise<esbuild.BuildOptions>} of that build with the small chunks joined
 */
export async function joinSmallChunks(options) {
  const first = await esbuild.build({ ...options, write: false, minify: true, metafile: true });
  const { outputs } = first.metafile;
  const statics = (file) => outputs[file].imports.filter(({ kind }) => kind !== "dynamic-import");
  const needsEditor = (file) =>
    statics(file).some((one) => (one.external ? one.path === "vscode" : needsEditor(one.path)));

  /** Those chunks of `candidates` that load nothing but each other and `loaded`. */
  const closed = (candidates, loaded) => {
    const fits = candidates.filter((file) =>
      statics(file).every((one) => one.external || candidates.includes(one.path) || loaded.includes(one.path)),
    );
    return fits.length === candidates.length ? fits : closed(fits, loaded);
  };
  const files = Object.keys(outputs).filter((file) => /\.c?js$/.test(file));
  const small = files.filter((file) => outputs[file].entryPoint === undefined && outputs[file].bytes < SMALL);
  const anywhere = closed(
    small.filter((file) => !needsEditor(file)),
    [],
  );
  const inEditor = closed(small.filter(needsEditor), anywhere);

  // Packages follow the modules that import them.
  const contents = (chunks) =>
    chunks
      .flatMap((file) => Object.keys(outputs[file].inputs).filter((input) => input.endsWith(".ts")))
      .map((input) => `import ${JSON.stringify(path.resolve(options.absWorkingDir, input))};\n`)
      .sort()
      .join("");
  const joined = { anywhere: contents(anywhere), "in-editor": contents([...anywhere, ...inEditor]) };
  const programs = new Map(
    files.flatMap((file) => {
      const { entryPoint } = outputs[file];
      if (entryPoint === undefined) return [];
      return [[path.resolve(options.absWorkingDir, entryPoint), needsEditor(file) ? "in-editor" : "anywhere"]];
    }),
  );
  const join = {
    name: "join-small-chunks",
    setup(build) {
      build.onResolve({ filter: /^joined:/ }, (args) => ({
        path: args.path.slice("joined:".length),
        namespace: "joined",
        sideEffects: true,
      }));
      build.onLoad({ filter: /.*/, namespace: "joined" }, (args) => ({
        contents: joined[args.path],
        resolveDir: options.absWorkingDir,
      }));
      build.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
        const kind = programs.get(file);
        if (kind === undefined) return undefined;
        const text = await fs.readFile(file, "utf8");
        return { contents: `${text}\nimport "joined:${kind}";\n`, loader: "ts" };
      });
    },
  };
  return { ...options, plugins: [join, ...options.plugins] };
}
