/** Finding an unfinished run again: from what its origin.json says, on from what is at home already. */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join, posix, resolve } from "node:path";
import * as v from "valibot";
import { UserError } from "../profile/userError.ts";
import { DEFAULT_BOARD_FOLDER, type RunDependencies, type RunHandle } from "../protocol/board.ts";
import { parseTarget } from "./address.ts";
import { connectBoard, prepareBoard, sessionDependencies } from "./board/session.ts";
import { parseJson } from "./helper/callHelper.ts";
import { RUN_ID } from "./helper/wire.ts";
import { follow } from "./run/follow.ts";
import { openMirror } from "./run/mirror.ts";
import { type RunBody, runHandle } from "./run/outcome.ts";
import { createProgressReader, type ProgressReader } from "./run/progress.ts";
import type { OpenTarget } from "./transport/openTarget.ts";

export interface ResumeRequest {
  /**
   * Where the helper lies on the board; default `~/.jetson-memprof`. Never taken from the run folder: one that came
   * with somebody's project must not name the program that is started.
   */
  readonly boardFolder?: string;
  /** Interpreter on the board, as for `ProfileRequest`; undefined: detect. */
  readonly python?: string;
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
): Promise<"finished" | "lost"> {
  const emit = deps.onEvent;
  const origin = await readOrigin(runFolder);
  body.setFolder(runFolder);
  const sessionDeps = sessionDependencies(deps, open);
  const target = parseTarget(origin.target);
  // <root>/runs/<id>
  const root = posix.dirname(posix.dirname(origin.board_folder));

  emit({ kind: "phase", phase: "connect" });
  const connection = await connectBoard(target, sessionDeps, body.cancel.early);
  try {
    emit({ kind: "phase", phase: "prepare" });
    const place = { target, python: request.python, boardFolder: request.boardFolder ?? DEFAULT_BOARD_FOLDER };
    const session = await prepareBoard(connection, place, deps.helperFolder, body.cancel.early);

    emit({ kind: "phase", phase: "run" });
    const underValgrind = (await engineOf(runFolder)) === "massif";
    const progress = createProgressReader(emit, underValgrind ? { underValgrind } : {});
    await readFileNames(runFolder, progress);
    emit({ kind: "started", id: origin.id, folder: runFolder });
    const mirror = await openMirror(runFolder);
    try {
      return await follow({
        session,
        task: { root, runId: origin.id, mirror, progress, input: body.input, emit },
        cancel: body.cancel,
        reach: body.reach,
        reopen: (signal) => connectBoard(target, { ...sessionDeps, prompter: undefined }, signal),
      });
    } finally {
      await mirror.close();
    }
  } finally {
    connection.close();
  }
}

/** The line table at home names the files that later samples only number. */
async function readFileNames(runFolder: string, progress: ProgressReader): Promise<void> {
  try {
    for await (const piece of createReadStream(join(runFolder, "lines.jsonl")) as AsyncIterable<Buffer>) {
      progress.lines(piece);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

const engineRecord = v.object({ engine: v.object({ name: v.string() }) });

/** The engine's name as the run.json at home has it; undefined where that did not come yet. */
async function engineOf(runFolder: string): Promise<string | undefined> {
  const text = await readFile(join(runFolder, "run.json"), "utf8").catch(() => "");
  const parsed = v.safeParse(engineRecord, parseJson(text));
  return parsed.success ? parsed.output.engine.name : undefined;
}

const originRecord = v.object({
  schema: v.number(),
  target: v.string(),
  board_folder: v.pipe(v.string(), v.startsWith("/")),
});

async function readOrigin(runFolder: string): Promise<v.InferOutput<typeof originRecord> & { readonly id: string }> {
  const file = join(runFolder, "origin.json");
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UserError(
      "no-origin",
      `${file} cannot be read, so it is not known where this run lives.`,
      "Only a run that this extension started can be resumed.",
      { cause: error },
    );
  });
  const parsed = v.safeParse(originRecord, parseJson(text));
  if (!parsed.success) {
    throw new UserError("bad-origin", `${file} is damaged.`, "The run cannot be found again; start a new one.");
  }
  if (parsed.output.schema > 1) {
    throw new UserError("newer-schema", `${file} was written by a newer version.`, "Update the extension.");
  }
  const id = posix.basename(parsed.output.board_folder);
  if (!RUN_ID.test(id) || id !== basename(runFolder)) {
    throw new UserError("bad-origin", `${file} belongs to another run.`, "Give the run folder its own name back.");
  }
  return { ...parsed.output, id };
}
