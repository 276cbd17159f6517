/** What to do about a judged host key. Pure, so that every case can be seen in one table. */
import type { KnownHostResult } from "./knownHosts.ts";

/** OpenSSH's StrictHostKeyChecking; `no` is treated as `ask`: a changed key is never accepted. */
export type StrictHostKeyChecking = "yes" | "ask" | "accept-new" | "no";

export type HostKeyDecision =
  | "accept"
  | "accept-and-remember"
  | "ask"
  | "refuse-changed"
  | "refuse-revoked"
  | "refuse-unknown";

/** `interactive` is false for a reconnect in the background, which never asks. */
export function decideHostKey(
  result: KnownHostResult["kind"],
  strict: StrictHostKeyChecking,
  interactive: boolean,
): HostKeyDecision {
  switch (result) {
    case "match":
      return "accept";
    case "changed":
      return "refuse-changed";
    case "revoked":
      return "refuse-revoked";
    case "unknown":
      if (strict === "accept-new") return "accept-and-remember";
      return strict === "yes" || !interactive ? "refuse-unknown" : "ask";
    // Something is known of this host, only not this key: never taken without a person, whatever accept-new says.
    case "other-key-type":
    case "ca-only":
      return strict === "yes" || !interactive ? "refuse-unknown" : "ask";
  }
}
