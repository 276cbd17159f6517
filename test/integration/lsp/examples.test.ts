import * as childProcess from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readOptions } from "../../../src/server/standalone/options.ts";
import { requirement } from "../../support/requirement.ts";

/** Python has a reader of TOML from 3.11 on. */
const TOML = "import json, sys, tomllib; print(json.dumps(tomllib.load(open(sys.argv[1], 'rb'))))";
const found = childProcess
  .spawnSync("python3", ["-c", "import tomllib; print(tomllib.__file__)"], { encoding: "utf8" })
  .stdout.trim();

it.skipIf(!requirement("Python 3.11 or newer", found))(
  "the configuration for Helix is TOML that starts the server with options that it takes",
  () => {
    const file = fileURLToPath(new URL("../../../docs/examples/helix-languages.toml", import.meta.url));
    const { "language-server": servers, language } = JSON.parse(
      childProcess.execFileSync("python3", ["-c", TOML, file], { encoding: "utf8" }),
    );
    const server = servers["jetson-memprof"];
    expect(server).toMatchObject({ command: "jetson-memprof", args: ["lsp"] });
    expect(readOptions(server.config).problem).toBeUndefined();
    expect(language).toMatchObject([
      { name: "python", "language-servers": expect.arrayContaining(["jetson-memprof"]) },
    ]);
  },
);
