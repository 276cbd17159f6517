/** What a run can be in on a board: the containers that run there, and the images that lie there. */
import type * as v from "valibot";
import type { BoardRequest, Prompter } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { fromBoard } from "../helper/callHelper.ts";
import { containersReply } from "../helper/wire.ts";
import { callBoard, connectBoard, prepareBoard } from "../session/session.ts";
import { emptyMemory } from "../transport/transport.ts";

export type EngineListing = v.InferOutput<typeof containersReply>["engines"][number];

/** Milliseconds; each engine may be slow to answer. */
const LIMIT = 180_000;

/**
 * Engines that do not tell are left out where another one does.
 * @throws UserError why none tells
 */
export async function listContainers(
  { target, boardFolder }: BoardRequest,
  deps: { readonly prompter: Prompter; readonly helperFolder: string },
  signal: AbortSignal,
): Promise<readonly EngineListing[]> {
  const session = { ...deps, memory: emptyMemory(), onNoise: () => {}, onReplaced: () => {} };
  const connection = await connectBoard(target, session, signal);
  try {
    const board = await prepareBoard(connection, { target, boardFolder, python: undefined }, session, signal);
    const { engines } = await callBoard(board, "containers", {
      purpose: t("the containers were listed"),
      request: {},
      reply: containersReply as v.GenericSchema<unknown, v.InferOutput<typeof containersReply>>,
      signal,
      limit: LIMIT,
    });
    const telling = engines.filter(({ error }) => error === null);
    const [first] = engines;
    if (telling.length === 0 && first?.error != null) throw fromBoard(first.error);
    return telling;
  } finally {
    connection.close();
  }
}
