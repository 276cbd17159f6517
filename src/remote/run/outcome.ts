/** From how following a run went to what the caller is told. */
import { join } from "node:path";
import * as v from "valibot";
import { readText } from "../../profile/files/fileReading.ts";
import { UserError } from "../../profile/userError.ts";
import type { RunEvent, RunHandle, RunOutcome } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { parseJson } from "../helper/callHelper.ts";
import type { AttachEnd } from "./follow/attach.ts";
import { type CancelControl, createCancelControl } from "./follow/control.ts";
import type { AskForSnapshot } from "./follow/follow.ts";
import { createInputQueue, type InputQueue } from "./follow/input.ts";

/** What the body of a run works with. */
export interface RunBody {
  readonly cancel: CancelControl;
  readonly input: InputQueue;
  /** The run folder at home, once there is one. */
  setFolder(folder: string | undefined): void;
  /** Is given the way to ask for allocator snapshots while there is one. */
  readonly reach: (ask: AskForSnapshot | undefined) => void;
}

/** Starts `body` and turns however it ends into an outcome; `done` never rejects. */
export function runHandle(emit: (event: RunEvent) => void, body: (context: RunBody) => Promise<AttachEnd>): RunHandle {
  const cancel = createCancelControl();
  const input = createInputQueue();
  let folder: string | undefined;
  let ended = false;
  let lossTold = false;
  let ask: AskForSnapshot | undefined;
  const context: RunBody = {
    cancel,
    input,
    setFolder(made) {
      folder = made;
    },
    reach: (way) => {
      ask = way;
    },
  };
  const settle = async (): Promise<RunOutcome> => {
    try {
      const state = await body(context);
      if (folder === undefined) throw new Error("a run that ended has a folder");
      if (state === "running") return { kind: "released", folder };
      return (await wasCancelled(folder, state, cancel)) ? { kind: "cancelled", folder } : { kind: "finished", folder };
    } catch (error) {
      if (cancel.released && folder !== undefined) return { kind: "released", folder };
      const place = folder === undefined ? {} : { folder };
      if (cancel.requested && isCancellation(error)) return { kind: "cancelled", ...place };
      return { kind: "failed", error: asUserError(error), ...place };
    } finally {
      ended = true;
      input.close();
    }
  };
  return {
    done: settle(),
    input(data) {
      if (!input.push(data) && !ended && !lossTold) {
        lossTold = true;
        emit({
          kind: "warning",
          code: "input-lost",
          message: t("The script reads its input more slowly than it comes; some of the input did not reach it."),
        });
      }
      return input.room();
    },
    closeInput: () => input.close(),
    async snapshot() {
      if (ask !== undefined) return await ask();
      throw new UserError(
        "not-connected",
        t(
          "The run cannot be asked for an allocator snapshot now: it has not begun, it has ended, or the connection is being made again.",
        ),
        t("Try again when its output comes in."),
      );
    },
    cancel: () => cancel.request(),
    letGo() {
      if (folder !== undefined) cancel.letGo();
    },
    tryNow: () => cancel.tryNow(),
  };
}

const exitRecord = v.object({ exit: v.object({ kind: v.string() }) });

/** The run's own record decides: a script may end by itself just before it is cancelled. */
async function wasCancelled(folder: string, state: AttachEnd, cancel: CancelControl): Promise<boolean> {
  const text = await readText(join(folder, "run.json")).catch(() => undefined);
  const parsed = v.safeParse(exitRecord, parseJson(text ?? ""));
  if (parsed.success && parsed.output.exit.kind !== "lost") return parsed.output.exit.kind === "cancelled";
  return cancel.requested && (state === "lost" || !parsed.success);
}

function isCancellation(error: unknown): boolean {
  return error instanceof UserError && error.code === "cancelled";
}

/** What is no failure that was foreseen is the profiler's own fault, and says so. */
export function asUserError(error: unknown): UserError {
  if (error instanceof UserError) return error;
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new UserError(
    "internal",
    t("The profiler itself failed: {0}", what),
    t("Please report this with the text above."),
    {
      cause: error,
    },
  );
}
