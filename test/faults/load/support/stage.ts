/** A board behind SSH on this machine, and the measured host that profiles on it. */

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProfileRequest } from "../../../../src/protocol/run/run.ts";
import { makeScene, type Scene } from "../../../support/scene.ts";
import { makeTestHome } from "../../../support/sshd.ts";
import { startTestServer } from "../../../support/testServer.ts";
import type { Answer, Task } from "./host.ts";
import { type MeasuredHelper, measuredHelper } from "./measuredHelper.ts";
import { buildPrograms, type Measurable, type Meter, type ProgramName, type Programs, reach } from "./program.ts";

export interface Stage {
  readonly scene: Scene;
  /** The board, as a target. */
  readonly target: string;
  readonly helper: MeasuredHelper;
  readonly host: Host;
  close(): Promise<void>;
}

export interface Host extends Measurable {
  /** Stops it as a laptop that hangs: what comes over the link is not taken. */
  freeze(): boolean;
  thaw(): boolean;
  profile(script: string, changes?: Partial<ProfileRequest>): Promise<Extract<Answer, { kind: "run" }>>;
  resume(folder: string): Promise<Extract<Answer, { kind: "run" }>>;
  /** Starts the language server below the host. */
  server(): Promise<void>;
  ask(method: string, params: unknown): Promise<Extract<Answer, { kind: "asked" }>>;
  stop(): Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const programs = await buildPrograms();
  const home = makeTestHome();
  const board = await startTestServer();
  const key = home.key("user");
  writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${board.port} ${board.hostKey}\n`);
  home.configure(`Host 127.0.0.1\n  IdentityFile ${key}\n  IdentitiesOnly yes`);
  const scene = makeScene();
  const helper = measuredHelper(join(programs.folder, "python-helper"));
  const target = `ssh://tester@127.0.0.1:${board.port}`;
  const host = await startHost({ programs, scene, target, helperFolder: helper.folder });
  return {
    scene,
    target,
    helper,
    host,
    async close() {
      await host.stop();
      await board.close();
      await scene.remove();
      await home.remove();
      programs.remove();
    },
  };
}

interface Surroundings {
  readonly programs: Programs;
  readonly scene: Scene;
  readonly target: string;
  readonly helperFolder: string;
}

async function startHost({ programs, scene, target, helperFolder }: Surroundings): Promise<Host> {
  let program = await programs.start("host");
  let below: Meter | undefined;
  let servers = 0;
  const perform = async (task: Task): Promise<Answer> => {
    const { child } = program;
    child.send(task);
    const [answer] = (await once(child, "message")) as [Answer];
    if (answer.kind === "failed") throw new Error(answer.why);
    return answer;
  };
  const run = async (task: Task): Promise<Extract<Answer, { kind: "run" }>> => {
    const answer = await perform(task);
    if (answer.kind !== "run") throw new Error(`expected a run, got ${answer.kind}`);
    return answer;
  };
  const server = async (): Promise<void> => {
    const socket = join(programs.folder, `below.${++servers}.meter`);
    const execArgv = ["--expose-gc", "--require", join(programs.folder, "meter.cjs")];
    await perform({ kind: "server", program: join(programs.folder, "server.cjs"), execArgv, meter: socket });
    below = await reach(socket);
  };
  return {
    meters: () =>
      new Map<ProgramName, Meter>([
        ["extension host", program.meter],
        ...(below === undefined ? [] : [["language server", below] as const]),
      ]),
    async renew() {
      await program.stop();
      program = await programs.start("host");
      if (below !== undefined) await server();
    },
    stop: () => program.stop(),
    freeze: () => program.child.kill("SIGSTOP"),
    thaw: () => program.child.kill("SIGCONT"),
    profile: (script, changes = {}) =>
      run({ kind: "profile", request: scene.request(target, script, changes), helperFolder }),
    resume: (folder) => run({ kind: "resume", folder, boardFolder: scene.board, helperFolder }),
    server,
    async ask(method, params) {
      const answer = await perform({ kind: "ask", method, params });
      if (answer.kind !== "asked") throw new Error(`expected an answer, got ${answer.kind}`);
      return answer;
    },
  };
}
