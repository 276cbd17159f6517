/** What the readers of the commands' options share. */
import { UserError } from "../profile/userError.ts";

export function usageError(message: string): UserError {
  return new UserError("usage", message, 'See "jetson-memprof --help".');
}

/** Runs what throws at an option that is not known, and says so as we do. */
export function strictly<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    // Only the first sentence: the others explain Node's own way to write arguments.
    const [sentence = ""] = (error as Error).message.split(". ");
    throw usageError(sentence.endsWith(".") ? sentence : `${sentence}.`);
  }
}

export function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw usageError(`${option} is ${allowed.join(" or ")}, not "${value}".`);
  return found;
}

/** A property, or none where there is no value. */
export function given<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: T });
}

/** Of every command but `profile`, whose options stand among those of the script. */
export const HELP_OPTION = { help: { type: "boolean", short: "h" } } as const;
export const RUN_OPTIONS = { json: { type: "boolean" }, project: { type: "string" }, ...HELP_OPTION } as const;

/** @throws UserError `usage` */
export function onlyOneRun(positionals: readonly string[]): string {
  const [run, ...more] = positionals;
  if (run === undefined) throw usageError('Say which run: its folder, the beginning of its name, or "last".');
  if (more.length > 0) throw usageError(`One run at a time, please: "${more[0]}" is one too many.`);
  return run;
}
