/** The command `jetson-memprof`. */
import * as path from "node:path";
import { version } from "../../package.json";
import { printableLines } from "../profile/text.ts";
import { UserError } from "../profile/userError.ts";
import { type Command, parseCommandLine } from "./commandLine.ts";
import { doctor } from "./doctorCommand.ts";
import { FAILURE, USAGE } from "./exitStatus.ts";
import { HELP } from "./help.ts";
import { showLedger } from "./ledgerCommand.ts";
import { showMassif } from "./massifCommand.ts";
import { showModel } from "./modelCommand.ts";
import { createOutput } from "./output.ts";
import { attach, profile } from "./profileCommand.ts";
import { showSharedLayers } from "./sharedLayersCommand.ts";
import { listRuns, show } from "./showCommands.ts";
import { showSnapshot } from "./snapshotCommand.ts";
import { showTrace } from "./traceCommand.ts";
import { watch } from "./watchCommand.ts";
import { whatIf } from "./whatIfCommand.ts";
import { why } from "./whyCommand.ts";

// The bundle lies in dist/, the helper beside it.
const helperFolder = path.join(__dirname, "..", "python-helper");

const stdout = createOutput(process.stdout);
const stderr = createOutput(process.stderr);

async function perform(command: Command): Promise<number> {
  const quit = (status: number) => process.exit(status);
  const around = { stdout, stderr, stdin: process.stdin, env: process.env, signals: process, quit };
  switch (command.kind) {
    case "help":
      stdout.write(HELP);
      return 0;
    case "version":
      stdout.write(`${version}\n`);
      return 0;
    case "profile":
      return await profile(command, helperFolder, around);
    case "attach":
      return await attach(command, helperFolder, around);
    case "show":
      await show(command, stdout, process.env);
      return 0;
    case "why":
      await why(command, stdout);
      return 0;
    case "ledger":
      await showLedger(command, stdout);
      return 0;
    case "trace":
      await showTrace(command, stdout);
      return 0;
    case "massif":
      await showMassif(command, stdout, process.env);
      return 0;
    case "snapshot":
      await showSnapshot(command, stdout, process.env);
      return 0;
    case "model":
      return await showModel(command, helperFolder, around);
    case "whatif":
      return await whatIf(command, helperFolder, around);
    case "shared-layers":
      await showSharedLayers(command, stdout);
      return 0;
    case "doctor":
      return await doctor(command, helperFolder, around);
    case "watch":
      return await watch(command, helperFolder, around);
    case "runs":
      await listRuns(command.project, stdout);
      return 0;
  }
}

async function main(): Promise<number> {
  try {
    return await perform(parseCommandLine(process.argv.slice(2)));
  } catch (error) {
    if (error instanceof UserError) {
      const hint = error.hint === undefined ? "" : `\n${error.hint}`;
      stderr.write(`${printableLines(`jetson-memprof: ${error.message}${hint}`)}\n`);
      return error.code === "usage" ? USAGE : FAILURE;
    }
    stderr.write(`jetson-memprof failed unexpectedly; this is a fault in it.\n${(error as Error).stack}\n`);
    return FAILURE;
  }
}

void main().then(async (status) => {
  await Promise.all([stdout.flushed(), stderr.flushed()]);
  process.exit(status);
});
