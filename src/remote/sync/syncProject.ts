/** Bringing the project to the board: only what changed there or here (docs/board-protocol.md, "Sync"). */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join, resolve } from "node:path";
import type * as v from "valibot";
import { printableLines } from "../../profile/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { RunEvent } from "../../protocol/board.ts";
import { badReply, callHelper } from "../helper/callHelper.ts";
import type { Helper } from "../helper/install.ts";
import { type SyncApplyReply, type SyncPlanReply, syncApplyReply, syncPlanReply } from "../helper/wire.ts";
import type { Connection } from "../transport/transport.ts";
import { FileChanged, hashFile, sendFiles } from "./sendFiles.ts";
import { type ProjectFile, type Walk, walkProject } from "./walk.ts";

export interface SyncRequest {
  readonly projectFolder: string;
  readonly excludes: readonly string[];
  /** A path that must be among the files: the script. */
  readonly required: string | undefined;
}

type Emit = (event: RunEvent) => void;

const HEAVY = 512 * 1024 * 1024;
const PROGRESS_INTERVAL = 100;
const PLAN_LIMIT = 300_000;

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

/** Resolves with the project's slug once the board has the files as they are here. */
export async function syncProject(
  connection: Connection,
  helper: Helper,
  request: SyncRequest,
  emit: Emit,
  signal: AbortSignal,
): Promise<string> {
  const project = projectSlug(request.projectFolder);
  for (let attempt = 1; ; attempt++) {
    try {
      await syncOnce(connection, helper, project, request, emit, signal);
      return project;
    } catch (error) {
      if (!isChange(error)) throw error;
      if (attempt === 1) continue;
      throw new UserError(
        "file-changed",
        `The project kept changing while it was being sent to ${connection.name}: ${error.message}`,
        "Wait until the program that writes it is done, or exclude it with the setting jetsonMemprof.exclude.",
        { cause: error },
      );
    }
  }
}

/** Either side may be the first to see that a file is not what was announced. */
function isChange(error: unknown): error is Error {
  return error instanceof FileChanged || (error instanceof UserError && error.code === "damaged");
}

async function syncOnce(
  connection: Connection,
  helper: Helper,
  project: string,
  request: SyncRequest,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const { projectFolder } = request;
  const walk = await walkProject(projectFolder, request.excludes, signal);
  checkRequired(walk, request.required);
  for (const warning of walk.warnings) emit({ kind: "warning", ...warning });
  const plan = await callHelper(connection, {
    purpose: "the project's files were compared",
    argv: helper.argv("sync-plan"),
    request: {
      root: helper.root,
      project,
      files: walk.files.map((file) => [file.path, file.size, file.mtimeMs, file.executable]),
    },
    reply: syncPlanReply as v.GenericSchema<unknown, SyncPlanReply>,
    signal,
    limit: PLAN_LIMIT,
  });
  const { send, touch } = await candidates(plan, walk, projectFolder, connection.name, emit, signal);
  warnWhenHeavy(send, emit);
  const progress = startProgress(send, emit);
  // An unchanged project is done after one exchange.
  if (send.length === 0 && touch.length === 0 && plan.gone === 0) return;

  const applied = await callHelper(connection, {
    purpose: "the project's files were sent",
    argv: helper.argv("sync-apply"),
    request: {
      root: helper.root,
      project,
      touch: touch.map((file) => [file.path, file.mtimeMs]),
      files: send.length,
      present: walk.files.map((file) => file.path),
    },
    reply: syncApplyReply as v.GenericSchema<unknown, SyncApplyReply>,
    signal,
    body: (stdin) =>
      sendFiles(
        stdin,
        projectFolder,
        send.map((file) => file.path),
        signal,
        progress,
      ),
  });
  for (const [path, where] of applied.kept.slice(0, 20)) {
    emit({
      kind: "warning",
      code: "board-file-kept",
      message: `${shown(path)} had been changed on the board; that version was kept as ${shown(where)}.`,
    });
  }
}

function checkRequired(walk: Walk, required: string | undefined): void {
  if (required === undefined || walk.files.some((file) => file.path === required)) return;
  throw new UserError(
    "script-excluded",
    `${required} is not sent to the board: .gitignore or the setting jetsonMemprof.exclude leaves it out, or it is gone.`,
    "Take it out of the exclusions, then try again.",
  );
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
      throw badReply(boardName, "the project's files were compared", `it asked for ${shown(path)}`);
    }
    byPath.delete(path);
    return file;
  };
  const send: ProjectFile[] = [];
  const touch: ProjectFile[] = [];
  for (const file of plan.send.map(offered)) {
    if (await isReadable(root, file.path, emit)) send.push(file);
  }
  for (const [path, theirs] of plan.hash) {
    signal.throwIfAborted();
    const file = offered(path);
    if (!(await isReadable(root, path, emit))) continue;
    if (theirs !== null && (await hashFile(root, path)) === theirs) touch.push(file);
    else send.push(file);
  }
  return { send, touch };
}

async function isReadable(root: string, path: string, emit: Emit): Promise<boolean> {
  try {
    await access(join(root, path), constants.R_OK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new FileChanged(path, { cause: error });
    emit({ kind: "warning", code: "unreadable", message: `${path} was not sent: you may not read it.` });
    return false;
  }
}

function warnWhenHeavy(send: readonly ProjectFile[], emit: Emit): void {
  const total = send.reduce((sum, file) => sum + file.size, 0);
  if (total <= HEAVY) return;
  const folders = new Map<string, number>();
  for (const { path, size } of send) {
    const slash = path.indexOf("/");
    const top = slash < 0 ? path : path.slice(0, slash + 1);
    folders.set(top, (folders.get(top) ?? 0) + size);
  }
  const heaviest = [...folders].sort((a, b) => b[1] - a[1]).slice(0, 3);
  emit({
    kind: "warning",
    code: "large-sync",
    message:
      `${mib(total)} are to be sent to the board; the most of it is in ` +
      `${heaviest.map(([name, size]) => `${name} (${mib(size)})`).join(", ")}. ` +
      "Exclude what the script does not need with the setting jetsonMemprof.exclude.",
  });
}

function shown(path: string): string {
  return printableLines(path.slice(0, 300));
}

function mib(bytes: number): string {
  return `${Math.round(bytes / (1024 * 1024))} MiB`;
}

/** Announces the totals and returns the counter of what was sent; events come at most every 100 ms and at the end. */
function startProgress(send: readonly ProjectFile[], emit: Emit): (bytes: number, fileDone: boolean) => void {
  const totalBytes = send.reduce((sum, file) => sum + file.size, 0);
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
