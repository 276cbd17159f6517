/** Several boards as they are named: each as typed, and for a pattern the hosts of the SSH configuration that match it. */
import { printable } from "../profile/text/text.ts";
import { UserError } from "../profile/userError.ts";
import type { TargetAddress } from "../protocol/run/run.ts";
import { t } from "../words/t.ts";
import { formatTarget, parseTarget } from "./address.ts";

/**
 * Each board once, in the order given: two names of one would run on it at the same time.
 * @param configured the hosts that the SSH configuration names
 * @param machineOf what two names of one board have in common
 * @throws UserError `no-such-board`, `bad-target`
 */
export async function namedBoards(
  texts: readonly string[],
  configured: () => Promise<readonly string[]>,
  machineOf: (target: TargetAddress) => Promise<string> = async (target) => formatTarget(target),
): Promise<readonly string[]> {
  const hosts = texts.some(isPattern) ? await configured() : [];
  const boards = texts.flatMap((text) => (isPattern(text) ? matching(text, hosts) : [text]));
  const found = new Map<string, string>();
  for (const board of boards) {
    const machine = await machineOf(parseTarget(board));
    if (!found.has(machine)) found.set(machine, board);
  }
  return [...found.values()];
}

const isPattern = (text: string): boolean => /[*?]/.test(text);

function matching(pattern: string, hosts: readonly string[]): readonly string[] {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("?", ".")
    .replace(/\*+/g, ".*");
  const matches = new RegExp(`^${escaped}$`, "s");
  const found = hosts.filter((host) => matches.test(host));
  if (found.length > 0) return found;
  throw new UserError(
    "no-such-board",
    t("No host of your SSH configuration matches {0}.", printable(pattern)),
    hosts.length === 0
      ? t("It names no host. Name the boards themselves, such as nano@192.168.1.20.")
      : t("It names {0}.", hosts.map(printable).join(", ")),
  );
}
