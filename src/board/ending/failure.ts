/** Why a script failed of itself, for another reason than memory: the exception that ended it. */
import { defined } from "../../profile/defined.ts";
import type { RunInfo } from "../../profile/model.ts";
import { printable } from "../../profile/text/text.ts";
import { outputOfRanks } from "./failedRank.ts";
import type { CodePlace } from "./model.ts";
import { type Sources, tracebackStack } from "./stack.ts";
import { lastTracebacks } from "./traceback.ts";

export interface Failure {
  /** The exception's type and message, its first line. */
  readonly message: string;
  /** The project's innermost line that it came from; absent where it came from none, or none is known. */
  readonly place?: CodePlace;
  /** That line's text as it was run, without its indentation, where Python printed it. */
  readonly text?: string;
  /** What the board's Python did not find: `torch` of `torch.utils.data`. */
  readonly missingModule?: string;
}

export interface FailedRun extends Sources {
  readonly run: RunInfo;
  /** The last part of the script's error output. */
  readonly stderr: string;
}

const MISSING = /^ModuleNotFoundError: No module named '([\p{L}\p{N}_]{1,100})[\p{L}\p{N}_.]{0,200}'/u;

/** Undefined where the script did not end itself with an error, or printed no exception. */
export function findFailure({ run, stderr, ...sources }: FailedRun): Failure | undefined {
  const { exit } = run;
  if (run.state === "running" || exit?.kind !== "exited" || exit.code === 0) return undefined;
  // A launcher's own exception only says that a rank failed.
  const raised = lastTracebacks(outputOfRanks(stderr, run).text).at(-1);
  const [first = ""] = raised?.message.split("\n") ?? [];
  if (raised === undefined || first === "") return undefined;
  const { place, stack } = tracebackStack(raised.frames, run, sources);
  const text = stack.filter(({ own }) => own).at(-1)?.text;
  const [, missingModule] = MISSING.exec(first) ?? [];
  return {
    message: printable(first),
    ...defined({ place }),
    ...(place === undefined || text === undefined ? {} : { text }),
    ...defined({ missingModule }),
  };
}
