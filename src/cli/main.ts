#!/usr/bin/env node
/** The command `jetson-memprof`. */
import * as path from "node:path";
import { version } from "../../package.json";
import { printableLines } from "../profile/text/text.ts";
import { UserError } from "../profile/userError.ts";
import { useLanguage } from "../words/language.ts";
import { t } from "../words/t.ts";
import { type Command, parseCommandLine } from "./commandLine/commandLine.ts";
import { helpText } from "./commandLine/reference/helpText.ts";
import { FAILURE, USAGE } from "./run/exitStatus.ts";
import { languageTag } from "./terminal/language.ts";
import { createOutput } from "./terminal/output.ts";

// The bundle lies in dist/, the helper beside it.
const helperFolder = path.join(__dirname, "..", "python-helper");
const languageServer = path.join(__dirname, "server.cjs");

const stdout = createOutput(process.stdout);
const stderr = createOutput(process.stderr);

// Each command is a part of its own: what another needs is not loaded.
async function perform(command: Command): Promise<number> {
  const quit = (status: number) => process.exit(status);
  const around = { stdout, stderr, stdin: process.stdin, env: process.env, signals: process, quit };
  switch (command.kind) {
    case "help":
      stdout.write(helpText(command.topic, stdout.columns));
      return 0;
    case "version":
      stdout.write(`${version}\n`);
      return 0;
    case "completion":
      stdout.write((await import("./commandLine/reference/completion.ts")).completionScript(command.shell));
      return 0;
    case "profile":
      return await (await import("./run/profileCommand.ts")).profile(command, helperFolder, around);
    case "repeat":
      return await (await import("./run/repeatCommand.ts")).repeat(command, helperFolder, around);
    case "dry-run":
      await (await import("./run/dryRunCommand.ts")).dryRun(command, stdout);
      return 0;
    case "diff":
      await (await import("./compare/diffCommand.ts")).diff(command, stdout, process.env);
      return 0;
    case "attach":
      return await (await import("./run/profileCommand.ts")).attach(command, helperFolder, around);
    case "cancel":
      return await (await import("./run/profileCommand.ts")).cancel(command, helperFolder, around);
    case "show":
      await (await import("./runs/showCommands.ts")).show(command, stdout, process.env);
      return 0;
    case "why":
      await (await import("./board/ending/whyCommand.ts")).why(command, stdout);
      return 0;
    case "ledger":
      await (await import("./board/memory/ledgerCommand.ts")).showLedger(command, stdout);
      return 0;
    case "export":
      await (await import("./formats/exportCommand.ts")).exportToFile(command, stdout, stderr);
      return 0;
    case "trace":
      await (await import("./torch/trace/traceCommand.ts")).showTrace(command, stdout);
      return 0;
    case "kv-cache":
      await (await import("./torch/kvCache/kvCacheCommand.ts")).showKvCache(command, stdout);
      return 0;
    case "massif":
      await (await import("./massif/massifCommand.ts")).showMassif(command, stdout, process.env);
      return 0;
    case "snapshot":
      await (await import("./torch/snapshot/snapshotCommand.ts")).showSnapshot(command, stdout, process.env);
      return 0;
    case "model":
      return await (await import("./torch/model/modelCommand.ts")).showModel(command, helperFolder, around);
    case "whatif":
      return await (await import("./torch/model/whatIfCommand.ts")).whatIf(command, helperFolder, around);
    case "shared-layers":
      await (await import("./torch/model/sharedLayersCommand.ts")).showSharedLayers(command, stdout);
      return 0;
    case "sweep":
      return await (await import("./sweep/sweepCommand.ts")).sweep(command, helperFolder, around);
    case "import":
      return await (await import("./formats/importCommand.ts")).importFiles(command, stdout, stderr);
    case "doctor":
      return await (await import("./board/doctor/doctorCommand.ts")).doctor(command, helperFolder, around);
    case "mcp":
      return await (await import("./mcp/mcpCommand.ts")).serveAgent(command, helperFolder, around);
    case "metrics":
      return await (await import("./metrics/metricsCommand.ts")).serveMetrics(command, around);
    case "lsp":
      return await (await import("./commandLine/lspCommand.ts")).serveLanguage(command, process.stdin, languageServer);
    case "check":
      return await (await import("./gate/checkCommand.ts")).check(command, around);
    case "watch":
      return await (await import("./board/memory/watchCommand.ts")).watch(command, helperFolder, around);
    case "runs":
      await (await import("./runs/runsCommand.ts")).runs(command, stdout);
      return 0;
  }
}

async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  useLanguage(languageTag(argv, process.env), __dirname);
  try {
    return await perform(parseCommandLine(argv));
  } catch (error) {
    if (error instanceof UserError) {
      const hint = error.hint === undefined ? "" : `\n${error.hint}`;
      stderr.write(`${printableLines(`jetson-memprof: ${error.message}${hint}`)}\n`);
      return error.code === "usage" ? USAGE : FAILURE;
    }
    const fault = t("jetson-memprof failed unexpectedly; this is a bug in it.");
    stderr.write(`${fault}\n${printableLines(String((error as Error).stack))}\n`);
    return FAILURE;
  }
}

void main().then(async (status) => {
  await Promise.all([stdout.flushed(), stderr.flushed()]);
  const { fault } = stdout;
  if (fault === undefined) process.exit(status);
  // What was printed is not there, whatever the command itself came to.
  stderr.write(t("jetson-memprof: standard output could not be written: {0}\n", printableLines(fault.message)));
  await stderr.flushed();
  process.exit(status === 0 ? FAILURE : status);
});
