/** The command `diff`: which two runs, or repeats of them, and how they are printed. */
import { defined } from "../../profile/defined.ts";
import { METRICS, type Metric } from "../../profile/model.ts";
import { t } from "../../words/t.ts";
import { oneOf, readWords, usageError } from "../commandLine/options.ts";
import { DIFF } from "../commandLine/reference/reading.ts";

export interface DiffCommand {
  readonly kind: "diff";
  readonly before: string;
  readonly after: string;
  /** Take each run with its repeats. */
  readonly repeats: boolean;
  readonly metric: Metric;
  /** What did not change too. */
  readonly all: boolean;
  readonly format: "table" | "markdown" | "json";
  readonly project?: string;
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseDiff(argv: readonly string[]): DiffCommand | undefined {
  const { values, positionals } = readWords(argv, DIFF.options);
  if (values.help) return undefined;
  const [before, after, ...more] = positionals;
  if (before === undefined || after === undefined || more.length > 0) {
    throw usageError(
      t("Name the two runs to compare: jetson-memprof diff BEFORE AFTER. Repeats are joined by commas."),
    );
  }
  if (values.json && values.markdown) throw usageError(t("Give either --json or --markdown, not both."));
  return {
    kind: "diff",
    before,
    after,
    repeats: values.repeats ?? false,
    metric: oneOf("--metric", values.metric ?? "rss", METRICS),
    all: values.all ?? false,
    format: values.json ? "json" : values.markdown ? "markdown" : "table",
    ...defined({ project: values.project }),
  };
}
