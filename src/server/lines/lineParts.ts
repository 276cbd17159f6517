/** A document's figures in parts, all of which are of the moment at which the first was asked for. */
import type { LineDeltasPart, LineDeltasResult, ServerRequests } from "../../protocol/server.ts";

/** Lines of a part: a few milliseconds of whoever reads it. */
const AT_ONCE = 5_000;

type Params = ServerRequests["jetsonMemprof/lineDeltas"]["params"];

export function createLineParts(
  lineDeltas: (uri: string) => Promise<LineDeltasResult | null>,
): (params: Params) => Promise<LineDeltasPart | null> {
  /** By document, until the last part was asked for. */
  const kept = new Map<string, LineDeltasResult>();
  return async ({ uri, from = 0 }) => {
    const whole = (from === 0 ? undefined : kept.get(uri)) ?? (await lineDeltas(uri));
    const next = from + AT_ONCE;
    const isLast = whole === null || next >= whole.lines.length;
    if (isLast) kept.delete(uri);
    else kept.set(uri, whole);
    return whole && { ...whole, lines: whole.lines.slice(from, next), ...(isLast ? {} : { next }) };
  };
}
