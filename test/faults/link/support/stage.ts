/** A board behind a link of chosen quality, and runs of the known script over it. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProfileRequest, RunEvent, RunHandle, RunOutcome } from "../../../../src/protocol/run/run.ts";
import { parseTarget } from "../../../../src/remote/address.ts";
import { profileRun } from "../../../../src/remote/run/profileRun.ts";
import { resumeRun } from "../../../../src/remote/run/resumeRun.ts";
import { type BoardSession, connectBoard, prepareBoard } from "../../../../src/remote/session/session.ts";
import { emptyMemory } from "../../../../src/remote/transport/transport.ts";
import { removeFolder } from "../../../support/removeFolder.mjs";
import { HELPER, makeScene, prompter, type Scene } from "../../../support/scene.ts";
import { makeTestHome, type TestHome } from "../../../support/sshd.ts";
import { startTestServer, type TestServer } from "../../../support/testServer.ts";
import { untilNobodyNames } from "../../support/boardRun.ts";
import { type ShapingProxy, startShapingProxy } from "../../support/shapingProxy.ts";
import { judge, truthScript, type Verdict } from "../../support/truth.ts";

export interface Stage {
  readonly home: TestHome;
  readonly server: TestServer;
  readonly proxy: ShapingProxy;
  readonly target: string;
  /** The board folder of all runs; another one is a board without the helper. */
  readonly board: string;
  /** What is installed on boards: a copy, so that each trial after the first finds it in place. */
  readonly helper: string;
  /** While it is there, scripts that are held stay so. */
  readonly hold: string;
  /** A script that is held goes on. */
  goOn(): void;
  /** A name for one more board folder. */
  emptyBoard(): string;
  /** Connected, with the helper in place. The connection is the caller's to close. */
  reach(board?: string): Promise<BoardSession>;
  close(): Promise<void>;
}

const signal = new AbortController().signal;

/** `configuration` is what the ssh configuration says of all hosts. */
export async function makeStage(configuration: readonly string[] = []): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "jmp-link-"));
  const home = makeTestHome();
  home.configure(["Host *", ...configuration.map((line) => `  ${line}`)].join("\n"));
  const server = await startTestServer();
  const proxy = await startShapingProxy(server.port);
  writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${proxy.port} ${server.hostKey}\n`);
  const target = `ssh://nano@127.0.0.1:${proxy.port}`;
  const helper = join(folder, "helper");
  cpSync(HELPER, helper, { recursive: true, filter: (path) => !/tests$|__pycache__/.test(path) });
  let boards = 0;
  const board = join(folder, "board");
  const hold = join(folder, "hold");
  const goOn = (): void => rmSync(hold, { force: true });
  return {
    home,
    server,
    proxy,
    target,
    board,
    helper,
    hold,
    goOn,
    emptyBoard: () => join(folder, `board-${++boards}`),
    async reach(boardFolder = board) {
      const address = parseTarget(target);
      const deps = { prompter: undefined, helperFolder: helper, memory: emptyMemory(), onNoise() {}, onReplaced() {} };
      const connection = await connectBoard(address, deps, signal);
      const place = { target: address, python: "/usr/bin/python3", boardFolder };
      return await prepareBoard(connection, place, deps, signal);
    },
    async close() {
      goOn();
      await proxy.close();
      await server.close();
      await home.remove();
      // A run that nobody follows any more goes on by itself.
      await untilNobodyNames(folder);
      await removeFolder(folder);
    },
  };
}

export interface Trial {
  readonly scene: Scene;
  readonly run: RunHandle;
}

export interface TrialOptions {
  readonly steps: number;
  /** Seconds between them. */
  readonly pause: number;
  /** The step after which the script waits for the stage's `goOn`: what is done before is done while it runs. */
  readonly holdAfter?: number;
  /** Sees each event as it comes, and may do something about the link. */
  readonly onEvent?: (event: RunEvent, run: RunHandle) => void;
  readonly changes?: Partial<ProfileRequest>;
  /** Another script than the known one; it is not judged. */
  readonly script?: string;
}

