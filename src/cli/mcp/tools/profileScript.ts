/** `profile_script`: runs a script under the profiler, after the person said yes to exactly that. */
import * as path from "node:path";
import * as v from "valibot";
import { defined } from "../../../profile/defined.ts";
import { printable } from "../../../profile/text/text.ts";
import { UserError } from "../../../profile/userError.ts";
import type { RunOutcome } from "../../../protocol/run/run.ts";
import { t } from "../../../words/t.ts";
import type { ProfileCommand } from "../../run/profileCommandLine.ts";
import { failure, fitted } from "../answer.ts";
import { type Tool, tool } from "../tool.ts";
import { TEXT } from "./fields.ts";
import { linesAnswer, USUAL_LINES } from "./getLines.ts";
import { askedRun } from "./ofRun.ts";

const MOST_ARGUMENTS = 50;
const MODEL_STEPS = 3;

export interface Profiling {
  /** As the person named them when the server was set up; the first is meant where none is named. */
  readonly targets: readonly string[];
  readonly python?: string;
  /** What would go to the board, in words; undefined where nothing leaves this computer. */
  leaving(command: ProfileCommand): Promise<string | undefined>;
  /** Makes the run; it is cancelled by the signal. */
  record(command: ProfileCommand, signal: AbortSignal): Promise<RunOutcome>;
  /** Makes a text in the language of the person. */
  inTheirWords(make: () => string): string;
}

export function profileScript(profiling: Profiling): Tool {
  const { targets } = profiling;
  return tool(
    {
      name: "profile_script",
      title: "Profile a Python script",
      description:
        "Runs a Python script of the project under the memory profiler and answers with the lines that took the most. The person is always asked first and may say no; without a way to ask, it is refused.",
      takes: {
        script: TEXT,
        arguments: v.optional(v.pipe(v.array(TEXT), v.maxLength(MOST_ARGUMENTS))),
        target: v.optional(TEXT),
        model: v.optional(v.boolean()),
      },
      says: {
        script: "The script's path in the project.",
        arguments: "What the script is given, a word each.",
        target: `Where it runs. One of: ${targets.join(", ")}.`,
        model: "Also account the PyTorch model's memory, for estimate_change.",
      },
      runs: true,
    },
    async ({ script, arguments: args = [], target = targets[0] ?? "local", model = false }, workspace, asking) => {
      const where = await workspace.script(script);
      const command = commandOf(path.join(workspace.project, where), args, { target, model }, workspace.project);
      const typed = typedOf(where, args, { target, model }, profiling.python);
      if (!targets.includes(target)) {
        return failure(
          `${JSON.stringify(target)} is none of the targets that this server may profile on: ${targets.join(", ")}.`,
          `Only the person can add one, with --target of jetson-memprof mcp. They can also run: ${typed}`,
        );
      }
      const leaving = await profiling.leaving(command);
      const question = profiling.inTheirWords(() => questionOf(typed, workspace.project, target, leaving));
      const consent = asking.consent(question, JSON.stringify([where, args, target, model]));
      switch (consent.kind) {
        case "asked":
          return consent.result;
        case "refused":
          return failure("The person did not agree, so nothing was run. Do not ask again for the same run.");
        case "cannot-ask":
          return failure(
            "Nothing was run: this client cannot ask the person (it has no elicitation), and a script is never run without a yes.",
            `The person can run it themselves, in ${workspace.project}: ${typed}`,
          );
        case "given":
          break;
      }
      const run = { ...command, ...defined({ python: profiling.python }) };
      const outcome = await asking.waitingFor(profiling.record(run, asking.signal));
      return await answerOf(outcome, workspace);
    },
  );
}

async function answerOf(outcome: RunOutcome, workspace: Parameters<Tool["call"]>[1]) {
  if (outcome.kind === "failed") throw outcome.error;
  if (outcome.folder === undefined)
    throw new UserError("cancelled", "The run was cancelled before the script was started; nothing was measured.");
  const asked = await askedRun(workspace, path.basename(outcome.folder));
  const begins = outcome.kind === "cancelled" ? ["The run was cancelled; this is what was measured until then."] : [];
  const make = await linesAnswer({ ...asked, heading: [...begins, ...asked.heading] }, "rss");
  return fitted(make, USUAL_LINES, false);
}

interface Choice {
  readonly target: string;
  readonly model: boolean;
}

function commandOf(
  script: string,
  args: readonly string[],
  { target, model }: Choice,
  project: string,
): ProfileCommand {
  return {
    kind: "profile",
    entry: { kind: "script", path: script },
    args,
    target,
    engine: "line",
    exact: false,
    accelerator: true,
    ...(model ? { torch: { exactPeaks: false, model: { steps: MODEL_STEPS } } } : {}),
    excludes: [],
    environment: {},
    project,
    metric: "rss",
    json: true,
    quiet: true,
  };
}

/** The command that does the same, as a person would type it. */
function typedOf(
  script: string,
  args: readonly string[],
  { target, model }: Choice,
  python: string | undefined,
): string {
  const options = [
    "--target",
    target,
    ...(python === undefined ? [] : ["--python", python]),
    ...(model ? ["--model"] : []),
  ];
  return ["jetson-memprof", "profile", ...options, script, ...args].map(shellWord).join(" ");
}

const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${printable(word).replaceAll("'", "'\\''")}'`;

function questionOf(typed: string, project: string, target: string, leaving: string | undefined): string {
  const asked = t("An AI agent asks to run a script of {0}:", project);
  const sent = leaving === undefined ? t("It would run on this computer.") : t("{0} would be on {1}.", leaving, target);
  return `${asked}\n\n${typed}\n\n${sent}`;
}
