/** A board that is reached and has the helper: where every command starts from. */
import type * as v from "valibot";
import { printableLines } from "../../profile/text.ts";
import type { Prompter, RunDependencies, RunEvent, TargetAddress } from "../../protocol/board.ts";
import { readHelperBundle } from "../helper/bundle.ts";
import { callHelper } from "../helper/callHelper.ts";
import { type Helper, installHelper } from "../helper/install.ts";
import { findPython } from "../helper/python.ts";
import { type ProbeReply, probeReply } from "../helper/wire.ts";
import { type OpenTarget, openTarget } from "../transport/openTarget.ts";
import { type Connection, type ConnectionMemory, emptyMemory } from "../transport/transport.ts";

export interface BoardSession {
  readonly connection: Connection;
  readonly helper: Helper;
}

export interface BoardPlace {
  readonly target: TargetAddress;
  /** Interpreter on the board; undefined: detect. */
  readonly python: string | undefined;
  /** On the board, `~` allowed. */
  readonly boardFolder: string;
}

export interface SessionDependencies {
  /** undefined: nobody may be asked. */
  readonly prompter: Prompter | undefined;
  readonly helperFolder: string;
  readonly memory: ConnectionMemory;
  readonly onNoise: (text: string) => void;
  /** How to reach a target; another one only in tests of what happens when the way breaks. */
  readonly open?: OpenTarget;
}

const QUICK = 60_000;

type Asking = Pick<RunDependencies, "prompter" | "helperFolder"> & {
  readonly onEvent: (event: Extract<RunEvent, { kind: "warning" }>) => void;
};

/** What the dependencies of a run or a watch come to for reaching the board. */
export function sessionDependencies(deps: Asking, open: OpenTarget | undefined): SessionDependencies {
  return {
    prompter: deps.prompter,
    helperFolder: deps.helperFolder,
    memory: emptyMemory(),
    onNoise: (text) => {
      deps.onEvent({
        kind: "warning",
        code: "shell-noise",
        message:
          `A start-up file of the board's login shell prints text even when no person logs in: ${printableLines(text).trim().slice(0, 200)}. ` +
          "It was passed over.",
      });
    },
    ...(open === undefined ? {} : { open }),
  };
}

export async function connectBoard(
  target: TargetAddress,
  deps: SessionDependencies,
  signal: AbortSignal,
): Promise<Connection> {
  const { prompter, memory, onNoise } = deps;
  return (deps.open ?? openTarget)(target, { prompter, memory, onNoise, signal });
}

/** Closes the connection where the helper cannot be used. */
export async function prepareBoard(
  connection: Connection,
  place: BoardPlace,
  helperFolder: string,
  signal: AbortSignal,
): Promise<BoardSession> {
  try {
    const bundle = await readHelperBundle(helperFolder);
    const python = await findPython(connection, place.python, signal);
    return { connection, helper: await installHelper(connection, python, place.boardFolder, bundle, signal) };
  } catch (error) {
    connection.close();
    throw error;
  }
}

export function askBoard({ connection, helper }: BoardSession, signal: AbortSignal): Promise<ProbeReply> {
  return callHelper(connection, {
    purpose: "the board was asked what it is",
    argv: helper.argv("probe"),
    request: { root: helper.root },
    reply: probeReply as v.GenericSchema<unknown, ProbeReply>,
    signal,
    limit: QUICK,
  });
}
