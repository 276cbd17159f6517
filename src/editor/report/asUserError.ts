import { UserError } from "../../profile/userError.ts";
import { sentences } from "../../words/t.ts";

/**
 * The UserError an error is, or undefined. One that comes from a bundle loaded on need is of that bundle's class, so
 * it is known by its shape.
 */
export function asUserError(error: unknown): UserError | undefined {
  if (error instanceof UserError) return error;
  if (!(error instanceof Error) || error.name !== "UserError" || !("code" in error)) return undefined;
  const { code } = error;
  if (typeof code !== "string") return undefined;
  const hint = "hint" in error && typeof error.hint === "string" ? error.hint : undefined;
  const target = "target" in error && typeof error.target === "string" ? { target: error.target } : {};
  return new UserError(code, error.message, hint, { cause: error, ...target });
}

/** An error as a page says it: what happened and what to do. */
export function messageOf(error: unknown): string {
  const known = asUserError(error);
  if (known !== undefined) return sentences(known.message, known.hint);
  return error instanceof Error ? error.message : String(error);
}

/** What is wrong with what `read` is given, as a sentence, for the box it is typed into. */
export function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    const known = asUserError(error);
    if (known === undefined) throw error;
    return sentences(known.message, known.hint);
  }
}
