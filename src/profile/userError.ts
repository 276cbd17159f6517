/**
 * An error meant for a person: `message` says what happened and where, `hint` what to do next.
 * `code` is stable, for tests and for views that offer an action.
 */
export class UserError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UserError";
    this.code = code;
    this.hint = hint;
  }
}
