import type { LineDelta, LineDeltasResult } from "../../protocol/server.ts";
import type { Ask } from "../link/ask.ts";

/** All figures of a document; others get their turn between their parts. */
export async function askLineDeltas(ask: Ask, uri: string): Promise<LineDeltasResult | null> {
  const lines: LineDelta[] = [];
  for (let from = 0; ; ) {
    const part = await ask("jetsonMemprof/lineDeltas", from === 0 ? { uri } : { uri, from });
    if (part === null) return null;
    lines.push(...part.lines);
    if (part.next === undefined) return { ...part, lines };
    from = part.next;
  }
}
