// Bundles programs for Node as the build does, for tests of what its plugins leave of libraries.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as esbuild from "esbuild";
import { afterAll, beforeAll } from "vitest";
import { root } from "../setup.mjs";

/**
 * In a folder that is gone after the file's tests.
 *
 * @param {esbuild.BuildOptions} options
 * @returns {(contents: string, name: string) => Promise<string>} makes a bundle of that program: its file
 */
export function useBundles(options) {
  let folder = "";
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "memprof-slim-"));
  });
  afterAll(() => fs.rmSync(folder, { recursive: true }));
  return async (contents, name) => {
    const outfile = path.join(folder, `${name}.cjs`);
    await esbuild.build({
      stdin: { contents, resolveDir: root },
      outfile,
      bundle: true,
      format: "cjs",
      platform: "node",
      mainFields: ["module", "main"],
      logLevel: "silent",
      ...options,
    });
    return outfile;
  };
}
