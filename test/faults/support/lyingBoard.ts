/** A connection to a board that answers whatever a test wants, byte for byte, without any program behind it. */
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import type { Connection, RemoteProcess } from "../../../src/remote/transport/transport.ts";

export interface Lies {
  readonly stdout?: Iterable<Buffer> | AsyncIterable<Buffer>;
  readonly stderr?: Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** Each command that is started answers with what `lies` makes for it. */
export function lyingBoard(lies: (argv: readonly string[]) => Lies): Connection {
  return {
    kind: "ssh",
    name: "nano@board",
    // Nobody waits to hear why it went: it did not.
    closed: Promise.resolve(undefined),
    exec: async (argv) => lyingProcess(lies(argv)),
    close: () => {},
  };
}

function lyingProcess({ stdout = [], stderr = [] }: Lies): RemoteProcess {
  const said = Readable.from(stdout, { objectMode: false });
  const complained = Readable.from(stderr, { objectMode: false });
  return {
    stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stdout: said,
    stderr: complained,
    // While it has something to say it runs.
    exit: once(said, "close").then(() => ({ code: 0, signal: undefined })),
    kill() {
      said.destroy();
      complained.destroy();
    },
  };
}
