/** What a board, a script and its sources call things is text wherever it is shown: it steers, runs and links nothing. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { why } from "../../../src/cli/board/ending/whyCommand.ts";
import { showLedger } from "../../../src/cli/board/memory/ledgerCommand.ts";
import { type Command, parseCommandLine } from "../../../src/cli/commandLine/commandLine.ts";
import { diff } from "../../../src/cli/compare/diffCommand.ts";
import { exportToFile } from "../../../src/cli/formats/exportCommand.ts";
import { check } from "../../../src/cli/gate/checkCommand.ts";
import { runs } from "../../../src/cli/runs/runsCommand.ts";
import { show } from "../../../src/cli/runs/showCommands.ts";
import { collected } from "../../../src/cli/terminal/testing.ts";
import { makeTraining } from "../../../src/formats/exports/testing.ts";
import { createHandlers } from "../../../src/server/handlers.ts";
import { createRunStore } from "../../../src/server/runs/runStore.ts";
import { record } from "../support/results.ts";
import { PLANTED, planted, plantedLines } from "./planted.ts";

let training: ReturnType<typeof makeTraining>;
beforeAll(() => {
  training = makeTraining();
  const { run, project } = training;
  const change = (name: string, to: (text: string) => string): void => {
    writeFileSync(join(run, name), to(readFileSync(join(run, name), "utf8")));
  };
  change("run.json", (text) => {
    const { engine } = JSON.parse(text);
    const value = planted(
      JSON.parse(text),
      new Set(["record", "kind", "state", "started", "sha256", "source", "id", "metrics", "implementation", "engine"]),
    );
    // The documents' own names stay, so that there is something to hover.
    return JSON.stringify({
      ...value,
      engine,
      exit: { kind: "exited", code: 1 },
      warnings: [{ code: "x", message: PLANTED }],
    });
  });
  for (const name of ["lines.jsonl", "moments.jsonl"]) {
    change(name, (text) => plantedLines(text, "train.py"));
  }
  for (const name of ["git.json"]) change(name, (text) => JSON.stringify(planted(JSON.parse(text))));
  const source = readFileSync(join(run, "sources/train.py"), "utf8");
  const evil = source.replace(
    /^(.*(?:backward|LeNet\(\)).*)$/gm,
    (line) => `${line} # ${PLANTED.replace(/[\r\n\u2028]/g, "")}`,
  );
  writeFileSync(join(run, "sources/train.py"), evil);
  writeFileSync(join(project, "train.py"), source);
  writeFileSync(
    join(run, "stderr.log"),
    `Traceback (most recent call last):\n  File "train.py", line 16, in ${PLANTED}\nRuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 3.87 GiB total capacity; 1.10 GiB already allocated; 12.55 MiB free; 1.21 GiB reserved in total by PyTorch) ${PLANTED}\n`,
  );
  writeFileSync(
    join(run, "label.json"),
    JSON.stringify({ schema: 1, name: PLANTED.slice(0, 150), tags: ["<b>", "\u001b[2J"], note: PLANTED }),
  );
});
let printed = 0;
afterAll(() => {
  training.remove();
  record({
    kind: "fault",
    group: "hostile",
    fault: "Escape sequences, HTML and links in every name that a run holds: nothing obeys them",
    trials: printed,
    lostProfiles: undefined,
    duplicatedOutput: undefined,
    wrongLine: undefined,
  });
});

async function say(words: readonly string[], isTerminal: boolean): Promise<string> {
  const stdout = collected(isTerminal, 120);
  const env = { NO_COLOR: "1" };
  const command: Command = parseCommandLine(words);
  const said = { stdout, stderr: stdout, env };
  if (command.kind === "show") await show(command, stdout, env);
  else if (command.kind === "why") await why(command, stdout);
  else if (command.kind === "ledger") await showLedger(command, stdout);
  else if (command.kind === "diff") await diff(command, stdout, env);
  else if (command.kind === "check") await check(command, said);
  else if (command.kind === "export") await exportToFile(command, stdout, stdout);
  else if (command.kind === "runs") await runs(command, stdout);
  else throw new Error(`${command.kind} is not tried here`);
  return stdout.text();
}

const HARMFUL = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

describe("text of a hostile board", () => {
  it.each([
    ["show"],
    ["show --format memory_profiler"],
    ["show --metric all"],
    ["why"],
    ["why --json"],
    ["ledger"],
    ["ledger --json"],
    ["runs"],
    ["runs --json"],
    ["check --max-peak 1MiB --max-line 1MiB --annotations github"],
    ["check --max-peak 1MiB --json"],
    ["export --format markdown --out -"],
    ["export --format html --out -"],
    ["export --format csv --out -"],
    ["export --format json --out -"],
    ["export --format speedscope --out -"],
  ])("%s steers no terminal", async (line) => {
    const [kind = "", ...options] = line.split(" ");
    const words =
      kind === "runs" ? [kind, "--project", training.project, ...options] : [kind, training.run, ...options];
    const text = await say(words, true);
    printed++;
    expect(HARMFUL.exec(text)?.input.slice(0, 300)).toBeUndefined();
    // What was planted is there to be seen.
    expect(text).toMatch(/img src|train/);
  });

  it("begins no command of GitHub's log", async () => {
    const text = await say(
      ["check", training.run, "--max-peak", "1MiB", "--max-line", "1MiB", "--annotations", "github"],
      false,
    );
    const commands = text.split(/\r\n|\r|\n/).filter((line) => line.startsWith("::"));
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands)
      expect(command).toMatch(/^::(error|warning) (file=[^,:]*,(line=\d+,)?)?title=[^,:]*::/);
    expect(text.split(/[\r\n]/).some((line) => /^\s*::error file=x/.test(line))).toBe(false);
  });

  it("is text in the reports that CI systems read", async () => {
    const file = (name: string): string => join(training.project, name);
    const reports = ["--junit", file("a.xml"), "--sarif", file("a.sarif"), "--code-quality", file("a.json")];
    await say(["check", training.run, "--max-peak", "1MiB", "--max-line", "1MiB", ...reports], false);
    const junit = readFileSync(file("a.xml"), "utf8");
    expect(junit).not.toMatch(/<(img|script|javascript)/);
    expect(junit).toContain("&lt;img src=x");
    const sarif = JSON.parse(readFileSync(file("a.sarif"), "utf8"));
    for (const { message } of sarif.runs[0].results) expect(message.text).not.toMatch(/(?<!\\)\[[^\]]*\]\(/);
    expect(JSON.parse(readFileSync(file("a.json"), "utf8")).length).toBeGreaterThan(1);
  });

  it("is text in hovers: no HTML, no image, no link but our own", async () => {
    const store = createRunStore({ onChange: () => {}, debounceMs: 10, pollMs: 50 });
    const text = readFileSync(join(training.project, "train.py"), "utf8");
    const uri = pathToFileURL(join(training.project, "train.py")).href;
    const handlers = createHandlers({ store, openDocument: () => ({ version: 1, text }), platform: process.platform });
    await handlers.showRun(training.run, "rss");
    let hovers = 0;
    for (let line = 1; line <= text.split("\n").length; line++) {
      const hover = await handlers.hover(uri, line);
      if (hover === null) continue;
      hovers++;
      expect(hover).not.toMatch(HARMFUL);
      // What is escaped is text; what is left is what we wrote.
      const active = hover.replace(/\\[!-/:-@[-`{-~]/g, "");
      expect(active).not.toMatch(/[<>`]|\]\(|!\[|:\/\/|www\.|\bimg=/);
    }
    expect(hovers).toBeGreaterThan(5);
    store.dispose();
  });
});
