/** `mcp`: serves one project's runs to an agent, until it closes standard input. */
import { EventEmitter, once } from "node:events";
import * as path from "node:path";
import { PassThrough } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { version } from "../../../package.json";
import { defined } from "../../profile/defined.ts";
import { UserError } from "../../profile/userError.ts";
import { amountText, leavingOf } from "../../protocol/run/leaving.ts";
import type { RunOutcome } from "../../protocol/run/run.ts";
import { formatTarget } from "../../remote/address.ts";
import { notesOf, walkProject } from "../../remote/sync/walk.ts";
import { t } from "../../words/t.ts";
import { type Words, wordsHolder } from "../../words/wordsHolder.ts";
import { usageError } from "../commandLine/options.ts";
import type { Surroundings } from "../run/followRun.ts";
import { record, whatRuns } from "../run/profileCommand.ts";
import type { ProfileCommand } from "../run/profileCommandLine.ts";
import type { Output } from "../terminal/output.ts";
import { createAgentServer } from "./agentServer.ts";
import type { McpCommand } from "./mcpCommandLine.ts";
import type { Tool } from "./tool.ts";
import { compareRuns } from "./tools/compareRuns.ts";
import { estimateChange } from "./tools/estimateChange.ts";
import { explainEnding } from "./tools/explainEnding.ts";
import { getLedger } from "./tools/getLedger.ts";
import { getLines } from "./tools/getLines.ts";
import { listRuns } from "./tools/listRuns.ts";
import { type Profiling, profileScript } from "./tools/profileScript.ts";
import { openWorkspace } from "./workspace.ts";

/** Of reading; what runs scripts is made for the boards that were named. */
const READING: readonly Tool[] = [listRuns, getLines, getLedger, explainEnding, compareRuns, estimateChange];

export const toolsOf = (profiling: Profiling): readonly Tool[] => [...READING, profileScript(profiling)];

/**
 * @returns 0 once the agent has gone
 * @throws UserError `usage`, `no-such-folder`
 */
export async function serveAgent(command: McpCommand, helperFolder: string, around: Surroundings): Promise<number> {
  const { stdin, stderr } = around;
  if (stdin.isTTY)
    throw usageError(
      t("This is a server for AI agents: an agent starts it and speaks to it. docs/agents.md says how."),
    );
  const workspace = await openWorkspace(path.resolve(command.project ?? "."));
  // What agents read is English; what the person is asked is in their language.
  const theirs = wordsHolder.jetsonMemprofWords;
  wordsHolder.jetsonMemprofWords = undefined;
  const inTheirWords = (make: () => string) => speaking(theirs, make);
  const runs = new Set<Promise<unknown>>();
  const profiling: Profiling = {
    targets: command.targets,
    ...defined({ python: command.python }),
    inTheirWords,
    leaving: leavingText,
    record: (profile, signal) => {
      const run = recordQuietly(profile, signal, helperFolder, around);
      runs.add(run);
      return run.finally(() => runs.delete(run));
    },
  };
  const answers = {
    label: inTheirWords(() => t("Run it")),
    yes: inTheirWords(() => t("Run this command once, as it stands above.")),
  };
  const tools = toolsOf(profiling);
  const { signals } = around;
  const ended = Promise.race([
    ...["close", "end"].map((event) => once(stdin, event)),
    ...["SIGTERM", "SIGINT"].map((signal) => once(signals, signal)),
  ]);
  const { close } = serveStdio(() => createAgentServer({ version, tools, workspace, answers }), {
    onerror: (error) => stderr.write(`${error.message}\n`),
  });
  await ended;
  // A run that nobody waits for any more is cancelled; its end is waited for.
  await close();
  await Promise.allSettled(runs);
  return 0;
}

function speaking(words: Words | undefined, make: () => string): string {
  const before = wordsHolder.jetsonMemprofWords;
  wordsHolder.jetsonMemprofWords = words;
  try {
    return make();
  } finally {
    wordsHolder.jetsonMemprofWords = before;
  }
}

async function leavingText(command: ProfileCommand): Promise<string | undefined> {
  const { target, projectFolder } = await whatRuns(command);
  if (target.kind === "local") return undefined;
  const walk = await walkProject(projectFolder, command.excludes, new AbortController().signal);
  const to = formatTarget(target);
  return amountText(leavingOf(walk.files, { projectFolder, to, stays: walk.stays, notes: notesOf(walk) }));
}

/** Standard output is the protocol's, and nobody is at the keyboard: a password that is needed ends the run with a message. */
async function recordQuietly(
  command: ProfileCommand,
  signal: AbortSignal,
  helperFolder: string,
  around: Surroundings,
): Promise<RunOutcome> {
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  stdin.end();
  const signals = new EventEmitter();
  const cancel = () => signals.emit("SIGINT");
  signal.addEventListener("abort", cancel);
  const quiet: Surroundings = { ...around, stdout: SILENT, stdin, signals, quit: () => {} };
  try {
    if (signal.aborted) throw new UserError("cancelled", "The run was cancelled before it began.");
    return await record(command, helperFolder, quiet, "kept");
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

const SILENT: Output = {
  isTerminal: false,
  columns: 80,
  write: () => {},
  ended: new Promise(() => {}),
  fault: undefined,
  flushed: async () => {},
};
