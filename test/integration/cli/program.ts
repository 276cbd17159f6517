/** The command as a program of its own, run in a project and a home folder of its own. */
import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @returns the folder with `dist/cli.cjs`, to be removed by the caller */
export async function buildProgram(): Promise<string> {
  const program = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-cli-"));
  fs.symlinkSync(path.join(root, "python-helper"), path.join(program, "python-helper"));
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: { cli: "src/cli/main.ts" },
    outdir: path.join(program, "dist"),
    outExtension: { ".js": ".cjs" },
    platform: "node",
    format: "cjs",
    target: "node20",
    bundle: true,
    mainFields: ["module", "main"],
    // ssh2 goes on without its native add-ons.
    external: ["*.node", "cpu-features"],
  });
  return program;
}

export function startProgram(
  program: string,
  args: readonly string[],
  at: { readonly home: string; readonly project: string },
): childProcess.ChildProcessWithoutNullStreams {
  return childProcess.spawn(process.execPath, [path.join(program, "dist/cli.cjs"), ...args], {
    cwd: at.project,
    env: { ...process.env, HOME: at.home, NO_COLOR: "" },
  });
}

export function ended(child: childProcess.ChildProcessWithoutNullStreams): Promise<Result> {
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
