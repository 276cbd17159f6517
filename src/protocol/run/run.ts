/** What a caller of `src/remote` asks for and is told. The wire format lies behind it (docs/board-protocol.md). */

import type { BoardIdentity, EngineName } from "../../profile/model.ts";
import type { UserError } from "../../profile/userError.ts";
import type { RunGroup } from "../../runs/model.ts";
import type { Trial } from "../../torch/model/model.ts";
import type { Leaving } from "./leaving.ts";

/** Where everything of ours lies on a board, unless the user says otherwise. */
export const DEFAULT_BOARD_FOLDER = "~/.jetson-memprof";

/** Where a run happens. `ssh` carries what the user typed: an alias of the ssh configuration or a host name. */
export type TargetAddress =
  | { readonly kind: "ssh"; readonly host: string; readonly user?: string; readonly port?: number }
  | { readonly kind: "loopback" }
  | { readonly kind: "local" };

/** Where on the board: in a container that runs there, or in a new one of an image, for this run alone. */
export interface ContainerPlace {
  readonly kind: "container" | "image";
  /** As the engine knows it. */
  readonly name: string;
  /** For the engine's `run`, where a container is made. */
  readonly options: readonly string[];
}

export interface HostKeyQuestion {
  /** The hop's own name, `host` or `[host]:port`. */
  readonly host: string;
  readonly keyType: string;
  /** `SHA256:…` without padding, as OpenSSH prints it. */
  readonly fingerprint: string;
  /** Another key by which this host is known, in words; absent: nothing is known of it. */
  readonly known?: string;
  /** The other hops on the way, outermost first; empty for a direct connection. */
  readonly via: readonly string[];
}

/** `sudo`: for one command of Check Board that the person agreed to; it is never stored. */
export type SecretQuestion =
  | { readonly kind: "password"; readonly user: string; readonly host: string; readonly attempt: number }
  | { readonly kind: "sudo"; readonly user: string; readonly host: string; readonly attempt: number }
  | { readonly kind: "passphrase"; readonly keyPath: string; readonly attempt: number };

export interface KeyboardInteractiveQuestion {
  readonly user: string;
  readonly host: string;
  readonly name: string;
  readonly instructions: string;
  readonly prompts: readonly { readonly prompt: string; readonly echo: boolean }[];
}

/** A run that will likely fail as it is: shown before anything is started. */
export interface RiskQuestion {
  /** What was found and what it means, with figures; whole sentences. */
  readonly message: string;
  /** What would make it fit, each as a sentence. */
  readonly suggestions: readonly string[];
}

/**
 * How a presented host key stands to what is known at home. `match`: known. `changed`: the host is known by another key
 * of this type, or no longer has the one that is known. `other-key-type`: known by a key of another type. `ca-only`: only a certificate authority vouches for the host.
 */
export type HostKeyStanding = "match" | "changed" | "other-key-type" | "revoked" | "ca-only" | "unknown";

export interface BoardKey {
  readonly keyType: string;
  /** `SHA256:…` without padding, as OpenSSH prints it. */
  readonly fingerprint: string;
  readonly standing: HostKeyStanding;
  /** The line that decided it. */
  readonly entry?: {
    readonly keyType: string;
    readonly fingerprint: string;
    readonly file: string;
    readonly line: number;
  };
}

/** The host keys a board presents, in the order in which a run asks for them: the first is the one a run would meet. */
export interface BoardKeys {
  /** As known_hosts names it: `host` or `[host]:port`. */
  readonly host: string;
  /** The other hops on the way, outermost first. */
  readonly via: readonly string[];
  readonly keys: readonly [BoardKey, ...BoardKey[]];
  /**
   * Writes the first key into the user's known hosts, where it may be taken by a person's word at all.
   * @returns the file
   */
  readonly store?: () => Promise<string>;
}

/** How the remote side asks a person. `undefined` (or false) means the person declined. */
export interface Prompter {
  confirmHostKey(question: HostKeyQuestion): Promise<boolean>;
  secret(question: SecretQuestion): Promise<string | undefined>;
  keyboardInteractive(question: KeyboardInteractiveQuestion): Promise<readonly string[] | undefined>;
}

