/** The command `metrics`: where it listens, and for how many runs it answers. */
import { defined } from "../../profile/defined.ts";
import { t } from "../../words/t.ts";
import { readOptions, usageError, wholeNumber } from "../commandLine/options.ts";
import { METRICS_COMMAND } from "../commandLine/reference/keeping.ts";

export interface MetricsCommand {
  readonly kind: "metrics";
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** The newest so many runs. */
  readonly runs: number;
  readonly project?: string;
}

/** Prometheus keeps what it has seen of each for weeks. */
const MOST_RUNS = 1_000;

/** @returns undefined where help was asked for @throws UserError `usage` */
export function parseMetrics(argv: readonly string[]): MetricsCommand | undefined {
  const values = readOptions(argv, METRICS_COMMAND.options);
  if (values.help) return undefined;
  return {
    kind: "metrics",
    ...readPlace(values.listen ?? METRICS_COMMAND.options.listen.default),
    runs: wholeNumber("--runs", values.runs ?? METRICS_COMMAND.options.runs.default, 1, MOST_RUNS),
    ...defined({ project: values.project }),
  };
}

function readPlace(text: string): { host: string; port: number } {
  const [, bracketed, plain, port = ""] = /^(?:\[([\da-f:.%\w]+)\]|([^:\s[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    throw usageError(t('--listen is an address and a port, such as 127.0.0.1:9464, not "{0}".', text));
  }
  return { host, port: Number(port) };
}
