/** What a board says of itself, without running anything on it. */
import * as v from "valibot";
import type { BoardIdentity } from "../../profile/model.ts";
import type { Prompter } from "../../protocol/board.ts";
import { boardSchema, versionsSchema } from "../helper/wire.ts";
import { emptyMemory } from "../transport/transport.ts";
import { askBoard, type BoardPlace, connectBoard, prepareBoard } from "./session.ts";

export interface BoardProbe {
  readonly board: BoardIdentity;
  readonly versions: Readonly<Record<string, string>>;
  /** Versions of installed packages that matter to a run. */
  readonly packages: Readonly<Record<string, string>>;
  /** Runs that are alive there now. */
  readonly runs: readonly { readonly id: string; readonly script?: string }[];
}

export interface ProbeDependencies {
  readonly prompter: Prompter;
  readonly helperFolder: string;
  readonly signal: AbortSignal;
}

/** Rejects with a `UserError`, or with `signal.reason`. */
export async function probeBoard(place: BoardPlace, deps: ProbeDependencies): Promise<BoardProbe> {
  const { prompter, helperFolder, signal } = deps;
  const session = { prompter, helperFolder, memory: emptyMemory(), onNoise: () => {} };
  const connection = await connectBoard(place.target, session, signal);
  try {
    const reply = await askBoard(await prepareBoard(connection, place, helperFolder, signal), signal);
    return {
      board: v.parse(boardSchema, reply.board),
      versions: v.parse(versionsSchema, reply.versions),
      packages: v.parse(versionsSchema, reply.packages),
      runs: reply.runs.map(({ id, script }) => ({ id, ...(script === null ? {} : { script }) })),
    };
  } finally {
    connection.close();
  }
}
