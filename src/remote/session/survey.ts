/** What Check Board needs to know of a board. Nothing on it is changed but that the helper is put there. */
import type * as v from "valibot";
import { decodeSurvey, type Survey } from "../../board/survey.ts";
import type { BoardRequest, Prompter } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { enterContainer } from "../container/enter.ts";
import { formatInside } from "../container/place.ts";
import { surveyReply } from "../helper/wire.ts";
import type { OpenTarget } from "../transport/openTarget.ts";
import { emptyMemory } from "../transport/transport.ts";
import { type BoardSession, callBoard, connectBoard, prepareBoard } from "./session.ts";

export interface SurveyDependencies {
  readonly prompter: Prompter;
  readonly helperFolder: string;
  readonly open?: OpenTarget;
}

/** Several commands are asked for their versions, each for at most 5 s, perhaps from a slow card. */
const LIMIT = 120_000;

/** Debian packages whose versions say something about the board. */
const PACKAGES = ["nvidia-l4t-core", "nvidia-jetpack", "valgrind", "smem"];

/** Rejects with a `UserError`, or with `signal.reason`. */
export async function surveyBoard(
  request: BoardRequest,
  deps: SurveyDependencies,
  signal: AbortSignal,
): Promise<Survey> {
  const session = { ...deps, memory: emptyMemory(), onNoise: () => {}, onReplaced: () => {} };
  const { inside, python } = request;
  const connection = await connectBoard(request.target, session, signal);
  try {
    // The Python that a person names is that of scripts, which is another one in a container.
    const place = { ...request, python: inside === undefined ? python : undefined };
    const board = await prepareBoard(connection, place, session, signal);
    if (inside === undefined) return await surveyOf(board, signal);
    const entering = { place: inside, python, project: undefined, starts: false };
    const entered = await enterContainer(board, entering, session, signal);
    const [outer, survey] = await Promise.all([surveyOf(board, signal), surveyOf(entered.session, signal)]);
    return { ...outer, container: { place: formatInside(inside), survey } };
  } finally {
    connection.close();
  }
}

async function surveyOf(board: BoardSession, signal: AbortSignal): Promise<Survey> {
  const reply = await callBoard(board, "survey", {
    purpose: t("the board was checked"),
    request: { root: board.helper.root, packages: PACKAGES },
    reply: surveyReply as v.GenericSchema<unknown, v.InferOutput<typeof surveyReply>>,
    signal,
    limit: LIMIT,
  });
  return decodeSurvey(reply.survey);
}
