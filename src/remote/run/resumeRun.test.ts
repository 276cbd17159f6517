import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ForeignRun } from "../../protocol/run/run.ts";
import type { OpenTarget } from "../transport/openTarget.ts";
import { writeOrigin } from "./origin.ts";
import { resumeRun } from "./resumeRun.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "resume-"));
  const origin = { schema: 1, target: "nano@board", board_folder: `/board/runs/${basename(folder)}` };
  writeFileSync(join(folder, "origin.json"), JSON.stringify(origin));
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A run whose board does not answer; `asked` resolves once the connection to it is tried. */
function silentBoard(mayReach = true) {
  const questions: string[] = [];
  let tried = (): void => {};
  const asked = new Promise<void>((resolve) => {
    tried = resolve;
  });
  const open: OpenTarget = (_target, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      tried();
    });
  const prompter = {
    confirmHostKey: async () => false,
    secret: async () => undefined,
    keyboardInteractive: async () => undefined,
  };
  const deps = {
    prompter,
    acceptRisk: async () => false,
    maySend: async () => false,
    mayReach: async ({ target }: ForeignRun) => {
      questions.push(target);
      return mayReach;
    },
    helperFolder: "",
    onEvent: () => undefined,
  };
  return { run: resumeRun(folder, {}, deps, open), asked, questions };
}

it("connects where a folder of another account says only after a yes", async () => {
  const declined = silentBoard(false);
  expect(await declined.run.done).toEqual({ kind: "cancelled", folder });
  expect(declined.questions).toEqual(["nano@board"]);
  await writeOrigin(folder, { target: "nano@board", boardFolder: `/board/runs/${basename(folder)}`, simulated: false });
  const own = silentBoard(false);
  await own.asked;
  own.run.letGo();
  expect(own.questions).toEqual([]);
});

it("lets go of a run while the connection to it is still being made", async () => {
  const { run, asked } = silentBoard();
  await asked;
  run.letGo();
  expect(await run.done).toEqual({ kind: "released", folder });
});

it("is cancelled while the connection is being made, and says where the run lies", async () => {
  const { run, asked } = silentBoard();
  await asked;
  run.cancel();
  expect(await run.done).toEqual({ kind: "cancelled", folder });
});
