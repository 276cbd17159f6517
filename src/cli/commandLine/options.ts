/** Reads what was typed, by what is known of the command. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import type { MetricChoice } from "../../profile/lines/columns.ts";
import { METRICS } from "../../profile/model.ts";
import { UserError } from "../../profile/userError.ts";
import { say, t } from "../../words/t.ts";
import type { OptionDescription, Options, Values } from "./reference/model.ts";
import { nearest } from "./reference/nearest.ts";

/** Where nothing better can be said; the command that it is about has more. */
export const GENERAL_HINT = 'See "jetson-memprof --help".';

export function usageError(message: string): UserError {
  return new UserError("usage", message, GENERAL_HINT);
}

/** `help` is an option of every command. */
type Given<Known extends Options> = Values<Known> & { help?: boolean | undefined };

/**
 * What is given of the options, where a command takes nothing else.
 * @throws UserError `usage`
 */
export function readOptions<const Known extends Options>(argv: readonly string[], known: Known): Given<Known> {
  return read(argv, known, false).values;
}

/**
 * What is given of the options, and the words that are none of them.
 * @throws UserError `usage`
 */
export function readWords<const Known extends Options>(argv: readonly string[], known: Known) {
  return read(argv, known, true);
}

function read<Known extends Options>(argv: readonly string[], known: Known, allowPositionals: boolean) {
  const { args, pairs } = takePairs(argv, known);
  const options: ParseArgsConfig["options"] = { help: { type: "boolean", short: "h" } };
  for (const [name, option] of Object.entries(known)) {
    options[name] = { type: option.kind === "flag" ? "boolean" : "string", multiple: option.kind === "list" };
  }
  const { values, positionals } = strictly(known, () => parseArgs({ args, options, allowPositionals }));
  return { values: { ...values, ...pairs } as Given<Known>, positionals };
}

/** Runs what throws at an option that is not known, and says so as we do. */
function strictly<T>(known: Options, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    // Only the first sentence: the others explain Node's own way to write arguments.
    const [sentence = ""] = (error as Error).message.split(/\.\s/);
    throw usageError(valueLacks(sentence) ?? `${sentence.replace(/\.?$/, ".")}${suggestion(sentence, known)}`);
  }
}

/** Undefined where the sentence is about something else than a value that is not there, or looks like an option. */
function valueLacks(sentence: string): string | undefined {
  const [, option, what] = /^Option '(?:-\w, )?(--[\w-]+)[^']*' argument (missing|is ambiguous)/.exec(sentence) ?? [];
  if (option === undefined) return undefined;
  const lacks = t("The option {0} needs a value after it.", option);
  return what === "missing" ? lacks : t("{0} One that begins with a dash is written {1}=-….", lacks, option);
}

/** Of the sentence about an unknown option. */
function suggestion(sentence: string, known: Options): string {
  const [, typed] = /^Unknown option '--([^']+)'/.exec(sentence) ?? [];
  const meant = typed === undefined ? undefined : nearest(typed, [...Object.keys(known), "help"]);
  return meant === undefined ? "" : t(" Did you mean --{0}?", meant);
}

/** Takes out the options that two words follow, which Node's reader does not know; what stands after `--` is none. */
function takePairs(argv: readonly string[], known: Options) {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const args = argv.slice(0, end);
  const pairs: Record<string, readonly [string, string]> = {};
  for (const [name, option] of Object.entries(known)) {
    const at = option.kind === "pair" ? args.indexOf(`--${name}`) : -1;
    if (option.kind !== "pair" || at < 0) continue;
    const [, one, other] = args.splice(at, 3);
    if (one === undefined || other === undefined)
      throw usageError(t("The option --{0} needs {1}.", name, say(option.lacking)));
    pairs[name] = [one, other];
  }
  return { args: [...args, ...argv.slice(end)], pairs };
}

/** What a word is to a command whose words are partly the script's. */
export type OwnWord =
  /** One of ours, as `--name=value` or `--name`. */
  | { readonly kind: "whole"; readonly word: string }
  /** One of ours, whose value is the next word. */
  | { readonly kind: "needs-value" }
  | { readonly kind: "other" };

export function ownWord(word: string, known: Options): OwnWord {
  const [, name = "", equals] = /^--([a-z-]+)(=|$)/.exec(word) ?? [];
  const option: OptionDescription | undefined = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) return { kind: "other" };
  if (option.kind === "flag" || equals === "=") return { kind: "whole", word };
  return option.kind === "optional" ? { kind: "whole", word: `${word}=` } : { kind: "needs-value" };
}

/**
 * What is given of some options before `--` and `--launch`, and all other words as they stand.
 * @throws UserError `usage`
 */
export function takeOptions<const Known extends Options>(argv: readonly string[], known: Known) {
  const end = ownEnd(argv);
  const words = argv.slice(0, end);
  const ours: string[] = [];
  const rest: string[] = [];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const own = ownWord(word, known);
    if (own.kind === "other") rest.push(word);
    else ours.push(own.kind === "whole" ? own.word : `${word}=${nextOf(words, word)}`);
  }
  return { values: readOptions(ours, known), rest: [...rest, ...argv.slice(end)] };
}

/** Behind `--` and `--launch` nothing is ours. */
export function ownEnd(argv: readonly string[]): number {
  const end = argv.findIndex((word) => word === "--" || word === "--launch");
  return end < 0 ? argv.length : end;
}

/** Takes the value of an option from the words after it. @throws UserError `usage` */
export function nextOf(words: string[], option: string): string {
  const value = words.shift();
  if (value === undefined) throw usageError(t("The option {0} needs a value after it.", option));
  return value;
}

export function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw usageError(t('{0} is {1}, not "{2}".', option, allowed.join(" or "), value));
  return found;
}

/** @throws UserError `usage` */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d{1,7}$/.test(text) && value >= least && value <= most) return value;
  throw usageError(t('{0} takes whole numbers from {1} to {2}, not "{3}".', option, least, most, text));
}

/**
 * Of an option that may stand without its value.
 * @throws UserError `usage`
 */
export function amount(
  option: string,
  text: string,
  { least = 1, most, fallback }: { readonly least?: number; readonly most: number; readonly fallback: number },
): number {
  if (text === "") return fallback;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least && value <= most) return value;
  throw usageError(t('{0}=N takes a whole number from {1} to {2}, not "{3}".', option, least, most, text));
}

/** Of --free, in bytes. @throws UserError `usage` */
export function mebibytes(text: string): number {
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text) * 2 ** 20;
  throw usageError(t('--free is a size in MiB, such as 3000, not "{0}".', text));
}

/** @throws UserError `usage` */
export function onlyOneRun(positionals: readonly string[]): string {
  const [run, ...more] = positionals;
  if (run === undefined) throw usageError(t('Name a run: its folder, the beginning of its name, or "last".'));
  if (more.length > 0) throw usageError(t('One run at a time, please: "{0}" is one too many.', more[0] ?? ""));
  return run;
}

export function metricChoice(value: string | undefined): MetricChoice {
  return oneOf("--metric", value ?? "rss", [...METRICS, "all"]);
}
