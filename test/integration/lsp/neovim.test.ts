import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeProject, runFiles, runJson } from "../../../src/profile/testing.ts";
import { requirement } from "../../support/requirement.ts";
import { buildPrograms } from "./client.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const NEOVIM = process.env["JETSON_MEMPROF_NEOVIM"] ?? "/usr/bin/nvim";

let built: string;
beforeAll(async () => {
  built = await buildPrograms();
  // On the PATH under its own name, as the documented configuration expects it.
  const command = path.join(built, "bin", "jetson-memprof");
  fs.mkdirSync(path.dirname(command));
  fs.writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${path.join(built, "cli.cjs")}" "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(() => fs.rmSync(built, { recursive: true, force: true }));

describe.skipIf(!requirement("Neovim", NEOVIM))("Neovim with the documented configuration", () => {
  it("shows code lenses, hover, the line where the run was killed, and what its command chooses", () => {
    const exit = { kind: "out-of-memory", signal: "SIGKILL", evidence: "the kernel's log says: Killed process 10" };
    const last_lines = [{ pid: 10, thread: "MainThread", path: "train.py", line: 7 }];
    const { project, remove } = makeProject(runFiles({ "run.json": JSON.stringify(runJson({ exit, last_lines })) }));
    try {
      const probe = fileURLToPath(new URL("probe.lua", import.meta.url));
      const { stdout, stderr } = childProcess.spawnSync(
        NEOVIM,
        [
          "--headless",
          "-n",
          "-i",
          "NONE",
          "-u",
          `${root}docs/examples/neovim.lua`,
          "train.py",
          "-c",
          `luafile ${probe}`,
          "-c",
          "cquit",
        ],
        {
          cwd: project,
          encoding: "utf8",
          timeout: 100_000,
          env: {
            ...process.env,
            PATH: `${path.join(built, "bin")}:${process.env["PATH"]}`,
            XDG_CONFIG_HOME: built,
            XDG_STATE_HOME: built,
            XDG_CACHE_HOME: built,
            XDG_DATA_HOME: built,
          },
        },
      );
      expect(stdout, stderr).toMatch(/^\{/);
      const seen = JSON.parse(stdout);
      expect(seen.lenses).toEqual(["+76.0 MiB net · +140.0 MiB peak · 1.5 s · 1 call"]);
      expect(seen.diagnostics).toContainEqual({
        line: 6,
        severity: 1,
        message: expect.stringContaining("Ran out of memory here"),
      });
      expect(seen.hover.join("\n")).toMatch(
        /^Memory \(RSS\) +this line\nHits +1\nNet, with everything it called +\+64\.0 MiB\n/,
      );
      expect(seen.heavy.join("\n")).toContain("+64.0 MiB");
    } finally {
      remove();
    }
  });
});
