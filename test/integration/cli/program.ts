/** The command as a program of its own, run in a project and a home folder of its own. */
import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { type BoardName, simulatedBoard } from "../../board/simulatedBoard.ts";
import { putPrograms } from "../../support/builtPrograms.ts";
import { endOfProcessesNaming } from "../../support/processes.ts";
import { removeFolder } from "../../support/removeFolder.mjs";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Running = childProcess.ChildProcessWithoutNullStreams;

/** The command in a test's own home folder, with the project's folder in it. */
export interface Scene {
  readonly home: string;
  readonly project: string;
  /** The program's file. */
  readonly file: string;
  /** @param at the current folder; default the project's */
  start(args: readonly string[], at?: string): Running;
  /** Without input, to its end. */
  run(...args: string[]): Promise<Result>;
  /** Writes a file of the project. */
  script(name: string, text: string): void;
}

/** The command for all tests of a file, a home folder for each; to be called where hooks are. */
export function useProgram(): Scene {
  let program = "";
  let home = "";
  let project = "";
  // Some tests start dozens of programs, one after another.
  vi.setConfig({ testTimeout: 300_000 });
  beforeAll(async () => {
    program = await buildProgram();
  });
  afterAll(() => removeFolder(program));
  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-home-"));
    project = path.join(home, "my project");
    fs.mkdirSync(project);
  });
  afterEach(async () => {
    // A run's supervisor outlives the command.
    await endOfProcessesNaming(home);
    await removeFolder(home);
  });
  const start = (args: readonly string[], at = project): Running =>
    childProcess.spawn(process.execPath, [path.join(program, "dist/cli.cjs"), ...args], {
      cwd: at,
      env: { ...process.env, HOME: home, NO_COLOR: "" },
    });
  return {
    get home() {
      return home;
    },
    get project() {
      return project;
    },
    get file() {
      return path.join(program, "dist/cli.cjs");
    },
    start,
    async run(...args) {
      const child = start(args);
      child.stdin.end();
      return await ended(child);
    },
    script(name, text) {
      fs.mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
      fs.writeFileSync(path.join(project, name), text);
    },
  };
}

/** The programs that are run meet this board, a fresh one for each test; to be called where hooks are. */
export function useSimulatedBoard(name: BoardName): void {
  beforeEach(() => {
    const board = simulatedBoard(name);
    vi.stubEnv("JETSON_MEMPROF_SYSTEM_ROOT", board.root);
    return async () => {
      vi.unstubAllEnvs();
      await board.remove();
    };
  });
}

/** @returns the folder with `dist/cli.cjs` */
async function buildProgram(): Promise<string> {
  const program = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-cli-"));
  fs.symlinkSync(path.join(root, "python-helper"), path.join(program, "python-helper"));
  await putPrograms(["cli"], path.join(program, "dist"));
  return program;
}

export function ended(child: Running): Promise<Result> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}
