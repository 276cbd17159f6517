/** `initializationOptions`, as a client's configuration gives them. docs/editors.md */
import * as v from "valibot";
import { METRICS, type Metric } from "../../profile/model.ts";
import { t } from "../../words/t.ts";

export interface StandaloneOptions {
  /** A run's name, or its id or the beginning of that; absent: the newest finished run, and each newer one as it comes. */
  readonly run?: string;
  readonly metric: Metric;
  /** Bytes; lines that moved less have no inlay hint. */
  readonly threshold: number;
  readonly inlayHints: boolean;
  readonly codeLenses: boolean;
  /** Whether heavy lines are diagnostics too, for clients without inlay hints. */
  readonly heavyLines: "off" | "hint" | "information";
}

const MIB = 2 ** 20;

// Strict: a name that is mistyped should not go unnoticed.
const schema = v.strictObject({
  run: v.nullish(v.pipe(v.string(), v.minLength(1))),
  metric: v.nullish(v.picklist(METRICS), "rss"),
  threshold: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(2 ** 32)), 0.1),
  inlayHints: v.nullish(v.boolean(), true),
  codeLenses: v.nullish(v.boolean(), true),
  heavyLines: v.nullish(v.picklist(["off", "hint", "information"]), "off"),
});

export interface ReadOptions {
  readonly options: StandaloneOptions;
  /** What is wrong with them, for the user; the defaults are taken then. */
  readonly problem?: string;
}

export function readOptions(given: unknown): ReadOptions {
  const parsed = v.safeParse(schema, given ?? {});
  if (parsed.success) return { options: fromOutput(parsed.output) };
  const [issue] = parsed.issues;
  const name = v.getDotPath(issue) ?? "as a whole";
  const problem = t(
    "The options of jetson-memprof are not valid, so the defaults are used: {0}: {1}. See docs/editors.md.",
    name,
    issue.message,
  );
  return { options: fromOutput(v.parse(schema, {})), problem };
}

function fromOutput({ run, threshold, ...rest }: v.InferOutput<typeof schema>): StandaloneOptions {
  return { ...rest, threshold: threshold * MIB, ...(run == null ? {} : { run }) };
}
