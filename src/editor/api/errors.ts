/** What other extensions are told where something cannot be done: a message for people, and a code that stays. */
import type { JetsonMemprofError } from "../../../docs/api/jetson-memprof.d.ts";
import { UserError } from "../../profile/userError.ts";

export function apiError(code: JetsonMemprofError["code"], message: string): JetsonMemprofError {
  return Object.assign(new Error(message), { name: "JetsonMemprofError", code });
}

/** As a caller may see it: no causes, no stacks of ours. */
export function asApiError(error: unknown): JetsonMemprofError {
  if (error instanceof UserError) {
    return apiError(error.code, error.hint === undefined ? error.message : `${error.message} ${error.hint}`);
  }
  if (error instanceof Error && error.name === "JetsonMemprofError" && "code" in error) {
    return error as JetsonMemprofError;
  }
  return apiError("internal", "Something unexpected happened in the Jetson Memory Profiler; its log says more.");
}
