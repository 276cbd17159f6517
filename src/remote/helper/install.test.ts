import { PassThrough, Readable, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { UserError } from "../../profile/userError.ts";
import type { Connection } from "../transport/transport.ts";
import { installHelper } from "./install.ts";

const BUNDLE = { bootstrap: "", archive: Buffer.alloc(0), digest: "0".repeat(64) };
const LOST = new UserError("connection-lost", "The connection to the board was lost.");
const signal = new AbortController().signal;

/** A board that says so much, and whose output then ends, or breaks, as it does where the connection goes. */
function board(said: string, end: "ends" | "breaks", closed: Connection["closed"]): Connection {
  async function* output(): AsyncGenerator<Buffer> {
    yield Buffer.from(said);
    if (end === "breaks") throw new Error("Premature close");
  }
  return {
    kind: "ssh",
    name: "nano@board",
    closed,
    exec: async () => ({
      stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
      stdout: Readable.from(output(), { objectMode: false }),
      stderr: Readable.from([]),
      exit: Promise.resolve({ code: undefined, signal: undefined }),
      kill: () => {},
    }),
    close: () => {},
  };
}
const install = (connection: Connection) =>
  installHelper(connection, { python: undefined, boardFolder: "~/x", bundle: BUNDLE }, signal);

describe("installHelper", () => {
  it.each(
    ["\n", "python 3.8", "python 3.8 /usr/bin/python3\n", 'python 3.8 /usr/bin/python3\n{"python":'].flatMap((said) => [
      { said, end: "ends" as const },
      { said, end: "breaks" as const },
    ]),
  )("says that the connection was lost where the output $end after $said", async ({ said, end }) => {
    await expect(install(board(said, end, Promise.resolve(LOST)))).rejects.toBe(LOST);
  });

  it("tells what a program complained of after its output had ended", async () => {
    const there = board("python 3.8 /usr/bin/python3\n", "ends", new Promise(() => {}));
    const complaint = new PassThrough();
    const complaining = async (): Promise<{ code: number; signal: undefined }> => {
      // In turns of the event loop, as a pause of the machine uses up any time.
      for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
      complaint.write("no space left");
      return { code: 1, signal: undefined };
    };
    const exit = complaining();
    const late: Connection = {
      ...there,
      exec: async (argv) => ({ ...(await there.exec(argv)), stderr: complaint, exit }),
    };
    await expect(install(late)).rejects.toThrow("it ended with exit code 1; it said: no space left");
  });

  it("says that there is no Python where the connection is there", async () => {
    await expect(install(board("\n", "ends", new Promise(() => {})))).rejects.toMatchObject({ code: "no-python" });
  });
});
