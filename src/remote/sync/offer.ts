/** What a project's files are here, and what of them the board wants. */
import type * as v from "valibot";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { type SyncPlanReply, syncPlanReply } from "../helper/wire.ts";
import { type BoardSession, callBoard } from "../session/session.ts";
import { type Walk, walkProject } from "./walk.ts";

export interface SyncRequest {
  readonly projectFolder: string;
  readonly excludes: readonly string[];
  /** A path that must be among the files: the script. */
  readonly required: string | undefined;
}

export interface Offer {
  readonly walk: Walk;
  readonly plan: SyncPlanReply;
}

/** Files as they were found, and when that was begun. */
export interface Look {
  readonly walk: Promise<Walk>;
  /** Of `performance.now()`. */
  readonly began: number;
}

const PLAN_LIMIT = 300_000;
/** Bytes of a reply: a list of 200,000 files fits. */
export const MOST_BYTES = 64 * 1024 * 1024;
/** Milliseconds: what was saved while a person typed a password must not be missed. */
const FRESH = 3_000;

/** Looks at the files here while the board is being reached. */
export function lookAhead({ projectFolder, excludes }: SyncRequest, signal: AbortSignal): Look {
  const walk = walkProject(projectFolder, excludes, signal);
  // Told where it is needed.
  walk.catch(() => {});
  return { walk, began: performance.now() };
}

/** `look` is taken where it was begun just now. */
export async function offerProject(
  session: BoardSession,
  project: string,
  request: SyncRequest,
  signal: AbortSignal,
  look?: Look,
): Promise<Offer> {
  const fresh = look !== undefined && performance.now() - look.began < FRESH ? look : lookAhead(request, signal);
  const walk = await fresh.walk;
  checkRequired(walk, request.required);
  const plan = await callBoard(session, "sync-plan", {
    purpose: t("the project's files were compared"),
    request: {
      root: session.helper.root,
      project,
      files: walk.files.map((file) => [file.path, file.size, file.mtimeMs, file.executable]),
    },
    reply: syncPlanReply as v.GenericSchema<unknown, SyncPlanReply>,
    signal,
    limit: PLAN_LIMIT,
    mostBytes: MOST_BYTES,
  });
  return { walk, plan };
}

/** @throws UserError `script-excluded` */
export function checkRequired(walk: Walk, required: string | undefined): void {
  if (required === undefined || walk.files.some((file) => file.path === required)) return;
  throw new UserError(
    "script-excluded",
    t(
      "{0} is not sent to the board: .gitignore, .jetsonignore or the setting jetsonMemprof.exclude leaves it out, or it is gone.",
      required,
    ),
    t("Take it out of the exclusions, then try again."),
  );
}
