/** `show`: what was measured before. */

import * as path from "node:path";
import { defined } from "../../profile/defined.ts";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import type { ShowCommand } from "../commandLine/commandLine.ts";
import type { Output } from "../terminal/output.ts";
import { printReport } from "./report.ts";
import { findRun } from "./runLookup.ts";

/** @throws UserError */
export async function show(command: ShowCommand, output: Output, env: NodeJS.ProcessEnv): Promise<void> {
  const reader = openRunFolder(await findRun(command.run, path.resolve(command.project ?? ".")));
  await reader.refresh();
  const { format, metric, file, top, ranks, since } = command;
  const options = { ...defined({ file, top, ranks, since }) };
  await printReport(reader, { format, metric, ...options }, output, env);
}
