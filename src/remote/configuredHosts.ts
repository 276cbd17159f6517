/** The hosts a picker offers: what the user's ssh configuration names. */

import { parseTarget } from "./address.ts";
import { directive, readConfigLines, words } from "./ssh/config/configFile.ts";

/** Aliases of ~/.ssh/config and its Includes that stand for one host (no wildcards), in the order they appear. */
export async function configuredHosts(file?: string): Promise<readonly string[]> {
  const hosts = new Set<string>();
  for (const line of await readConfigLines(file)) {
    const entry = directive(line);
    if (entry?.name !== "host") continue;
    for (const word of words(entry.value)) {
      if (isConcrete(word)) hosts.add(word);
    }
  }
  return [...hosts];
}

function isConcrete(word: string): boolean {
  if (/[*?!@:]/.test(word)) return false;
  try {
    return parseTarget(word).kind === "ssh";
  } catch {
    return false;
  }
}
