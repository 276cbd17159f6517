/** `show`: what was measured before. */
import * as path from "node:path";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import type { ShowCommand } from "../commandLine/commandLine.ts";
import { given } from "../commandLine/options.ts";
import type { Output } from "../terminal/output.ts";
import { printReport } from "./report.ts";
import { findRun } from "./runLookup.ts";

/** @throws UserError */
export async function show(command: ShowCommand, output: Output, env: NodeJS.ProcessEnv): Promise<void> {
  const reader = openRunFolder(await findRun(command.run, path.resolve(command.project ?? ".")));
  await reader.refresh();
  const { format, metric, file, top } = command;
  const options = { ...given("file", file), ...given("top", top) };
  await printReport(reader, { format, metric, ...options }, output, env);
}
