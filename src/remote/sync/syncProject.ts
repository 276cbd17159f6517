/** Bringing the project to the board: only what changed there or here (docs/board-protocol.md, "Sync"). */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join, resolve } from "node:path";
import type * as v from "valibot";
import { printableLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { type Leaving, leavingOf } from "../../protocol/run/leaving.ts";
import type { RunDependencies, RunEvent } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { badReply } from "../helper/callHelper.ts";
import { type SyncApplyReply, type SyncPlanReply, syncApplyReply } from "../helper/wire.ts";
import { type BoardSession, callBoard } from "../session/session.ts";
import { MOST_BYTES, type Offer, offerProject, type SyncRequest } from "./offer.ts";
import { FileChanged, hashFile, sendFiles } from "./sendFiles.ts";
import { notesOf, type ProjectFile, type Walk } from "./walk.ts";

type Emit = (event: RunEvent) => void;

/** Who is asked before a project goes to a board for the first time, or much of it at once. */
export type MaySend = RunDependencies["maySend"];

/** Bytes that are asked about. */
const HEAVY = 512 * 1024 * 1024;
const PROGRESS_INTERVAL = 100;

/** The project's name on the board: readable, and another one for each folder of each machine. */
export function projectSlug(projectFolder: string): string {
  const folder = resolve(projectFolder);
  const stem = basename(folder)
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");
  const id = createHash("sha256").update(`${hostname()}\0${folder}`).digest("hex").slice(0, 8);
  return `${stem === "" ? "project" : stem}-${id}`;
}

/**
 * Resolves with the project's slug once the board has the files as they are here; undefined, and nothing is sent, where
 * `maySend` said no; what it is shown is not told as warnings too.
 * @param offered may be under way already
 */
export async function syncProject(
  session: BoardSession,
  request: SyncRequest,
  emit: Emit,
  signal: AbortSignal,
  maySend: MaySend | undefined,
  offered?: Promise<Offer>,
): Promise<string | undefined> {
  const project = projectSlug(request.projectFolder);
  let said: Promise<boolean> | undefined;
  const askedOnce =
    maySend &&
    ((leaving: Leaving) => {
      said ??= maySend(leaving);
      return said;
    });
  for (let attempt = 1; ; attempt++) {
    try {
      const offer = (attempt === 1 ? offered : undefined) ?? offerProject(session, project, request, signal);
      const sent = await syncOnce(session, project, request, await offer, { emit, signal, maySend: askedOnce });
      return sent ? project : undefined;
    } catch (error) {
      if (!isChange(error)) throw error;
      if (attempt === 1) continue;
      throw new UserError(
        "file-changed",
        t("The project kept changing while it was being sent to {0}: {1}", session.connection.name, error.message),
        t("Wait until the program that writes it is done, or exclude it with the setting jetsonMemprof.exclude."),
        { cause: error },
      );
    }
  }
}

/** Either side may be the first to see that a file is not what was announced. */
function isChange(error: unknown): error is Error {
  return error instanceof FileChanged || (error instanceof UserError && error.code === "damaged");
}

interface SyncWays {
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly maySend: MaySend | undefined;
}

/** @returns false where the person would rather not send it */
async function syncOnce(
  session: BoardSession,
  project: string,
  { projectFolder }: SyncRequest,
  { walk, plan }: Offer,
  { emit, signal, maySend }: SyncWays,
): Promise<boolean> {
  const to = session.connection.name;
  const { send, touch } = await candidates(plan, walk, projectFolder, to, emit, signal);
  const isAsked = send.length > 0 && (plan.first === true || bytesOf(send) > HEAVY);
  if (maySend === undefined || !isAsked) {
    for (const warning of walk.warnings) emit({ kind: "warning", ...warning });
  } else {
    const leaving = leavingOf(send, { projectFolder, to, stays: walk.stays, notes: notesOf(walk) });
    if (!(await maySend(leaving))) return false;
    signal.throwIfAborted();
  }
  const progress = startProgress(send, emit);
  // An unchanged project is done after one exchange.
  if (send.length === 0 && touch.length === 0 && plan.gone === 0) return true;

  const applied = await callBoard(session, "sync-apply", {
    purpose: t("the project's files were sent"),
    request: {
      root: session.helper.root,
      project,
      touch: touch.map((file) => [file.path, file.mtimeMs]),
      files: send.length,
      // Where nothing is gone, a list of all files says nothing.
      ...(plan.gone === 0 ? {} : { present: walk.files.map((file) => file.path) }),
    },
    reply: syncApplyReply as v.GenericSchema<unknown, SyncApplyReply>,
    signal,
    mostBytes: MOST_BYTES,
    body: (stdin) => sendFiles(stdin, projectFolder, send, signal, progress),
  });
  for (const [path, where] of applied.kept.slice(0, 20)) {
    emit({
      kind: "warning",
      code: "board-file-kept",
      message: t("{0} had been changed on the board; that version was kept as {1}.", shown(path), shown(where)),
    });
  }
  return true;
}

interface Candidates {
  readonly send: readonly ProjectFile[];
  readonly touch: readonly ProjectFile[];
}

/** What to send, and what only needs its time set because the content is the same. */
async function candidates(
  plan: SyncPlanReply,
  walk: Walk,
  root: string,
  boardName: string,
  emit: Emit,
  signal: AbortSignal,
): Promise<Candidates> {
  const byPath = new Map(walk.files.map((file) => [file.path, file]));
  // A board may only ask for what it was offered.
  const offered = (path: string): ProjectFile => {
    const file = byPath.get(path);
    if (file === undefined) {
      throw badReply(boardName, t("the project's files were compared"), t("it asked for {0}", shown(path)));
    }
    byPath.delete(path);
    return file;
  };
  const send: ProjectFile[] = [];
  const touch: ProjectFile[] = [];
  for (const file of plan.send.map(offered)) {
    if (await isReadable(root, file, emit)) send.push(file);
  }
  for (const [path, theirs] of plan.hash) {
    signal.throwIfAborted();
    const file = offered(path);
    if (!(await isReadable(root, file, emit))) continue;
    if (theirs !== null && (await hashFile(root, file)) === theirs) touch.push(file);
    else send.push(file);
  }
  return { send, touch };
}

async function isReadable(root: string, { path, from }: ProjectFile, emit: Emit): Promise<boolean> {
  try {
    await access(join(root, from), constants.R_OK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new FileChanged(path, { cause: error });
    emit({ kind: "warning", code: "unreadable", message: t("{0} was not sent: you may not read it.", path) });
    return false;
  }
}

function bytesOf(files: readonly ProjectFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

function shown(path: string): string {
  return printableLines(path.slice(0, 300));
}

/** Announces the totals and returns the counter of what was sent; events come at most every 100 ms and at the end. */
function startProgress(send: readonly ProjectFile[], emit: Emit): (bytes: number, fileDone: boolean) => void {
  const totalBytes = bytesOf(send);
  let sentFiles = 0;
  let sentBytes = 0;
  let last = Number.NEGATIVE_INFINITY;
  const report = (): void => {
    emit({ kind: "sync", sentFiles, totalFiles: send.length, sentBytes, totalBytes });
  };
  report();
  return (bytes, fileDone) => {
    sentBytes += bytes;
    if (fileDone) sentFiles++;
    if (sentFiles === send.length || performance.now() - last >= PROGRESS_INTERVAL) {
      last = performance.now();
      report();
    }
  };
}
