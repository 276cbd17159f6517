// Where tests look for programs.
import * as path from "node:path";
import { onPath } from "../setup.mjs";

/**
 * A PATH without the shims of pyenv and asdf, where there is a python3 beside them: each start by a shim is a dozen
 * programs more. That the product gets along with them is tested with one of the test's own.
 * @param {string} paths as in the environment
 */
export function withoutShims(paths) {
  const others = paths.split(path.delimiter).filter((folder) => path.basename(folder) !== "shims");
  const rest = others.join(path.delimiter);
  return onPath("python3", rest) ? rest : paths;
}
