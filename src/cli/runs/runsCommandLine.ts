/** `runs`: the list of runs, and what is done with one. */

import { parseSize } from "../../gate/size.ts";
import { defined } from "../../profile/defined.ts";
import { ORDERS, type Order } from "../../runs/list/arrange.ts";
import { DEFAULT_LIMITS } from "../../runs/pruning/prune.ts";
import { t } from "../../words/t.ts";
import { oneOf, onlyOneRun, readOptions, readWords, usageError } from "../commandLine/options.ts";
import {
  RUNS,
  RUNS_DELETE,
  RUNS_DELETED,
  RUNS_NAME,
  RUNS_NOTE,
  RUNS_PIN,
  RUNS_PRUNE,
  RUNS_RESTORE,
  RUNS_TAG,
  RUNS_UNPIN,
} from "../commandLine/reference/keeping.ts";

export type RunsAction =
  | {
      readonly does: "list";
      readonly order: Order;
      readonly text?: string;
      readonly tag?: string;
      readonly json: boolean;
    }
  | { readonly does: "name"; readonly run: string; readonly name: string }
  | { readonly does: "note"; readonly run: string; readonly note: string }
  | { readonly does: "tag"; readonly run: string; readonly add: readonly string[]; readonly remove: readonly string[] }
  | { readonly does: "pin" | "unpin" | "delete" | "restore"; readonly run: string }
  | { readonly does: "deleted" }
  | { readonly does: "prune"; readonly maxRuns: number; readonly maxBytes: number; readonly dryRun: boolean };

export type RunsCommand = { readonly kind: "runs"; readonly project?: string } & RunsAction;

/** @returns undefined where help is asked for @throws UserError `usage`, `bad-size` */
export function parseRuns(argv: readonly string[]): RunsCommand | undefined {
  const [first, ...rest] = argv;
  switch (first) {
    case "name":
      return parseName(rest);
    case "note":
      return parseNote(rest);
    case "tag":
      return parseTag(rest);
    case "pin":
    case "unpin":
    case "delete":
    case "restore":
      return ofOneRun(first, rest);
    case "deleted":
      return parseDeleted(rest);
    case "prune":
      return parsePrune(rest);
    default:
      return parseList(argv);
  }
}

function parseList(argv: readonly string[]): RunsCommand | undefined {
  const { values, positionals } = readWords(argv, RUNS.options);
  if (values.help) return undefined;
  if (positionals.length > 0) {
    throw usageError(
      t(
        '"runs" does not know "{0}": there are name, note, tag, pin, unpin, delete, deleted, restore and prune.',
        positionals[0] ?? "",
      ),
    );
  }
  return {
    kind: "runs",
    does: "list",
    order: oneOf("--sort", values.sort ?? "newest", ORDERS),
    json: values.json ?? false,
    ...defined({ text: values.filter, tag: values.tag?.replace(/^#/, ""), project: values.project }),
  };
}

function parseName(argv: readonly string[]): RunsCommand | undefined {
  const wrong = t('Give the run and its name, quoted where it has spaces: runs name last "init on the GPU".');
  const found = runAndText(argv, RUNS_NAME.options, wrong);
  return found && { kind: "runs", does: "name", run: found.run, name: found.text, ...found.project };
}

function parseNote(argv: readonly string[]): RunsCommand | undefined {
  const wrong = t('Give the run and its note, quoted where it has spaces: runs note last "fits with batch 8".');
  const found = runAndText(argv, RUNS_NOTE.options, wrong);
  return found && { kind: "runs", does: "note", run: found.run, note: found.text, ...found.project };
}

/** @param wrong what to say where there are more or fewer words */
function runAndText(argv: readonly string[], options: typeof RUNS_NAME.options, wrong: string) {
  const { values, positionals } = readWords(argv, options);
  if (values.help) return undefined;
  const [run, text, ...more] = positionals;
  if (run === undefined || text === undefined || more.length > 0) throw usageError(wrong);
  return { run, text, project: defined({ project: values.project }) };
}

/** `+tag` adds, `-tag` takes away. */
function parseTag(argv: readonly string[]): RunsCommand | undefined {
  const isChange = (part: string): boolean => /^[+-][^-]/.test(part) && part !== "-h";
  const { values, positionals } = readWords(
    argv.filter((part) => !isChange(part)),
    RUNS_TAG.options,
  );
  if (values.help) return undefined;
  const run = onlyOneRun(positionals);
  const changes = argv.filter(isChange);
  if (changes.length === 0) throw usageError(t("Name tags: +fp16 adds a tag, -fp16 takes it away."));
  const signed = (sign: string) => changes.filter((part) => part.startsWith(sign)).map((part) => part.slice(1));
  return {
    kind: "runs",
    does: "tag",
    run,
    add: signed("+"),
    remove: signed("-"),
    ...defined({ project: values.project }),
  };
}

const OF_ONE_RUN = { pin: RUNS_PIN, unpin: RUNS_UNPIN, delete: RUNS_DELETE, restore: RUNS_RESTORE } as const;

function ofOneRun(does: keyof typeof OF_ONE_RUN, argv: readonly string[]): RunsCommand | undefined {
  const { values, positionals } = readWords(argv, OF_ONE_RUN[does].options);
  if (values.help) return undefined;
  return { kind: "runs", does, run: onlyOneRun(positionals), ...defined({ project: values.project }) };
}

function parseDeleted(argv: readonly string[]): RunsCommand | undefined {
  const values = readOptions(argv, RUNS_DELETED.options);
  return values.help ? undefined : { kind: "runs", does: "deleted", ...defined({ project: values.project }) };
}

function parsePrune(argv: readonly string[]): RunsCommand | undefined {
  const values = readOptions(argv, RUNS_PRUNE.options);
  if (values.help) return undefined;
  const maxRuns = values["max-runs"] ?? String(DEFAULT_LIMITS.maxRuns);
  if (!/^\d{1,9}$/.test(maxRuns)) {
    throw usageError(t('--max-runs is a number of runs, 0 for any number, not "{0}".', maxRuns));
  }
  const size = values["max-size"];
  return {
    kind: "runs",
    does: "prune",
    maxRuns: Number(maxRuns),
    maxBytes: size === undefined ? DEFAULT_LIMITS.maxBytes : size === "0" ? 0 : parseSize("--max-size", size),
    dryRun: values["dry-run"] ?? false,
    ...defined({ project: values.project }),
  };
}
