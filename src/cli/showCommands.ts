/** `show` and `runs`: what was measured before. */
import * as path from "node:path";
import { formatDuration } from "../profile/format.ts";
import type { Exit } from "../profile/model.ts";
import { targetName } from "../profile/origin.ts";
import { openRunFolder } from "../profile/runFolder.ts";
import { readRunHead } from "../profile/runHead.ts";
import { peakText, runTitle } from "../profile/runJson.ts";
import { listRunFolders, runsFolderOf } from "../profile/runsFolder.ts";
import { printable } from "../profile/text.ts";
import type { ShowCommand } from "./commandLine.ts";
import type { Output } from "./output.ts";
import { printReport } from "./report.ts";
import { findRun } from "./runLookup.ts";

/** @throws UserError */
export async function show(command: ShowCommand, output: Output, env: NodeJS.ProcessEnv): Promise<void> {
  const reader = openRunFolder(await findRun(command.run, path.resolve(command.project ?? ".")));
  await reader.refresh();
  const options = command.file === undefined ? {} : { file: command.file };
  await printReport(reader, { format: command.format, metric: command.metric, ...options }, output, env);
}

/** @throws UserError */
export async function listRuns(project: string | undefined, output: Output): Promise<void> {
  const runsFolder = runsFolderOf(path.resolve(project ?? "."));
  const folders = await listRunFolders(runsFolder);
  if (folders.length === 0) output.write(`There are no runs in ${runsFolder}.\n`);
  for (const folder of folders) output.write(`${await runLine(folder)}\n`);
}

async function runLine(folder: string): Promise<string> {
  const name = path.basename(folder);
  try {
    const { run, origin, rssPeak } = await readRunHead(folder);
    const facts = [
      runTitle(run),
      origin && targetName(origin.target, origin.simulated, run.board.simulated),
      run.state === "running" ? "not ended" : endWord(run.exit),
      run.elapsedMs === undefined ? undefined : formatDuration(run.elapsedMs),
      rssPeak === undefined ? undefined : peakText(run, rssPeak),
    ];
    return printable(`${name}  ${facts.filter((fact) => fact !== undefined).join(" · ")}`);
  } catch (error) {
    return printable(`${name}  cannot be read: ${(error as Error).message}`);
  }
}

function endWord(exit: Exit | undefined): string | undefined {
  if (exit === undefined) return undefined;
  switch (exit.kind) {
    case "exited":
      return exit.code === 0 ? undefined : `exit status ${exit.code}`;
    case "signalled":
      return exit.signal;
    default:
      return exit.kind.replaceAll("-", " ");
  }
}
