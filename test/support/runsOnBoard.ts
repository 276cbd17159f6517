import type { Prompter } from "../../src/protocol/run/run.ts";
import { askBoard, type BoardPlace, connectBoard, prepareBoard } from "../../src/remote/session/session.ts";
import { emptyMemory } from "../../src/remote/transport/transport.ts";

interface Dependencies {
  readonly prompter: Prompter;
  readonly helperFolder: string;
  readonly signal: AbortSignal;
}

/** The ids of the runs that are alive on a board now, by its own word. */
export async function runsOnBoard(place: BoardPlace, deps: Dependencies): Promise<readonly string[]> {
  const { prompter, helperFolder, signal } = deps;
  const session = { prompter, helperFolder, memory: emptyMemory(), onNoise: () => {}, onReplaced: () => {} };
  const connection = await connectBoard(place.target, session, signal);
  try {
    const reply = await askBoard(await prepareBoard(connection, place, session, signal), signal, []);
    return reply.runs.map(({ id }) => id);
  } finally {
    connection.close();
  }
}
