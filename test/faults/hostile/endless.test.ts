/** Answers of endless length, in every place where a board can say something: given up on, with bounded memory. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import * as v from "valibot";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/protocol/run/run.ts";
import { callHelper } from "../../../src/remote/helper/callHelper.ts";
import { attach } from "../../../src/remote/run/follow/attach.ts";
import { createInputQueue } from "../../../src/remote/run/follow/input.ts";
import { createMirror, type Mirror } from "../../../src/remote/run/mirror/mirror.ts";
import { createProgressReader } from "../../../src/remote/run/mirror/progress.ts";
import { profileRun } from "../../../src/remote/run/profileRun.ts";
import { resumeRun } from "../../../src/remote/run/resumeRun.ts";
import { surveyBoard } from "../../../src/remote/session/survey.ts";
import { afterMarker } from "../../../src/remote/transport/marker.ts";
import { watchBoard } from "../../../src/remote/watch.ts";
import { removeFolder } from "../../support/removeFolder.mjs";
import { HELPER, makeScene, prompter } from "../../support/scene.ts";
import { type Lies, lyingBoard } from "../support/lyingBoard.ts";
import { record } from "../support/results.ts";

const BOMB = gzipSync(Buffer.alloc(64 * 2 ** 20));
const CHUNK = Buffer.alloc(64 * 1024, "x");
/** What may be held of an answer, and as much again while it is put together; bytes. */
const MOST_HELD = 24 * 2 ** 20;

/** What is garbage is not held; when it goes by itself depends on how busy the machine is. */
setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const held = (): number => {
  collect();
  return process.memoryUsage().arrayBuffers;
};
let [heldBefore, mostHeld] = [0, 0];
const look = (): void => {
  mostHeld = Math.max(mostHeld, held() - heldBefore);
};

const GIVEN_BETWEEN_LOOKS = 8 * 2 ** 20;
let given = 0;
async function* endless(piece: Buffer = CHUNK): AsyncGenerator<Buffer> {
  for (;;) {
    // As from a socket: what else there is to do gets its turn.
    await setImmediate();
    const before = given;
    given += piece.length;
    if (Math.floor(before / GIVEN_BETWEEN_LOOKS) < Math.floor(given / GIVEN_BETWEEN_LOOKS)) look();
    yield piece;
  }
}

const never = new AbortController().signal;
const text = (value: unknown): Buffer[] => [Buffer.from(`${JSON.stringify(value)}\n`)];
const BOOTSTRAPPED = {
  python: { executable: "/usr/bin/python3", version: [3, 8, 0], implementation: "cpython" },
  machine: "aarch64",
  system: "Linux",
  root: "/r",
  helper: "/r/helper/x",
  replaced: null,
  gzip: true,
  free: 1,
};
const PROBED = { board: { machine: "x" }, versions: { python: "3.8.0" }, runs: [] };

/** What is said in turn by the process that takes commands; a survey is asked for in the place of a probe. */
const SAID: readonly (readonly [string, readonly Buffer[]])[] = [
  ["python", [Buffer.from("python 3.8.0 /usr/bin/python3\n")]],
  ["bootstrap", text(BOOTSTRAPPED)],
  ["survey", []],
  ["probe", text(PROBED)],
  ["sync-plan", text({ folder: "/r/p", send: [], hash: [], gone: 0 })],
  ["start", text({})],
];

/** A board that behaves up to the commands in `lies`. */
function board(lies: Readonly<Record<string, () => Lies>>) {
  async function* served(): AsyncGenerator<Buffer> {
    for (const [name, answer] of SAID) yield* lies[name]?.().stdout ?? answer;
  }
  return lyingBoard((argv) =>
    argv[0] === "sh" ? { stdout: served() } : (lies[argv.at(-1) ?? ""]?.() ?? { stdout: text({}) }),
  );
}

let trials = 0;
afterAll(() => {
  record({
    kind: "fault",
    group: "hostile",
    fault: "Answers without end, bombs and nesting in replies, frames, start-up noise and error output",
    trials,
    lostProfiles: undefined,
    duplicatedOutput: undefined,
    wrongLine: undefined,
  });
});

