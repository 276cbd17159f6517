/** What a board says to us: replies, frames, packed files, and what its shell prints around them. */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import type * as v from "valibot";
import { UserError } from "../../../../src/profile/userError.ts";
import type { RunEvent } from "../../../../src/protocol/run/run.ts";
import { createByteReader, StreamFault } from "../../../../src/remote/helper/byteReader.ts";
import { callHelper } from "../../../../src/remote/helper/callHelper.ts";
import { readPython } from "../../../../src/remote/helper/python.ts";
import * as wire from "../../../../src/remote/helper/wire.ts";
import { attach } from "../../../../src/remote/run/follow/attach.ts";
import { createInputQueue } from "../../../../src/remote/run/follow/input.ts";
import { createMirror, MirrorFault } from "../../../../src/remote/run/mirror/mirror.ts";
import { createProgressReader } from "../../../../src/remote/run/mirror/progress.ts";
import { unpacked } from "../../../../src/remote/run/mirror/unpack.ts";
import { withoutPrompts } from "../../../../src/remote/session/sudoPrompt.ts";
import { afterMarker } from "../../../../src/remote/transport/marker.ts";
import { lyingBoard } from "../../support/lyingBoard.ts";
import type { Random } from "../../support/random.ts";
import { demand, demandFinite, demandPrintable, type FuzzReader, type Outcome } from "../reader.ts";

/** The input as a stream gives it: cut anywhere, a short one now and then into single bytes. */
export function pieces(input: Uint8Array, random: Random): Buffer[] {
  const data = Buffer.from(input);
  const longest = Math.max(random.pick([1, 7, 100, 4_000, data.length + 1]), data.length / 200);
  const cut: Buffer[] = [];
  for (let from = 0; from < data.length; ) {
    const to = Math.min(data.length, from + 1 + random.below(longest));
    cut.push(data.subarray(from, to));
    from = to;
  }
  return cut;
}

/** Words for people may name what a board said, but not let it steer their terminal. */
function refusal(error: unknown): Outcome {
  if (!(error instanceof UserError)) throw error;
  demand(error.code !== "internal", error.message);
  demandPrintable(`${error.message}\n${error.hint ?? ""}`, "a message");
  demand(error.message.length < 3_000, `a message has ${error.message.length} characters`);
  return "refused";
}

const never = new AbortController().signal;
const json = (value: unknown): string => `${JSON.stringify(value)}\n`;
const PYTHON = { executable: "/usr/bin/python3", version: [3, 6, 9], implementation: "cpython" };
const REPLIES: readonly (readonly [string, v.GenericSchema, readonly [unknown, ...unknown[]]])[] = [
  [
    "bootstrap",
    wire.bootstrapReply,
    [
      {
        python: PYTHON,
        machine: "aarch64",
        system: "Linux",
        root: "/home/nano/.jetson-memprof",
        helper: null,
        replaced: "board.py",
        gzip: true,
        free: 12,
      },
      { error: { code: "no-space", message: "The disk is full.", hint: null } },
    ],
  ],
  [
    "probe",
    wire.probeReply,
    [
      {
        board: { model: "Jetson Nano", mem_total: 4_156_661_760, cpus: 4, hostname: "nano", simulated: null },
        versions: { python: "3.6.9", torch: "1.10.0" },
        packages: { memory_profiler: "0.61", numpy: null },
        capabilities: { gil: true, nvmap: false },
        memory: { mem_available: 5, swap_free: 6 },
        runs: [{ id: "20260101-000000-train-0000", pid: 77, script: "train.py" }],
      },
    ],
  ],
  [
    "plan",
    wire.syncPlanReply,
    [
      {
        folder: "/home/nano/.jetson-memprof/projects/p",
        send: ["a.py", "b/c.py"],
        hash: [["d.py", "0".repeat(64)]],
        gone: 1,
      },
    ],
  ],
  ["applied", wire.syncApplyReply, [{ written: 2, removed: ["old.py"], kept: [["a.py", "kept/p/a.py.17"]] }]],
  ["start", wire.startReply, [{ id: "20260101-000000-train-0000", folder: "/r/runs/x", pid: 4242 }]],
  ["cancel", wire.cancelReply, [{ state: "cancelled" }]],
];

