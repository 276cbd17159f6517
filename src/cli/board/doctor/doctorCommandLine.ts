/** The command `doctor`: which board is to be checked, and what is to be done there. */

import { defined } from "../../../profile/defined.ts";
import { t } from "../../../words/t.ts";
import { readOptions, usageError } from "../../commandLine/options.ts";
import { DOCTOR } from "../../commandLine/reference/boards.ts";

export interface DoctorCommand {
  readonly kind: "doctor";
  readonly target: string;
  /** A container or an image there, as typed. */
  readonly inside?: string;
  readonly python?: string;
  readonly boardFolder?: string;
  readonly action: { readonly kind: "report" | "json" } | { readonly kind: "fix"; readonly line: string };
}

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseDoctor(argv: readonly string[]): DoctorCommand | undefined {
  const values = readOptions(argv, DOCTOR.options);
  if (values.help) return undefined;
  const { target, fix, json } = values;
  if (target === undefined) {
    throw usageError(t("Name a board to check: --target user@host, --target local or --target loopback."));
  }
  if (fix !== undefined && json) throw usageError(t("Give either --json or --fix, not both."));
  return {
    kind: "doctor",
    target,
    action: fix !== undefined ? { kind: "fix", line: fix } : { kind: json ? "json" : "report" },
    ...defined({ inside: values.in, python: values.python, boardFolder: values["board-folder"] }),
  };
}
