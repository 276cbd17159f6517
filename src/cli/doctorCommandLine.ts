/** The command `doctor`: which board is to be checked, and what is to be done there. */
import { parseArgs } from "node:util";
import { given, HELP_OPTION, strictly, usageError } from "./options.ts";

export interface DoctorCommand {
  readonly kind: "doctor";
  readonly target: string;
  readonly python?: string;
  readonly action: { readonly kind: "report" | "json" } | { readonly kind: "fix"; readonly line: string };
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseDoctor(argv: readonly string[]): DoctorCommand | undefined {
  const { values } = strictly(() =>
    parseArgs({
      args: [...argv],
      options: {
        target: { type: "string" },
        python: { type: "string" },
        json: { type: "boolean" },
        fix: { type: "string" },
        ...HELP_OPTION,
      },
    }),
  );
  if (values.help) return undefined;
  const { target, fix, json } = values;
  if (target === undefined) {
    throw usageError("Say which board to check: --target user@host, --target local or --target loopback.");
  }
  if (fix !== undefined && json) throw usageError("Give either --json or --fix, not both.");
  return {
    kind: "doctor",
    target,
    action: fix !== undefined ? { kind: "fix", line: fix } : { kind: json ? "json" : "report" },
    ...given("python", values.python),
  };
}
