/** What stands beside a line, as a sentence: VS Code does not read such texts to screen readers. */
import { formatDuration } from "../../profile/text/format.ts";
import type { LineDeltasResult, RunSummary } from "../../protocol/server.ts";
import { sentences, t } from "../../words/t.ts";

/** @param line 1-based */
export function lineSentence(
  result: (Pick<LineDeltasResult, "lines" | "here"> & { readonly run?: Pick<RunSummary, "since"> }) | null,
  file: string,
  line: number,
): string {
  if (result === null) return t("The run that is shown did not measure {0}.", file);
  const script = result.here?.line === line ? t("The script: {0}.", result.here.text) : undefined;
  const { since } = result.run ?? {};
  const of = since === undefined ? undefined : t("That is since {0} of the run.", formatDuration(since));
  return sentences(figuresSentence(result.lines, file, line), of, script);
}

function figuresSentence(lines: LineDeltasResult["lines"], file: string, line: number): string {
  const here = lines.filter((each) => each.line === line && each.label !== "");
  if (here.length === 0) return t("Line {0} of {1}: it is not known to have taken or given back memory.", line, file);
  return sentences(
    t("Line {0} of {1}: {2}.", line, file, here.map(({ label }) => label).join(t(", "))),
    here.some(({ stale }) => stale) ? t("The line was changed since the run.") : undefined,
  );
}