describe("a board that does not stop", () => {
  let folder: string;
  let mirror: Mirror;
  beforeEach(async () => {
    trials++;
    folder = mkdtempSync(join(tmpdir(), "jmp-endless-"));
    mirror = await createMirror(folder, "r", { target: "local", boardFolder: "/r/runs/r", simulated: false });
    given = 0;
    [heldBefore, mostHeld] = [held(), 0];
  });
  afterEach(async () => {
    await mirror.close();
    await removeFolder(folder);
    look();
    expect(mostHeld).toBeLessThan(MOST_HELD);
  });

  const call = (lies: Lies, limit?: number) =>
    callHelper(
      lyingBoard(() => lies),
      {
        purpose: "it was tried",
        argv: ["x"],
        request: {},
        reply: v.object({}),
        signal: never,
        ...(limit === undefined ? {} : { limit }),
      },
    );

  it("in a reply", async () => {
    await expect(call({ stdout: endless() })).rejects.toMatchObject({ code: "bad-reply" });
    expect(given).toBeLessThan(5 * 2 ** 20);
  });

  it("in its error output, while the answer is awaited", async () => {
    await expect(call({ stdout: new Readable({ read() {} }), stderr: endless() }, 300)).rejects.toMatchObject({
      code: "helper-timeout",
    });
  });

  it("in what its shell prints first", async () => {
    const source = Readable.from(endless(), { objectMode: false });
    const read = async (): Promise<void> => {
      const noise = { name: "nano", onNoise() {}, conceal: (text: string) => text, isLost: async () => false };
      for await (const _ of afterMarker(source, "marker", noise));
    };
    await expect(read()).rejects.toMatchObject({ code: "no-shell", message: expect.stringMatching(/^.{0,600}$/s) });
    expect(given).toBeLessThan(2 ** 20);
  });

  it("when Python is looked for", async () => {
    const target = { kind: "ssh", host: "nano" } as const;
    const open = async () => board({ python: () => ({ stdout: endless() }) });
    const deps = { prompter: prompter(), helperFolder: HELPER, open };
    await expect(surveyBoard({ target, boardFolder: "~/x" }, deps, never)).rejects.toMatchObject({ code: "no-python" });
    expect(given).toBeLessThan(2 ** 20);
  });

  /** Follows a run whose frames are `stdout`. */
  function follow(stdout: Iterable<Buffer> | AsyncIterable<Buffer>, signal: AbortSignal = never) {
    const emit = (): void => {};
    const session = {
      connection: lyingBoard(() => ({ stdout })),
      helper: { root: "/r", python: "python3", argv: (name: string) => [name] },
    };
    const progress = createProgressReader(emit);
    return attach(session, { root: "/r", runId: "r", mirror, progress, input: createInputQueue(), emit }, signal);
  }

  it("in a frame's first line", async () => {
    await expect(follow(endless())).rejects.toMatchObject({ code: "bad-reply" });
    expect(given).toBeLessThan(2 ** 20);
  });

  it.each([
    ["signs of life", '{"frame":"alive"}\n'],
    ["additions of nothing", '{"frame":"append","file":"stdout.log","offset":0,"length":0}\n'],
    ["the same file", '{"frame":"replace","file":"run.json","length":1}\nx'],
  ])("with %s: following it can be ended at once", async (_, frame) => {
    const stop = new AbortController();
    const piece = Buffer.from(frame.repeat(100));
    async function* frames(): AsyncGenerator<Buffer> {
      for await (const one of endless(piece)) {
        if (given > 20 * piece.length && !stop.signal.aborted) stop.abort(new Error("enough"));
        yield one;
      }
    }
    await expect(follow(frames(), stop.signal)).rejects.toThrow("enough");
    expect(readdirSync(join(folder, "r")).length).toBeLessThan(4);
  });

  it("with a packed file that unpacks to a thousand times its announced size", async () => {
    const header = { frame: "replace", file: "massif.out.7", length: BOMB.length, encoding: "gzip", size: 60_000 };
    const frames = [...text(header), BOMB, ...text({ frame: "end", state: "finished" })];
    await expect(follow(frames)).rejects.toMatchObject({ code: "bad-reply" });
    expect(readdirSync(join(folder, "r"))).toEqual(["origin.json"]);
  });

  it.each([
    ["a name that climbs", "sources/../../evil"],
    ["a name that climbs at its end", "sources/.."],
    ["an absolute name", "/tmp/evil"],
    ["a name with NUL", "sources/a\0.py"],
    ["a file of our own", "origin.json"],
    ["our file of deletion", "deleted.json"],
    ["a name in other letters", "RUN.JSON"],
    ["a look-alike of another name", "run․json"],
    ["an empty part", "sources//a.py"],
    ["a folder", "sources"],
    ["a process 0", "massif.out.0"],
    ["a name longer than any path", `sources/${"a/".repeat(3_000)}x`],
  ])("with %s: nothing is written", async (_, file) => {
    await expect(follow([...text({ frame: "replace", file, length: 1 }), Buffer.from("x")])).rejects.toMatchObject({
      code: "bad-reply",
    });
    expect(readdirSync(folder)).toEqual(["r"]);
    expect(readdirSync(join(folder, "r"))).toEqual(["origin.json"]);
    expect(existsSync("/tmp/evil")).toBe(false);
  });

  it.each([
    ["a gap", '{"frame":"append","file":"stdout.log","offset":5,"length":1}\nx'],
    ["a length without bounds", '{"frame":"append","file":"stdout.log","offset":0,"length":1e15}\n'],
    ["a negative length", '{"frame":"append","file":"stdout.log","offset":0,"length":-1}\n'],
    ["no JSON", "hello\n"],
  ])("with %s: it is refused", async (_, frame) => {
    await expect(follow([Buffer.from(frame)])).rejects.toMatchObject({ code: "bad-reply" });
  });

  it("in a record of its memory, or in its survey", async () => {
    const target = { kind: "ssh", host: "nano" } as const;
    const place = { target, boardFolder: "~/x" };
    const saying = (command: string) => async () => board({ [command]: () => ({ stdout: endless() }) });
    const deps = { prompter: prompter(), helperFolder: HELPER, onEvent: () => {} };
    const watching = watchBoard({ ...place, intervalMs: 1_000 }, deps, saying("watch"));
    expect(await watching.done).toMatchObject({ code: "bad-reply" });
    const givenByWatch = given;
    expect(givenByWatch).toBeGreaterThan(0);
    await expect(surveyBoard(place, { ...deps, open: saying("survey") }, never)).rejects.toMatchObject({
      code: "bad-reply",
    });
    expect(given).toBeGreaterThan(givenByWatch);
  });

  it("with pipes in the place of a run's files here: they are not waited for", async () => {
    const run = join(folder, "r");
    for (const name of ["run.json", "lines.jsonl"]) execFileSync("mkfifo", [join(run, name)]);
    const frames = text({ frame: "append", file: "lines.jsonl", offset: 0, length: 1 });
    const open = async () => board({ attach: () => ({ stdout: [...frames, Buffer.from("x")] }) });
    const deps = {
      prompter: prompter(),
      helperFolder: HELPER,
      onEvent: () => {},
      acceptRisk: async () => true,
      maySend: async () => true,
      mayReach: async () => true,
    };
    expect(await resumeRun(run, {}, deps, open).done).toMatchObject({
      kind: "failed",
      error: { code: "cannot-write", message: expect.stringContaining("lines.jsonl is a link or something else") },
    });
  });

  it.each([
    [
      "nesting",
      () => Buffer.from(`{"board":{"a":${"[".repeat(900_000)}${"]".repeat(900_000)}},"versions":{},"runs":[]}\n`),
    ],
    ["a program whose path no command line can hold", () => text({ ...BOOTSTRAPPED, helper: "/r/\0/x" })[0]],
    [
      "ten thousand runs",
      () =>
        text({ ...PROBED, runs: Array.from({ length: 10_000 }, (_, i) => ({ id: `r${i}`, pid: 1, script: "x" })) })[0],
    ],
  ])("with %s: it is refused in words or told in few", async (_, answer) => {
    const scene = makeScene();
    scene.write({ "train.py": "pass\n" });
    const said = answer() ?? Buffer.alloc(0);
    const which = said.includes("helper") ? "bootstrap" : "probe";
    const open = async () =>
      board({ [which]: () => ({ stdout: [said] }), start: () => ({ stdout: [Buffer.from("no\n")] }) });
    const request = scene.request("ssh://nano", "train.py");
    const outcome = await profileRun(request, scene.deps(prompter()), open).done;
    expect(outcome).toMatchObject({ kind: "failed" });
    expect(outcome.kind === "failed" && outcome.error.code).not.toBe("internal");
    expect(scene.events.filter((event: RunEvent) => event.kind === "warning").length).toBeLessThan(10);
    await scene.remove();
  });
});