/** The known script under way over the stage's link. */
export function beginTrial(stage: Stage, options: TrialOptions): Trial {
  stage.proxy.forgetCuts();
  const scene = makeScene();
  const hold = options.holdAfter === undefined ? undefined : { after: options.holdAfter, file: stage.hold };
  if (hold !== undefined) writeFileSync(hold.file, "");
  scene.write({ "truth.py": options.script ?? truthScript(options.steps, options.pause, hold) });
  const request = scene.request(stage.target, "truth.py", {
    boardFolder: stage.board,
    python: "/usr/bin/python3",
    ...options.changes,
  });
  return watched(stage, scene, options.onEvent, (deps) => profileRun(request, deps));
}

/** The run in `folder` followed again; what its events say is kept in a scene of its own. */
export function followAgain(stage: Stage, folder: string, onEvent?: TrialOptions["onEvent"]): Trial {
  const request = { boardFolder: stage.board, python: "/usr/bin/python3" };
  return watched(stage, makeScene(), onEvent, (deps) => resumeRun(folder, request, deps));
}

function watched(
  stage: Stage,
  scene: Scene,
  onEvent: TrialOptions["onEvent"],
  begin: (deps: ReturnType<Scene["deps"]>) => RunHandle,
): Trial {
  const deps = scene.deps(prompter(), stage.helper);
  let run: RunHandle | undefined;
  const events: RunEvent[] = [];
  const pass = (event: RunEvent): void => {
    deps.onEvent(event);
    if (run === undefined) events.push(event);
    else onEvent?.(event, run);
  };
  run = begin({ ...deps, onEvent: pass });
  for (const event of events) onEvent?.(event, run);
  return { scene, run };
}

/**
 * Tells of each event whether it is the one with which the script has printed `text`. A text comes in pieces: one that is
 * looked for in each by itself may never be found.
 */
export function comesTo(text: string): (event: RunEvent) => boolean {
  let printed = "";
  return (event) => {
    if (event.kind !== "output" || printed.includes(text)) return false;
    printed += Buffer.from(event.data).toString("latin1");
    return printed.includes(text);
  };
}

/** Tries again at once: how long is waited is not what is tested. */
export function tryAtOnce(event: RunEvent, run: RunHandle): void {
  if (event.kind === "reconnecting") queueMicrotask(() => run.tryNow());
}

export function folderOf(outcome: RunOutcome): string {
  if (outcome.kind === "failed") throw outcome.error;
  if (outcome.folder === undefined) throw new Error(`the run ended as ${outcome.kind}, without a folder`);
  return outcome.folder;
}

/** Judges a run that ended by itself, and what was shown of it while it was followed; leaves nothing of it behind. */
export async function judged({ scene, run }: Trial, steps: number): Promise<Verdict> {
  const outcome = await run.done;
  const shown = scene.output();
  try {
    return await judgeFolder(folderOf(outcome), steps, shown);
  } finally {
    await scene.remove();
  }
}

/** `shown`: what was passed on of the script's output; undefined where it was followed from a later point on. */
export async function judgeFolder(folder: string, steps: number, shown?: string): Promise<Verdict> {
  const verdict = await judge(folder, { exactly: steps });
  const exit = JSON.parse(readFileSync(join(folder, "run.json"), "utf8")).exit;
  const log = readFileSync(join(folder, "stdout.log"), "utf8");
  const why = [...verdict.why];
  const ended = exit?.kind === "exited" && exit.code === 0;
  if (!ended) why.push(`the run ended as ${JSON.stringify(exit)}`);
  const shownRight = shown === undefined || shown === log;
  if (!shownRight) why.push(`shown were ${shown.length} bytes of output where the log has ${log.length}`);
  const strangers = readdirSync(folder).filter((name) => name.startsWith(".incoming"));
  if (strangers.length > 0) why.push(`left behind: ${strangers.join(", ")}`);
  return {
    ...verdict,
    lostProfile: verdict.lostProfile || !ended,
    duplicatedOutput: verdict.duplicatedOutput || !shownRight,
    why,
  };
}
