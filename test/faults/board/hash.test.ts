import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseTarget } from "../../../src/remote/address.ts";
import { callHelper } from "../../../src/remote/helper/callHelper.ts";
import { connectBoard, prepareBoard } from "../../../src/remote/session/session.ts";
import { emptyMemory } from "../../../src/remote/transport/transport.ts";
import { HELPER, makeScene } from "../../support/scene.ts";
import { attachOf, signal, startTruthRun } from "../support/boardRun.ts";
import { record, times } from "../support/results.ts";
import { counted, judge, type Verdict } from "../support/truth.ts";
import { boardWithin, judged, PYTHON, strictRun } from "./support/strictBoard.ts";

const scene = makeScene();
const HERE = boardWithin();
const trace = join(scene.project, "..", "was here");
/** What would leave a trace if it were ever executed. */
const EVIL = `open(${JSON.stringify(trace)}, "a").close()\n`;

function helperFolder(): string {
  const [digest = ""] = readdirSync(join(scene.board, "helper")).filter((name) => !name.startsWith("."));
  return join(scene.board, "helper", digest);
}

/** @param module `board/names` */
function bytecodeOf(module: string): string {
  const folder = join(helperFolder(), "jetson_memprof", dirname(module), "__pycache__");
  const name = readdirSync(folder).find((one) => one.startsWith(`${basename(module)}.`));
  if (name === undefined) throw new Error(`no bytecode of ${module}`);
  return join(folder, name);
}

/** What is done to the installed helper, and how the warning names it; undefined: nothing is wrong with the files. */
type Damage = readonly [what: string, how: (helper: string) => void, named: string | undefined];

const DAMAGES: readonly Damage[] = [
  ["code was put into a file", (at) => appendFileSync(join(at, "board.py"), EVIL), "board.py"],
  [
    "a file was cut off, as by a power cut",
    (at) => truncateSync(join(at, "jetson_memprof/board/commands/launch.py"), 100),
    "jetson_memprof/board/commands/launch.py",
  ],
  ["a file is gone", (at) => rmSync(join(at, "jetson_memprof/board/run/runs.py")), "jetson_memprof/board/run/runs.py"],
  [
    "a module was put beside the helper that hides Python's own",
    (at) => writeFileSync(join(at, "json.py"), EVIL),
    "json.py",
  ],
  ["a module without its source was put there", (at) => writeFileSync(join(at, "select.pyc"), EVIL), "select.pyc"],
  [
    "a sitecustomize was put into a folder of its own",
    (at) => {
      mkdirSync(join(at, "boot/usercustomize"));
      writeFileSync(join(at, "boot/usercustomize/__init__.py"), EVIL);
    },
    "boot/usercustomize/__init__.py",
  ],
  [
    "a file is a link to one elsewhere",
    (at) => {
      renameSync(join(at, "board.py"), join(scene.board, "elsewhere.py"));
      symlinkSync(join(scene.board, "elsewhere.py"), join(at, "board.py"));
    },
    "",
  ],
  [
    "a folder is a link to one elsewhere",
    (at) => {
      renameSync(join(at, "boot"), join(scene.board, "elsewhere"));
      symlinkSync(join(scene.board, "elsewhere"), join(at, "boot"));
    },
    "",
  ],
  [
    "a file can be written by others",
    (at) => chmodSync(join(at, "boot/sitecustomize.py"), 0o666),
    "boot/sitecustomize.py",
  ],
  [
    "a folder can be written by others",
    (at) => chmodSync(join(at, "jetson_memprof/engine"), 0o777),
    "jetson_memprof/engine",
  ],
  [
    "the accelerator's library is another",
    (at) => appendFileSync(join(at, "accel/linetrace-x86_64.so"), "x"),
    "accel/linetrace-x86_64.so",
  ],
  ["bytecode was changed", () => appendFileSync(bytecodeOf("board/commands/launch"), "x"), "its bytecode"],
  [
    "bytecode of one module was put in another's place",
    () => copyFileSync(bytecodeOf("board/names"), bytecodeOf("board/commands/launch")),
    "its bytecode",
  ],
  [
    "bytecode for other options of Python was put there, of which nobody knows whence it came",
    () => copyFileSync(bytecodeOf("board/names"), bytecodeOf("board/commands/launch").replace(".pyc", ".opt-1.pyc")),
    undefined,
  ],
];

beforeAll(async () => {
  await judged(scene, await strictRun(scene, HERE));
});
afterAll(() => scene.remove());

/** Reaches the board as every command does; what was told to have been replaced. */
async function prepare(): Promise<readonly string[]> {
  const replaced: string[] = [];
  const deps = {
    prompter: undefined,
    helperFolder: HELPER,
    memory: emptyMemory(),
    onNoise: () => {},
    onReplaced: (difference: string) => replaced.push(difference),
    open: HERE,
  };
  const { signal: stop } = new AbortController();
  const target = parseTarget("nano@board");
  const connection = await connectBoard(target, deps, stop);
  const place = { target, python: PYTHON, boardFolder: scene.board };
  const { helper } = await prepareBoard(connection, place, deps, stop);
  await callHelper(connection, {
    purpose: "the test asked for the runs",
    argv: helper.argv("runs"),
    request: { root: helper.root },
    reply: v.object({ runs: v.array(v.unknown()) }),
    signal: stop,
  });
  connection.close();
  return replaced;
}

describe("a helper on the board is installed again before anything is started from it, and it is said, where", () => {
  const verdicts: Verdict[] = [];
  afterAll(() => {
    record({ kind: "fault", group: "board", fault: "helper's own files changed or damaged", ...counted(verdicts) });
  });

  it.each(DAMAGES.map((damage, at) => [...damage, at % times(5, 1) === 0] as const))(
    "%s",
    async (_, damage, named, withRun) => {
      damage(helperFolder());
      let told: readonly string[];
      if (withRun) {
        const run = await judged(scene, await strictRun(scene, HERE));
        verdicts.push(run.verdict);
        expect(run.verdict.why).toEqual([]);
        told = scene.events.flatMap((event) =>
          event.kind === "warning" && event.code === "helper-replaced" ? [event.message] : [],
        );
      } else told = await prepare();
      expect(existsSync(trace)).toBe(false);
      expect(told).toHaveLength(named === undefined ? 0 : 1);
      expect(told[0] ?? "").toContain(named ?? "");
      expect(await prepare()).toEqual([]);
    },
  );
});

describe("a helper that is changed while a run is under way", () => {
  it("is installed again when the connection is made again, and the run is whole", async () => {
    const steps = 25;
    const run = startTruthRun({ steps, pauseSeconds: 0.04, holdAfter: 3, changes: { python: PYTHON } }, scene);
    await run.steps(3);
    appendFileSync(join(helperFolder(), "board.py"), EVIL);
    signal(attachOf(scene.board), "SIGKILL");
    run.goOn();
    const outcome = await run.handle.done;
    expect(outcome.kind).toBe("finished");
    const verdict = await judge(outcome.folder ?? "", { exactly: steps });
    record({ kind: "fault", group: "board", fault: "helper changed during a run", ...counted([verdict]) });
    expect(verdict.why).toEqual([]);
    expect(scene.warnings()).toEqual(["helper-replaced"]);
    expect(existsSync(trace)).toBe(false);
  });
});
