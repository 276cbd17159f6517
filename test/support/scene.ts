/** What a run needs around it: a project, a board folder, a place at home, and somebody who answers questions. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type {
  HostKeyQuestion,
  ProfileRequest,
  Prompter,
  RunDependencies,
  RunEvent,
  SecretQuestion,
} from "../../src/protocol/run/run.ts";
import { parseTarget } from "../../src/remote/address.ts";
import { endOfProcessesNaming } from "./processes.ts";
import { removeFolder } from "./removeFolder.mjs";

export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
export const HELPER = join(REPOSITORY, "python-helper");

export interface Answers {
  readonly hostKey?: boolean;
  readonly secrets?: readonly (string | undefined)[];
  readonly interactive?: readonly (readonly string[] | undefined)[];
}

export interface RecordingPrompter extends Prompter {
  readonly hostKeys: HostKeyQuestion[];
  readonly secretQuestions: SecretQuestion[];
  readonly interactivePrompts: string[][];
}

/** Answers in order and remembers what it was asked; an answer that is not there is a refusal. */
export function prompter(answers: Answers = {}): RecordingPrompter {
  const secrets = [...(answers.secrets ?? [])];
  const interactive = [...(answers.interactive ?? [])];
  const asked: RecordingPrompter = {
    hostKeys: [],
    secretQuestions: [],
    interactivePrompts: [],
    async confirmHostKey(question) {
      asked.hostKeys.push(question);
      return answers.hostKey ?? false;
    },
    async secret(question) {
      asked.secretQuestions.push(question);
      return secrets.shift();
    },
    async keyboardInteractive(question) {
      asked.interactivePrompts.push(question.prompts.map((one) => one.prompt));
      return interactive.shift();
    },
  };
  return asked;
}

export interface Scene {
  readonly project: string;
  readonly runs: string;
  readonly board: string;
  readonly events: RunEvent[];
  write(files: Readonly<Record<string, string>>): void;
  request(target: string, script: string, changes?: Partial<ProfileRequest>): ProfileRequest;
  deps(who?: Prompter, helperFolder?: string): RunDependencies;
  /** Resolves with the first event that fits, those that came before included. */
  waitFor(fits: (event: RunEvent) => boolean): Promise<RunEvent>;
  output(stream?: "stdout" | "stderr"): string;
  warnings(): readonly string[];
  /** Resolves when what was started in it has ended and it is gone. */
  remove(): Promise<void>;
}

export function makeScene(): Scene {
  const top = mkdtempSync(join(tmpdir(), "jmp-scene-"));
  const project = join(top, "my project");
  const events: RunEvent[] = [];
  const waiting = new Set<(event: RunEvent) => void>();
  mkdirSync(project);
  return {
    project,
    runs: join(project, ".jetson-memprof", "runs"),
    board: join(top, "board"),
    events,
    write(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(project, name)), { recursive: true });
        writeFileSync(join(project, name), text);
      }
    },
    request(target, script, changes = {}) {
      return {
        target: parseTarget(target),
        projectFolder: project,
        entry: { kind: "script", path: script },
        args: [],
        engine: "line",
        exact: true,
        accelerator: false,
        environment: {},
        excludes: [],
        boardFolder: join(top, "board"),
        runsFolder: join(project, ".jetson-memprof", "runs"),
        outputLimit: 1024 * 1024,
        momentsIntervalMs: 1_000,
        ...changes,
      };
    },
    deps(who = prompter(), helperFolder = HELPER) {
      return {
        prompter: who,
        acceptRisk: async () => true,
        maySend: async () => true,
        mayReach: async () => true,
        helperFolder,
        onEvent(event) {
          events.push(event);
          for (const look of waiting) look(event);
        },
      };
    },
    waitFor: (fits) =>
      new Promise((resolve) => {
        const past = events.find(fits);
        if (past !== undefined) return resolve(past);
        const look = (event: RunEvent): void => {
          if (!fits(event)) return;
          waiting.delete(look);
          resolve(event);
        };
        waiting.add(look);
      }),
    output(stream = "stdout") {
      const pieces = events.flatMap((event) =>
        event.kind === "output" && event.stream === stream ? [event.data] : [],
      );
      return Buffer.concat(pieces).toString("utf8");
    },
    warnings: () => events.flatMap((event) => (event.kind === "warning" ? [event.code] : [])),
    async remove() {
      // A supervisor that has told its end may still be closing its files.
      await endOfProcessesNaming(top);
      await removeFolder(top);
    },
  };
}

export function example(name: string): string {
  return readFileSync(join(REPOSITORY, "examples", name), "utf8");
}

/** run.json of a run folder, as it is. */
export function runRecord(folder: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, "run.json"), "utf8"));
}

export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
