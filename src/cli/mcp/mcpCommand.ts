/** `mcp`: serves one project's runs to an agent, until it closes standard input. */
import { once } from "node:events";
import * as path from "node:path";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { version } from "../../../package.json";
import { defined } from "../../profile/defined.ts";
import { t } from "../../words/t.ts";
import { type Words, wordsHolder } from "../../words/wordsHolder.ts";
import { usageError } from "../commandLine/options.ts";
import type { Surroundings } from "../run/followRun.ts";
import { createAgentServer } from "./agentServer.ts";
import type { McpCommand } from "./mcpCommandLine.ts";
import type { Profiling } from "./tools/profileScript.ts";
import { toolsOf } from "./toolsOf.ts";
import { openWorkspace } from "./workspace.ts";

// With all that reaches a board: most agents only read.
const agentRun = () => import("./agentRun.ts");

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
    leaving: async (profile) => await (await agentRun()).leavingText(profile),
    record: (profile, signal) => {
      const run = agentRun().then(({ recordQuietly }) => recordQuietly(profile, signal, helperFolder, around));
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
