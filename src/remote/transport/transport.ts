/** One way to reach a board, whatever lies below it: SSH, the simulated board, or this machine. */
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { UserError } from "../../profile/userError.ts";
import type { Prompter } from "../../protocol/run/run.ts";

export interface ExitStatus {
  /** undefined where a signal or a lost connection ended the process. */
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** A process on the board. Its streams end with it; `stdout` holds nothing but what the program itself wrote. */
export interface RemoteProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Never rejects. */
  readonly exit: Promise<ExitStatus>;
  kill(): void;
}

export interface Connection {
  readonly kind: "ssh" | "loopback" | "local";
  /** For messages: `nano@192.168.1.20`, `the simulated board`, `this machine`. */
  readonly name: string;
  /** Starts `argv` directly, with no shell reading it. */
  exec(argv: readonly string[]): Promise<RemoteProcess>;
  /** Settles when the connection ends, with the reason where nobody here asked for it. */
  readonly closed: Promise<UserError | undefined>;
  close(): void;
}

/** Why the connection ended by itself; undefined where it did not. A broken stream is noticed a moment before. */
export function lossOf(connection: Connection): Promise<UserError | undefined> {
  return Promise.race([connection.closed, delay(200, undefined, { ref: false })]);
}

export interface ConnectOptions {
  /** undefined: nobody may be asked (a reconnect in the background). */
  readonly prompter: Prompter | undefined;
  readonly memory: ConnectionMemory;
  readonly signal: AbortSignal;
  /** Told once when the board's start-up files print into the program's output. */
  readonly onNoise: (text: string) => void;
}

/**
 * What a person answered in this run, so that a lost connection can be taken up again without asking, and the keys that
 * hosts had in it, none of which may become another one. It lives in memory until the run ends and is never written
 * anywhere. Keys are `user@host:port`, a key path or a host's name.
 */
export interface ConnectionMemory {
  readonly passwords: Map<string, string>;
  readonly answers: Map<string, readonly string[]>;
  readonly passphrases: Map<string, string>;
  readonly hostKeys: Map<string, Buffer>;
  /** Everything typed unseen, right or wrong: none of it is ever shown. */
  readonly secrets: Set<string>;
}

export function emptyMemory(): ConnectionMemory {
  return { passwords: new Map(), answers: new Map(), passphrases: new Map(), hostKeys: new Map(), secrets: new Set() };
}
