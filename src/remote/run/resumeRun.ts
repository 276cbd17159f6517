/** Finding an unfinished run again: from what its origin.json says, on from what is at home already. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join, posix, resolve } from "node:path";
import * as v from "valibot";
import { readText } from "../../profile/files/fileReading.ts";
import { UserError } from "../../profile/userError.ts";
import {
  DEFAULT_BOARD_FOLDER,
  type RunDependencies,
  type RunHandle,
  type TargetAddress,
} from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { formatTarget, parseTarget } from "../address.ts";
import { parseJson } from "../helper/callHelper.ts";
import { connectBoard, prepareBoard, reopenBoard, sessionDependencies } from "../session/session.ts";
import type { OpenTarget } from "../transport/openTarget.ts";
import type { AttachEnd } from "./follow/attach.ts";
import { cancelRun } from "./follow/cancelRun.ts";
import { follow } from "./follow/follow.ts";
import { openMirror } from "./mirror/mirror.ts";
import { createProgressReader, type ProgressReader } from "./mirror/progress.ts";
import { isForeign, moveOrigin, readOrigin } from "./origin.ts";
import { type RunBody, runHandle } from "./outcome.ts";

export interface ResumeRequest {
  /**
   * Where the helper lies on the board; default `~/.jetson-memprof`. Never taken from the run folder: one that came
   * with somebody's project must not name the program that is started.
   */
  readonly boardFolder?: string;
  /** Interpreter on the board, as for `ProfileRequest`; undefined: detect. */
  readonly python?: string;
  /** Where the board is reached now, if not where it was when the run was started; kept once the run is found there. */
  readonly target?: TargetAddress;
  /** The run is ended first, also what a helper that died has left of it. */
  readonly cancel?: boolean;
  /** What there is now is fetched; the run goes on, and the outcome is `released`. */
  readonly once?: boolean;
}

/** `runFolder` is the run folder at home. */
export function resumeRun(
  runFolder: string,
  request: ResumeRequest,
  deps: RunDependencies,
  open?: OpenTarget,
): RunHandle {
  return runHandle(deps.onEvent, (body) => resume(resolve(runFolder), request, deps, open, body));
}

async function resume(
  runFolder: string,
  request: ResumeRequest,
  deps: RunDependencies,
  open: OpenTarget | undefined,
  body: RunBody,
): Promise<AttachEnd> {
  const emit = deps.onEvent;
  const origin = await readOrigin(runFolder);
  body.setFolder(runFolder);
  const sessionDeps = sessionDependencies(deps, open);
  const target = request.target ?? parseTarget(origin.target);
  const asked = request.target === undefined && isForeign(origin);
  if (asked && !(await deps.mayReach({ id: origin.id, target: origin.target }))) body.cancel.request();
  // <root>/runs/<id>
  const root = posix.dirname(posix.dirname(origin.boardFolder));

  // The run goes on without us: who lets go of it waits for no connection either.
  const early = AbortSignal.any([body.cancel.early, body.cancel.abandoned]);
  early.throwIfAborted();
  emit({ kind: "phase", phase: "connect" });
  const connection = await connectBoard(target, sessionDeps, early);
  try {
    emit({ kind: "phase", phase: "prepare" });
    // What is named for a script in a container is no interpreter of the board's.
    const python = origin.inside === undefined ? request.python : undefined;
    const place = { target, python, boardFolder: request.boardFolder ?? DEFAULT_BOARD_FOLDER };
    const session = await prepareBoard(connection, place, sessionDeps, early);
    session.serving?.end();
    if (request.cancel === true) await cancelRun(session, { root, id: origin.id }, early);

    emit({ kind: "phase", phase: "run" });
    const underValgrind = (await engineOf(runFolder)) === "massif";
    const progress = createProgressReader(emit, underValgrind ? { underValgrind } : {});
    await readFileNames(runFolder, progress);
    const mirror = await openMirror(runFolder);
    let kept: Promise<void> | undefined;
    try {
      return await follow({
        session,
        task: { root, runId: origin.id, mirror, progress, input: body.input, once: request.once === true, emit },
        cancel: body.cancel,
        reach: body.reach,
        reopen: (signal) => reopenBoard(place, session.helper, sessionDeps, signal),
        onFound() {
          emit({ kind: "started", id: origin.id, folder: runFolder });
          if (request.target !== undefined || asked) kept = rememberTarget(runFolder, target, emit);
        },
      });
    } catch (error) {
      throw request.target === undefined ? error : notThisBoard(error, connection.name);
    } finally {
      await kept;
      await mirror.close();
    }
  } finally {
    connection.close();
  }
}

/** A run that goes home is worth more than a file that says where it lives. */
async function rememberTarget(
  runFolder: string,
  target: TargetAddress,
  emit: RunDependencies["onEvent"],
): Promise<void> {
  await moveOrigin(runFolder, formatTarget(target)).catch((error: Error) =>
    emit({
      kind: "warning",
      code: "target-not-kept",
      message: t(
        "The run was found, but its new address could not be saved: {0}. Give it again next time.",
        error.message,
      ),
    }),
  );
}

function notThisBoard(error: unknown, name: string): unknown {
  if (!(error instanceof UserError) || error.code !== "no-such-run") return error;
  return new UserError(
    error.code,
    t("{0} does not have this run: {1}", name, error.message),
    t("Check that this is the board the run was started on; nothing was changed here."),
    { cause: error },
  );
}

/** The line table at home names the files that later samples only number. */
async function readFileNames(runFolder: string, progress: ProgressReader): Promise<void> {
  const file = join(runFolder, "lines.jsonl");
  // A pipe in its place would be waited for without end.
  if ((await stat(file).catch(() => undefined))?.isFile() !== true) return;
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) progress.lines(piece);
}

const engineRecord = v.object({ engine: v.object({ name: v.string() }) });

/** The engine's name as the run.json at home has it; undefined where that did not come yet. */
async function engineOf(runFolder: string): Promise<string | undefined> {
  const text = await readText(join(runFolder, "run.json")).catch(() => undefined);
  const parsed = v.safeParse(engineRecord, parseJson(text ?? ""));
  return parsed.success ? parsed.output.engine.name : undefined;
}
