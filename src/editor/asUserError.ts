import { UserError } from "../profile/userError.ts";

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
  return new UserError(code, error.message, hint, { cause: error });
}
