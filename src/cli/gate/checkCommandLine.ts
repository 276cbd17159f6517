/** The options of `check`. */

import type { Check } from "../../gate/model.ts";
import { parseSize } from "../../gate/size.ts";
import { defined } from "../../profile/defined.ts";
import { METRICS, type Metric } from "../../profile/model.ts";
import { t } from "../../words/t.ts";
import { oneOf, onlyOneRun, readWords, usageError } from "../commandLine/options.ts";
import { CHECK } from "../commandLine/reference/keeping.ts";

export interface CheckCommand {
  readonly kind: "check";
  readonly run: string;
  readonly project?: string;
  /** Empty where no check needs one; several are repeats. */
  readonly baselines: readonly string[];
  /** Of lines. */
  readonly metric: Metric;
  readonly checks: readonly Check[];
  /** Files to write. */
  readonly reports: readonly { readonly format: ReportFile; readonly path: string }[];
  readonly annotations: (typeof CHECK.options.annotations.choices)[number];
  readonly strict: boolean;
  readonly json: boolean;
}

const REPORT_FILES = ["junit", "sarif", "code-quality"] as const;
export type ReportFile = (typeof REPORT_FILES)[number];

const LIMITS = ["peak", "line", "peak-growth", "line-growth"] as const;

/** @throws UserError `usage` */
export function parseCheck(argv: readonly string[]): CheckCommand | undefined {
  const { values, positionals } = readWords(argv, CHECK.options);
  if (values.help) return undefined;
  const metric = oneOf("--metric", values.metric ?? "rss", METRICS);
  const limits = LIMITS.flatMap((kind): Check[] => {
    const limit = values[`max-${kind}`];
    return limit === undefined ? [] : [{ kind, metric, limit: parseSize(`--max-${kind}`, limit) }];
  });
  const baselines = values.baseline ?? [];
  const growth = limits.some(({ kind }) => kind === "peak-growth" || kind === "line-growth");
  if (limits.length === 0) {
    throw usageError(
      t("Give a limit to check: --max-peak, --max-line, --max-peak-growth or --max-line-growth, with a size."),
    );
  }
  if (growth && baselines.length === 0)
    throw usageError(t("Growth is measured against another run: give --baseline RUN."));
  if (!growth && baselines.length > 0) {
    throw usageError(t("--baseline is for growth: give --max-peak-growth or --max-line-growth too."));
  }
  return {
    kind: "check",
    run: onlyOneRun(positionals.length === 0 ? ["last"] : positionals),
    ...defined({ project: values.project }),
    baselines,
    metric,
    checks: [{ kind: "ending" }, ...limits],
    reports: REPORT_FILES.flatMap((format) => {
      const path = values[format];
      if (path === "") throw usageError(t("--{0} needs the name of a file.", format));
      return path === undefined ? [] : [{ format, path }];
    }),
    annotations: oneOf("--annotations", values.annotations ?? "auto", CHECK.options.annotations.choices),
    strict: values.strict ?? false,
    json: values.json ?? false,
  };
}
