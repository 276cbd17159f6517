/** From a board to a container on it: the engine makes it ready, and the helper in there is one as on any board. */
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { ContainerPlace } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { enterReply, type ProbeReply } from "../helper/wire.ts";
import { askBoard, type BoardSession, callBoard, type HelperSource, prepareBoard } from "../session/session.ts";
import type { Connection } from "../transport/transport.ts";
import { formatInside } from "./place.ts";

/** Milliseconds; a container that is made of a large image on a card takes its time. */
const LIMIT = 180_000;

export interface Entered {
  /** Commands given here run in the container. */
  readonly session: BoardSession;
  /** The project's folder there; undefined: it has to be sent. */
  readonly projectRoot: string | undefined;
  /** What `start` on the board is told of it. */
  readonly order: object;
}

export interface Entering {
  readonly place: ContainerPlace;
  /** Interpreter in the container; undefined: detect. */
  readonly python: string | undefined;
  /** The project's folder where it lies on the board itself. */
  readonly project: string | undefined;
  /** A run is started there next. */
  readonly starts: boolean;
}

/** @throws UserError */
export async function enterContainer(
  board: BoardSession,
  { place, python, project, starts }: Entering,
  source: HelperSource,
  signal: AbortSignal,
): Promise<Entered> {
  const reply = await callBoard(board, "enter", {
    purpose: t("the container was looked for"),
    request: {
      root: board.helper.root,
      inside: formatInside(place),
      project: project ?? null,
      arguments: place.options,
      starts,
    },
    reply: enterReply,
    signal,
    limit: LIMIT,
  });
  const { project_root, ...container } = reply;
  const shown = printable(place.name);
  const name =
    place.kind === "image"
      ? t("a container of {0} on {1}", shown, board.connection.name)
      : t("container {0} on {1}", shown, board.connection.name);
  const connection = throughEngine(board.connection, [reply.program, ...reply.exec], name);
  const target = { target: { kind: "local" }, python, boardFolder: reply.root } as const;
  const session = await prepareBoard(connection, target, source, signal).catch((error: unknown) => {
    throw inContainer(error);
  });
  return {
    session,
    projectRoot: project_root ?? undefined,
    order: { ...container, root: session.helper.root, command: session.helper.argv("start").slice(0, -1) },
  };
}

/** The same connection, whose programs are started in a container. It is closed by whoever made it. */
function throughEngine(connection: Connection, engine: readonly string[], name: string): Connection {
  return {
    kind: connection.kind,
    name,
    closed: connection.closed,
    exec: (argv) => connection.exec([...engine, ...argv]),
    close: () => {},
  };
}

/** What helps on a board may not help in a container. */
function inContainer(error: unknown): unknown {
  if (!(error instanceof UserError) || !/^(no-python|python-too-old)$/.test(error.code)) return error;
  return new UserError(
    `${error.code}-inside`,
    error.message,
    t(
      "Take a container or an image that has a shell and Python 3.6 or newer, or name its Python in the setting jetsonMemprof.python (in a terminal: --python).",
    ),
    { cause: error },
  );
}

/** The board as it is outside, and what is installed inside. */
export async function probeInside(
  board: BoardSession,
  inside: BoardSession,
  signal: AbortSignal,
  programs: readonly "valgrind"[],
): Promise<ProbeReply> {
  const [outer, inner] = await Promise.all([askBoard(board, signal), askBoard(inside, signal, programs)]);
  return { ...inner, board: outer.board, runs: outer.runs, memory: outer.memory };
}