/** What `engine: "massif"` needs besides. */
export interface MassifRequest {
  readonly threshold: number;
  readonly depth: number;
  readonly pagesAsHeap: boolean;
  readonly gpu: boolean;
  /** Put the Python lines into the stacks. */
  readonly frames: boolean;
  readonly maxHits: number;
  /** Lines measured before and after; `path` is relative to the project folder. */
  readonly lines: readonly { readonly path: string; readonly line: number }[];
  /** Of the last run of the same script without valgrind, where there is one: bytes, and lines executed. */
  readonly expected?: { readonly rssPeak?: number; readonly hits?: number };
}

/** What engine `line` records of PyTorch besides. */
export interface TorchRequest {
  /** Reset PyTorch's own peaks, so that those of lines are exact. */
  readonly exactPeaks: boolean;
  /** Record allocator snapshots, with so many events kept. */
  readonly snapshots?: { readonly entries: number };
  /** Account the models of so many training steps, with a change to them where one is to be tried. */
  readonly model?: { readonly steps: number; readonly trial?: Trial };
}

/** Native stacks beside engine `line`, sampled. */
export interface HeapRequest {
  /** Bytes allocated between two samples, on average. */
  readonly mean: number;
  /** As of MassifRequest. */
  readonly lines?: MassifRequest["lines"];
}

export interface ProfileRequest {
  readonly target: TargetAddress;
  /** Absent: on the board itself. */
  readonly inside?: ContainerPlace;
  /** Absolute path at home; everything measured lies below it. */
  readonly projectFolder: string;
  readonly entry:
    | { readonly kind: "script"; readonly path: string }
    | { readonly kind: "module"; readonly name: string };
  readonly args: readonly string[];
  /** The launcher that starts the script, such as torchrun, and its arguments; absent: Python does. */
  readonly launch?: readonly string[];
  /** Interpreter on the board, or in the container (a name or a path, `~` allowed); undefined: detect. */
  readonly python?: string;
  readonly engine: EngineName;
  /** The run is one of several that are made together. */
  readonly group?: RunGroup;
  /** Present when `engine` is `massif`. */
  readonly massif?: MassifRequest;
  /** For engine `line` only. */
  readonly torch?: TorchRequest;
  /** For engine `line` only. */
  readonly heap?: HeapRequest;
  readonly exact: boolean;
  readonly accelerator: boolean;
  /** Variables added to the script's environment on the board. */
  readonly environment: Readonly<Record<string, string>>;
  /** gitignore patterns in addition to the project's own. */
  readonly excludes: readonly string[];
  /** On the board; default `DEFAULT_BOARD_FOLDER`. */
  readonly boardFolder: string;
  /** At home; the run folder is made below it. */
  readonly runsFolder: string;
  /** Bytes of stdout and of stderr kept in the logs. */
  readonly outputLimit: number;
  /** How often the whole board's memory is recorded, in milliseconds. */
  readonly momentsIntervalMs: number;
}

/** `trial`: as `start`, but the board first tries whether it can sample native stacks, which may take seconds. */
export type RunPhase = "connect" | "prepare" | "sync" | "start" | "trial" | "run";

