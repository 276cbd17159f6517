/** A board that is reached and has the helper: where every command starts from. */
import type * as v from "valibot";
import { defined } from "../../profile/defined.ts";
import { printableLines } from "../../profile/text/text.ts";
import type { Prompter, RunDependencies, RunEvent, TargetAddress } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { type HelperBundle, sharedHelperBundle } from "../helper/bundle.ts";
import { callHelper, type HelperCall } from "../helper/callHelper.ts";
import { type Helper, type Installed, installHelper } from "../helper/install.ts";
import type { ServingHelper } from "../helper/serving.ts";
import { type ProbeReply, probeReply } from "../helper/wire.ts";
import { type OpenTarget, openTarget } from "../transport/openTarget.ts";
import { type Connection, type ConnectionMemory, emptyMemory } from "../transport/transport.ts";

export interface BoardSession {
  readonly connection: Connection;
  readonly helper: Helper;
  /** A process of the helper over this connection that takes commands; without one each is started anew. */
  readonly serving?: ServingHelper;
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
  /** What lies there, where it is being read already. */
  readonly bundle?: Promise<HelperBundle>;
  readonly memory: ConnectionMemory;
  readonly onNoise: (text: string) => void;
  /** The helper on the board was not as it was sent, and was installed again; the text says what differed. */
  readonly onReplaced: (difference: string) => void;
  /** How to reach a target; another one only in tests of what happens when the way breaks. */
  readonly open?: OpenTarget;
}

/** Where the helper comes from, and who is told what became of it. */
export type HelperSource = Pick<SessionDependencies, "helperFolder" | "bundle" | "onReplaced">;

const QUICK = 60_000;

type Asking = Pick<RunDependencies, "prompter" | "helperFolder"> & {
  readonly onEvent: (event: Extract<RunEvent, { kind: "warning" }>) => void;
};

/** What the dependencies of a run or a watch come to for reaching the board. */
export function sessionDependencies(deps: Asking, open: OpenTarget | undefined): SessionDependencies {
  const bundle = sharedHelperBundle(deps.helperFolder);
  // Told where it is needed.
  bundle.catch(() => {});
  return {
    prompter: deps.prompter,
    helperFolder: deps.helperFolder,
    bundle,
    memory: emptyMemory(),
    onNoise: (text) => {
      deps.onEvent({
        kind: "warning",
        code: "shell-noise",
        message: t(
          "A startup file of the board's login shell prints text even where nobody logs in: {0}. It was ignored.",
          printableLines(text).trim().slice(0, 200),
        ),
      });
    },
    onReplaced: (difference) => {
      deps.onEvent({
        kind: "warning",
        code: "helper-replaced",
        message: t(
          "The profiler's own files on the board were not as they were installed: {0}. They were installed again before anything was started from them. A worn SD card or somebody with access to your account can be the reason.",
          printableLines(difference).slice(0, 500),
        ),
      });
    },
    ...defined({ open }),
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
  source: HelperSource,
  signal: AbortSignal,
): Promise<BoardSession> {
  try {
    const { helper, serving } = await checkedHelper(connection, place, source, signal);
    return { connection, helper, serving };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** A new connection to a board that was prepared before; the helper is checked there again before it is used. */
export async function reopenBoard(
  place: BoardPlace,
  { python }: Helper,
  deps: SessionDependencies,
  signal: AbortSignal,
): Promise<Connection> {
  const connection = await connectBoard(place.target, { ...deps, prompter: undefined }, signal);
  try {
    const { serving } = await checkedHelper(connection, { ...place, python }, deps, signal);
    serving.end();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function checkedHelper(
  connection: Connection,
  { python, boardFolder }: BoardPlace,
  { helperFolder, bundle, onReplaced }: HelperSource,
  signal: AbortSignal,
): Promise<Installed> {
  const source = await (bundle ?? sharedHelperBundle(helperFolder));
  const installed = await installHelper(connection, { python, boardFolder, bundle: source }, signal);
  if (installed.replaced !== undefined) onReplaced(installed.replaced);
  return installed;
}

/** One command: to the process that takes them, or to one of its own where there is none (any more). */
export function callBoard<T>(
  { connection, helper, serving }: BoardSession,
  command: string,
  call: HelperCall<T>,
): Promise<T> {
  return serving?.serves === true
    ? serving.call(command, call)
    : callHelper(connection, { ...call, argv: helper.argv(command) });
}

/** `programs` are asked for their versions too. */
export function askBoard(
  session: BoardSession,
  signal: AbortSignal,
  programs: readonly "valgrind"[] = [],
): Promise<ProbeReply> {
  return callBoard(session, "probe", {
    purpose: t("the board was asked what it is"),
    request: { root: session.helper.root, programs },
    reply: probeReply as v.GenericSchema<unknown, ProbeReply>,
    signal,
    limit: QUICK,
  });
}
