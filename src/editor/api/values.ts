/** What other extensions get, made of what we have: frozen copies with the units in the names. */
import * as path from "node:path";
import type { Line, RunNews as PublicNews, Run, RunEnding, RunLines } from "../../../docs/api/jetson-memprof.d.ts";
import { present } from "../../profile/files/jsonRecords.ts";
import type { Exit } from "../../profile/model.ts";
import type { RunSummary, ServerRequests } from "../../protocol/server.ts";
import type { RunNews } from "../runs/followed/activeRuns.ts";

export function runOf(run: RunSummary): Run {
  const { id, folder, title, script, label, state, exit, started, elapsedMs, target, simulated, metrics, imported } =
    run;
  // Under valgrind it is valgrind's process, of some other tools' files no RSS at all.
  const isRss = !run.massif && imported?.timeline === undefined;
  return frozen(
    present({
      id,
      folder,
      title,
      script,
      name: label.name,
      note: label.note,
      tags: [...label.tags],
      pinned: label.pinned,
      state: state === "running" ? ("running" as const) : ("ended" as const),
      ending: exit && endingOf(exit),
      startedAt: started,
      elapsedMs,
      target,
      simulated,
      peakRssBytes: isRss ? run.rssPeak : undefined,
      metrics: [...metrics],
      importedFrom: imported?.format,
    }),
  );
}

function endingOf(exit: Exit): RunEnding {
  switch (exit.kind) {
    case "exited":
      return { kind: exit.kind, code: exit.code };
    case "signalled":
    case "out-of-memory":
      return { kind: exit.kind, signal: exit.signal };
    case "not-started":
      return { kind: exit.kind, reason: exit.message };
    case "cancelled":
    case "lost":
      return { kind: exit.kind };
  }
}

export function linesOf({ metric, files }: ServerRequests["jetsonMemprof/runLines"]["result"]): RunLines {
  return frozen({
    metric,
    files: files.map(({ path: file, lines }) => ({
      path: file,
      lines: lines.map(
        ({ line, hits, net, self, maxIncrement, peak, usage, uncertain, peakUncertain }): Line =>
          present({
            line,
            hits,
            netBytes: net,
            selfBytes: self,
            largestIncrementBytes: maxIncrement,
            peakAboveEntryBytes: peak,
            usageAfterBytes: usage,
            uncertainBytes: uncertain,
            peakUncertainBytes: peakUncertain,
          }),
      ),
    })),
  });
}

export function newsOf(news: RunNews): PublicNews {
  const { folder } = news;
  const run = { id: path.basename(folder), folder };
  switch (news.kind) {
    case "started":
      return frozen({ kind: news.kind, ...run });
    case "progress": {
      const { elapsedMs, at, underValgrind, rss } = news;
      const rssBytes = underValgrind ? undefined : rss;
      return frozen({
        kind: news.kind,
        ...run,
        ...present({ elapsedMs, rssBytes, at: at && { path: at.path, line: at.line } }),
      });
    }
    case "ended":
      return frozen({ kind: news.kind, ...run, outcome: news.outcome });
  }
}

/** With all that is in it. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