const replies: FuzzReader = {
  name: "helper's replies",
  short: 4_000,
  samples: REPLIES.flatMap(([kind, , samples]) => samples.map((sample) => `${kind} ${json(sample)}`)) as [string],
  pieces: [...REPLIES.map(([kind]) => kind), '"error":{"code":', '"__proto__":', "\n"],
  async read(input, random) {
    const space = Buffer.from(input).indexOf(" ");
    const kind = Buffer.from(input.subarray(0, Math.max(0, space))).toString();
    const [, schema] = REPLIES.find(([name]) => name === kind) ?? random.pick(REPLIES as [(typeof REPLIES)[number]]);
    try {
      const reply = await callHelper(
        lyingBoard(() => ({ stdout: pieces(input.subarray(space + 1), random) })),
        { purpose: "it was tried", argv: ["x"], request: {}, reply: schema, signal: never },
      );
      demandFinite(JSON.parse(JSON.stringify(reply)), "a reply");
      demand(Object.getPrototypeOf(reply) === Object.prototype, "a reply has another prototype");
      return "read";
    } catch (error) {
      return refusal(error);
    }
  },
};

const packed = gzipSync("desc: (none)\ncmd: python3 train.py\ntime_unit: ms\n".repeat(20));
const frame = (file: string, text: string, more: object): string =>
  json({ file, length: Buffer.byteLength(text), ...more }) + text;
const FRAMES = [
  frame("run.json", '{"schema":1}', { frame: "replace" }),
  frame("lines.jsonl", json({ record: "file", file: 0, path: "train.py" }), { frame: "append", offset: 0 }),
  frame("samples.jsonl", json({ t: 200, hits: 3, rss: 9_000_000, at: [0, 7] }), { frame: "append", offset: 0 }),
  frame("stdout.log", "step 1\n", { frame: "append", offset: 0 }),
  frame("stdout.log", "step 2\n", { frame: "append", offset: 7 }),
  frame("sources/train.py", "pass\n", { frame: "replace" }),
  json({ frame: "alive", t: 1200 }),
];
const ENDED = json({ frame: "end", state: "finished" });
const PACKED = Buffer.concat([
  Buffer.from(json({ frame: "replace", file: "massif.out.77", length: packed.length, encoding: "gzip", size: 980 })),
  packed,
  Buffer.from(ENDED),
]);

const frames: FuzzReader = {
  name: "frames of a run that is followed",
  short: 400,
  samples: [FRAMES.join("") + ENDED, FRAMES.slice(0, 3).join("") + ENDED, PACKED],
  pieces: [
    ...FRAMES,
    ENDED,
    ...[
      "../../evil",
      "/tmp/evil",
      "origin.json",
      "sources/../../evil",
      "sources/C:/x",
      "sources/con",
      "massif.out.1",
    ].map((file) => json({ frame: "replace", file, length: 1 })),
    '"encoding":"gzip","size":',
    '{"error":{"code":"no-such-run","message":"gone"}}\n',
  ],
  async read(input, random) {
    rmSync("place", { recursive: true, force: true });
    mkdirSync("place/runs", { recursive: true });
    const mirror = await createMirror("place/runs", "r", {
      target: "local",
      boardFolder: "/b/runs/r",
      simulated: false,
    });
    const events: RunEvent[] = [];
    const emit = (event: RunEvent): void => void events.push(event);
    const connection = lyingBoard(() => ({ stdout: pieces(input, random) }));
    const helper = { root: "/b", python: "python3", argv: (name: string) => [name] };
    const task = {
      root: "/b",
      runId: "r",
      mirror,
      progress: createProgressReader(emit),
      input: createInputQueue(),
      emit,
    };
    let outcome: Outcome = "read";
    try {
      await attach({ connection, helper }, task, never);
    } catch (error) {
      // A stream that breaks off is followed again; what came of it is kept.
      if ((error as Error).constructor.name !== "AttachLost") outcome = refusal(error);
    } finally {
      await mirror.close();
    }
    demand(readdirSync("place").join() === "runs" && readdirSync("place/runs").join() === "r", "a file lies outside");
    const known =
      /^(origin\.json|sources|run\.json|(lines|samples|moments|allocator|m[a-z.]+\d+)\.jsonl|std(out|err)\.log|memory_profiler\.txt|massif[-.].*|allocator\..*|model\..*)$/;
    for (const name of readdirSync("place/runs/r"))
      demand(known.test(name), `a run folder has ${JSON.stringify(name)}`);
    demand(existsSync("place/runs/r/origin.json"), "origin.json is gone");
    for (const event of events) if (event.kind === "progress") demandFinite(event, "progress");
    return outcome;
  },
};

const unpacking: FuzzReader = {
  name: "packed files",
  short: 1_000,
  samples: [packed, gzipSync(""), gzipSync(Buffer.alloc(60_000)), gzipSync(Buffer.alloc(30_000_000))],
  async read(input, random) {
    const size = random.pick([0, 980, 60_000]);
    let came = 0;
    try {
      for await (const piece of unpacked(Readable.from(pieces(input, random)), size)) came += piece.length;
    } catch (error) {
      demand(error instanceof MirrorFault, String((error as Error).stack));
      demand(came <= size, `${came} bytes came of ${size}`);
      return "refused";
    }
    demand(came === size, `${came} bytes came of ${size}`);
    return "read";
  },
};

