/** `explain_ending`: why a run ran out of memory, and what could be done. */
import type { Advice } from "../../../board/advice/model.ts";
import type { EndingReport, LastMoment } from "../../../board/ending/model.ts";
import { explainRun } from "../../../board/node/readEnding.ts";
import { defined } from "../../../profile/defined.ts";
import { exitText } from "../../../profile/text/exitText.ts";
import { formatBytes } from "../../../profile/text/format.ts";
import { fitted, quoted, untrusted } from "../answer.ts";
import { tool } from "../tool.ts";
import { RUN, RUN_SAYS } from "./fields.ts";
import { askedRun } from "./ofRun.ts";

const MOST_ADVICE = 6;
const MOST_FRAMES = 8;
const MOST_MOMENTS = 5;

export const explainEnding = tool(
  {
    name: "explain_ending",
    title: "Explain why a run ended",
    description:
      "Why a run ended: whether memory ran out (by the kernel, a limit, CUDA or Python), at which line, how certain that is, its last moments, and advice for its memory with what it would save.",
    takes: { run: RUN },
    says: { run: RUN_SAYS },
  },
  async ({ run }, workspace) => {
    const { reader, profile, heading, data } = await askedRun(workspace, run);
    const { report, failure, advice } = await explainRun(reader);
    const { state, exit } = profile.run;
    const other =
      state === "running"
        ? "Nothing can be said of its end yet."
        : failure === undefined
          ? "This run did not end because memory ran out."
          : "This run failed, but not because memory ran out.";
    const ended = exit === undefined ? undefined : exitText(exit);
    return fitted(
      (count) => ({
        lines: [
          ...heading,
          ...(ended === undefined ? [] : [`How it ended: ${quoted(ended)}`]),
          ...(report === undefined ? [other] : reportLines(report)),
          ...advice.slice(0, count).map((one) => adviceLine(one)),
          ...(advice.length === 0 ? ["There is no advice on its memory."] : []),
        ],
        data: {
          ...data,
          ...defined({ exit: exit?.kind }),
          report: report === undefined ? null : reportData(report),
          failed_otherwise: failure !== undefined,
          advice: advice.slice(0, count).map(adviceData),
          left_out: Math.max(0, advice.length - count),
        },
      }),
      Math.min(MOST_ADVICE, advice.length),
      false,
    );
  },
);

const SURENESS: Readonly<Record<EndingReport["sureness"], string>> = {
  exact: "This is certain.",
  estimated: "This is an estimate.",
  inferred: "This is a conclusion from what is known, not certain.",
};

function reportLines({ headline, meaning, sureness, place, message }: EndingReport): string[] {
  return [
    `${quoted(headline)} ${SURENESS[sureness]}`,
    `What it means: ${quoted(meaning, 800)}`,
    ...(place === undefined ? [] : [`The project's line: ${quoted(`${place.path}:${place.line}`)}`]),
    ...(message === undefined ? [] : [`The script printed: ${quoted(message, 400)}`]),
  ];
}

function reportData(report: EndingReport): object {
  const { kind, headline, meaning, sureness, place, stack, message, kernelLog, evidence, last } = report;
  return defined({
    kind,
    sureness,
    headline: untrusted(headline),
    meaning: untrusted(meaning, 800),
    place: place && { file: untrusted(place.path), line: place.line },
    stack: stack.slice(-MOST_FRAMES).map((frame) =>
      defined({
        file: untrusted(frame.path, 160),
        line: frame.line,
        function: frame.function === undefined ? undefined : untrusted(frame.function, 80),
        own: frame.own,
      }),
    ),
    message: message === undefined ? undefined : untrusted(message, 600),
    kernel_log: kernelLog.length === 0 ? undefined : kernelLog.slice(0, 3).map((line) => untrusted(line, 200)),
    evidence: evidence === undefined ? undefined : untrusted(evidence, 400),
    last_moments: last.slice(-MOST_MOMENTS).map(momentData),
  });
}

function momentData({ t, memAvailable, swapFree, runRss, nvmap, at }: LastMoment): object {
  return defined({
    t_ms: t,
    mem_available_bytes: memAvailable,
    swap_free_bytes: swapFree,
    run_rss_bytes: runRss,
    nvmap_bytes: nvmap,
    at: at && { file: untrusted(at.path, 160), line: at.line },
  });
}

function adviceLine({ symptom, remedy, saves, strength, source }: Advice): string {
  const saving = saves === undefined ? "" : ` Saves about ${formatBytes(saves.bytes)}.`;
  return `Advice (${strength}): ${quoted(symptom)} ${quoted(remedy, 500)}${saving} Source: ${source.url}`;
}

function adviceData({ rule, symptom, evidence, remedy, saves, strength, source, place }: Advice): object {
  return defined({
    rule,
    strength,
    symptom: untrusted(symptom),
    evidence: evidence.slice(0, 3).map((one) => untrusted(one, 200)),
    remedy: untrusted(remedy, 500),
    saves: saves && { bytes: saves.bytes, how: untrusted(saves.how, 200) },
    source: source.url,
    place: place && { file: untrusted(place.path, 160), line: place.line },
  });
}
