/** Ending a run on the board. */
import { t } from "../../../words/t.ts";
import { callHelper } from "../../helper/callHelper.ts";
import { cancelReply } from "../../helper/wire.ts";
import type { BoardSession } from "../../session/session.ts";

/** Under valgrind a script takes its time to end, and its profile is written then. */
const CANCEL_LIMIT = 60_000;

/**
 * Resolves once it has ended, with all its processes.
 * @throws UserError `no-such-run` where the board does not have it
 */
export async function cancelRun(
  { connection, helper }: BoardSession,
  run: { readonly root: string; readonly id: string },
  signal: AbortSignal,
): Promise<void> {
  await callHelper(connection, {
    purpose: t("the run was cancelled"),
    argv: helper.argv("cancel"),
    request: run,
    reply: cancelReply,
    signal,
    limit: CANCEL_LIMIT,
  });
}