export type RunEvent =
  | { readonly kind: "phase"; readonly phase: RunPhase }
  | { readonly kind: "connected"; readonly board: BoardIdentity; readonly versions: Readonly<Record<string, string>> }
  | {
      readonly kind: "sync";
      readonly sentFiles: number;
      readonly totalFiles: number;
      readonly sentBytes: number;
      readonly totalBytes: number;
    }
  | { readonly kind: "started"; readonly id: string; readonly folder: string }
  | {
      readonly kind: "progress";
      readonly elapsedMs: number;
      readonly hits: number;
      /** Lines the last run without valgrind executed; with `hits`, how far a slow run is. */
      readonly expectedHits?: number;
      /** The script runs under valgrind: `rss` and `rssPeak` are valgrind's whole process. */
      readonly underValgrind?: true;
      readonly rss?: number;
      readonly rssPeak?: number;
      readonly at?: { readonly path: string; readonly line: number };
    }
  | { readonly kind: "output"; readonly stream: "stdout" | "stderr"; readonly data: Uint8Array }
  /** The connection was lost; the next try begins after `delayMs`. `attempt` counts from 1 in each outage. */
  | {
      readonly kind: "reconnecting";
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
      /** `unsure`: it was lost while the script was being started, which goes on as soon as the board is reached. */
      readonly script: "runs" | "unsure";
    }
  /** The board was heard again; what it wrote meanwhile follows. */
  | { readonly kind: "reconnected" }
  | { readonly kind: "warning"; readonly code: string; readonly message: string };

/** How a run ended for the caller. `folder` is the run folder at home; what was recorded is in it in every case. */
export type RunOutcome =
  | { readonly kind: "finished"; readonly folder: string }
  | { readonly kind: "cancelled"; readonly folder?: string }
  /** Whoever followed it let it go: it keeps running on the board. */
  | { readonly kind: "released"; readonly folder: string }
  | { readonly kind: "failed"; readonly error: UserError; readonly folder?: string };

/** A run under way. `done` never rejects. */
export interface RunHandle {
  readonly done: Promise<RunOutcome>;
  /**
   * Sends bytes to the script's standard input. Resolves when more should be given: whoever reads a large file waits
   * for it, since what is far too much is dropped with the warning `input-lost`.
   */
  input(data: Uint8Array): Promise<void>;
  /** Ends the script's standard input. */
  closeInput(): void;
  /**
   * Asks the run's processes for a snapshot of PyTorch's CUDA allocator; resolves with how many were asked.
   * @throws UserError where the run is not connected, has ended or was started without snapshots
   */
  snapshot(): Promise<number>;
  /** Ends the whole process group on the board, in any phase. */
  cancel(): void;
  /** Stops following a run that has a folder; it keeps running on the board. */
  letGo(): void;
  /** Where the connection is lost: the next try begins now. */
  tryNow(): void;
}

/** A run whose folder came from elsewhere, as with somebody's project. */
export interface ForeignRun {
  readonly id: string;
  /** Where its folder says that it runs, in the form `parseTarget` reads; not ours to believe. */
  readonly target: string;
}

export interface RunDependencies {
  readonly prompter: Prompter;
  /** Asks whether to go on in spite of a risk. */
  readonly acceptRisk: (question: RiskQuestion) => Promise<boolean>;
  /** Asks whether a project may go to a board where it has not been yet, or much of it at once. */
  readonly maySend: (leaving: Leaving) => Promise<boolean>;
  /** Asks whether to connect where the folder of a run says, which this account did not make. */
  readonly mayReach: (run: ForeignRun) => Promise<boolean>;
  /** The folder with bootstrap.py and board.py. */
  readonly helperFolder: string;
  readonly onEvent: (event: RunEvent) => void;
}

/** A board to be looked at, with no script to run. */
export interface BoardRequest {
  readonly target: TargetAddress;
  /** Where on it scripts run; undefined: on the board itself. */
  readonly inside?: ContainerPlace;
  /** Interpreter there; undefined: detect. */
  readonly python?: string;
  readonly boardFolder: string;
}

export interface WatchRequest extends BoardRequest {
  readonly intervalMs: number;
}

export type WatchEvent =
  | { readonly kind: "connected"; readonly board: BoardIdentity }
  /** One record of moments.jsonl, whole; not checked yet. After a reconnection a header comes again. */
  | { readonly kind: "record"; readonly line: string }
  | { readonly kind: "reconnecting"; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  | { readonly kind: "warning"; readonly code: string; readonly message: string };

/** Watching a board's memory. `done` never rejects; its error is undefined where `stop` ended it. */
export interface WatchHandle {
  readonly done: Promise<UserError | undefined>;
  stop(): void;
}