const stream: FuzzReader = {
  name: "lines and counted bytes of a stream",
  short: 5_000,
  samples: ['{"a":1}\n{"b":2}\nrest of it', "\n\n\n", "x".repeat(3_000)],
  async read(input, random) {
    const reader = createByteReader(Readable.from(pieces(input, random)));
    const came: Buffer[] = [];
    try {
      for (;;) {
        if (random.below(3) === 0) {
          for await (const piece of reader.bytes(random.below(40))) came.push(piece);
          continue;
        }
        const line = await reader.line(2_000);
        if (line === undefined) break;
        demand(!line.includes("\n") && line.length <= 2_000, "a line is too long");
        came.push(Buffer.from(`${line}\n`));
      }
    } catch (error) {
      if (!(error instanceof StreamFault)) throw error;
      return "refused";
    }
    const all = Buffer.concat(came);
    // A line that is no UTF-8, or that counted bytes ended within, is not told byte for byte.
    if (!all.includes("\ufffd")) demand(all.equals(Buffer.from(input)), "bytes are lost or came twice");
    return "read";
  },
};

const MARKER = "jetson-memprof-0123456789abcdef";
const noise: FuzzReader = {
  name: "start-up noise before an answer",
  short: 4_000,
  samples: [`Welcome to Ubuntu 18.04\n\n${MARKER}\n{"a":1}\n`, `\n${MARKER}\nx`, "This account is not available.\n"],
  pieces: [MARKER, `\n${MARKER}\n`, `\n${MARKER.slice(0, 20)}`],
  async read(input, random) {
    let noiseBytes = 0;
    const rest: Buffer[] = [];
    const source = Readable.from(pieces(input, random), { objectMode: false });
    const told = (text: string): void => {
      noiseBytes = Buffer.byteLength(text);
    };
    try {
      const around = { name: "nano", onNoise: told, conceal: (text: string) => text, isLost: async () => false };
      for await (const piece of afterMarker(source, MARKER, around)) rest.push(piece as Buffer);
    } catch (error) {
      return refusal(error);
    }
    const at = Buffer.from(input).indexOf(`\n${MARKER}\n`);
    demand(Buffer.concat(rest).equals(Buffer.from(input).subarray(at + MARKER.length + 2)), "the answer is not whole");
    demand(at >= 0 && noiseBytes > 0 === at > 0, "the noise was not told");
    return "read";
  },
};

const pythons: FuzzReader = {
  name: "search for Python on the board",
  short: 4_000,
  samples: [
    "python 3.6.9 /usr/bin/python3\n",
    "python 2.7.17 /usr/bin/python\n",
    "python 3.11 /usr/bin/python3\n{}\n",
    "",
  ],
  pieces: ["python ", "3.13.0", " /", "\n"],
  async read(input, random) {
    try {
      const { python: found, line } = await readPython(
        createByteReader(Readable.from(pieces(input, random), { objectMode: false })),
        undefined,
        "nano",
      );
      demand(line === undefined || !line.startsWith("python "), "an interpreter's line counts as the program's");
      demand(/^3\.\d+(\.\d+)?$/.test(found.version) && found.executable.startsWith("/"), JSON.stringify(found));
      demandPrintable(found.executable, "the interpreter's path");
      return "read";
    } catch (error) {
      return refusal(error);
    }
  },
};

const MARK = "jetson-memprof-0011223344556677";
const sudo: FuzzReader = {
  name: "sudo's questions",
  short: 10_000,
  samples: [
    `lecture\n${MARK}:nano:`,
    `${MARK}:jo hn:Sorry, try again.\n${MARK}:nano:`,
    "E: Unable to locate package\n",
  ],
  pieces: [MARK, `${MARK}:`, `${MARK}:nano:`, ":"],
  read(input, random) {
    let shown = 0;
    const filter = withoutPrompts(MARK, random.below(2), (data) => {
      shown += data.length;
    });
    for (const piece of pieces(input, random)) filter.take(piece);
    const asked = filter.end();
    demand(shown <= input.length, "more is shown than came");
    demand(asked === undefined || (asked.length <= 100 && !asked.includes(":")), "an endless name was taken");
    return asked === undefined ? "refused" : "read";
  },
};

export const readers: readonly FuzzReader[] = [replies, frames, unpacking, stream, noise, pythons, sudo];
