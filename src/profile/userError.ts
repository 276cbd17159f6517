/**
 * An error meant for a person: `message` says what happened and where, `hint` what to do next.
 * `code` is stable, for tests and for views that offer an action.
 */
export class UserError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  /** The board that it is of, as a person types it, where an action needs to know. */
  readonly target: string | undefined;

  constructor(
    code: string,
    message: string,
    hint?: string,
    options?: ErrorOptions & { readonly target?: string | undefined },
  ) {
    super(message, options);
    this.name = "UserError";
    this.code = code;
    this.hint = hint;
    this.target = options?.target;
  }

  /** The same error, of which more is known. */
  with({ hint = this.hint, target = this.target }: { readonly hint?: string; readonly target?: string }): UserError {
    return new UserError(this.code, this.message, hint, { cause: this, target });
  }
}
