/** Files that other tools wrote become runs that the command lists and prints, and say what their figures are. */
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { listRunFolders, runsFolderOf } from "../../../src/profile/run/runsFolder.ts";
import { useProgram } from "./program.ts";

const scene = useProgram();

const REPORT = `Filename: /home/nano/train.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     1     22.0 MiB     22.0 MiB           1   @profile
     2                                         def main():
     3     42.0 MiB     20.0 MiB           1       x = load()
`;

function runs(): Promise<string[]> {
  return listRunFolders(runsFolderOf(scene.project));
}

describe("jetson-memprof import", () => {
  it("makes a run of a report that can be listed and printed, under the name that was given", async () => {
    scene.script("report.txt", REPORT);
    const { status, stdout } = await scene.run("import", "report.txt", "--name", "on the Nano");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^report\.txt: memory_profiler report, imported as \S+-train-[0-9a-f]{6}\n/);
    expect(stdout).toContain("Taken over: 2 lines of 1 file.");
    const [folder = ""] = await runs();
    expect(JSON.parse(fs.readFileSync(path.join(folder, "label.json"), "utf8"))).toMatchObject({ name: "on the Nano" });
    expect((await scene.run("runs")).stdout).toContain("on the Nano");
    const shown = (await scene.run("show", "last")).stdout;
    expect(shown).toContain("imported from memory_profiler (report.txt)");
    expect(shown).toMatch(/^ {3}3 +1 +\+20\.0 MiB +42\.0 MiB {6}x = load\(\)$/m);
    expect(shown).toContain("Figures: process memory as memory_profiler reads it");
  });

  it("claims no RSS for what is none", async () => {
    scene.script("log.txt", "RAM 613/3964MB (lfb 634x4MB)\nRAM 900/3964MB (lfb 634x4MB)\n");
    await scene.run("import", "log.txt", "--interval", "500");
    expect((await scene.run("runs")).stdout).toContain("peak 900.0 MiB (RAM in use on the board (tegrastats))");
    const shown = (await scene.run("show", "last")).stdout;
    expect(shown).not.toContain("RSS");
  });

  it("imports what it can, says of the rest what is wrong, and fails then", async () => {
    scene.script("good.dat", "CMDLINE python train.py\nMEM 1.5 100.0\n");
    scene.script("bad.txt", "hello\n");
    const { status, stdout, stderr } = await scene.run("import", "bad.txt", "gone.txt", "good.dat");
    expect(status).toBe(70);
    expect(stderr).toContain("bad.txt is in no format that can be imported");
    expect(stderr).toContain("gone.txt cannot be read: it does not exist");
    expect(stdout).toContain("good.dat: mprof .dat file");
    expect(await runs()).toHaveLength(1);
  });

  it("refuses wrong options as usage", async () => {
    for (const options of [[], ["a", "--format", "word"], ["a", "--interval", "0"]]) {
      expect((await scene.run("import", ...options)).status).toBe(64);
    }
  });
});

const fixtures = fileURLToPath(new URL("../../../../shared/fixtures/", import.meta.url));
const filesOf = (folder: string): string[] =>
  fs.readdirSync(fixtures + folder).map((name) => `${fixtures}${folder}/${name}`);

describe.skipIf(!fs.existsSync(fixtures))("files of real tools", () => {
  it("imports every report of memory_profiler, the single row of a Nano too", async () => {
    const files = filesOf("memory_profiler");
    const { status, stdout } = await scene.run("import", ...files);
    expect(status).toBe(0);
    expect(await runs()).toHaveLength(files.length);
    expect(stdout).toContain("jetson_nano_single_row.txt: memory_profiler report");
    const nano = (await runs()).find((folder) => folder.includes("unknown-file")) ?? "";
    expect((await scene.run("show", nano)).stdout).toMatch(
      /^ {2}87 +1 +\+1585\.2 MiB +2081\.6 MiB {2}net = net\.to\(device\)$/m,
    );
  });

  it("imports every massif.out file that can be read, and prints its peak", async () => {
    const whole = filesOf("massif").filter((file) => !/empty|junk|json|huge|32406|1checking/.test(file));
    const { stdout, stderr } = await scene.run("import", ...whole);
    expect(stderr).toBe("");
    expect(stdout.match(/massif\.out file, imported as/g)).toHaveLength(whole.length);
    const [folder = ""] = await runs();
    expect((await scene.run("show", folder)).stdout).toMatch(/imported from massif/);
  });

  it("refuses a massif.out file with nothing in it, in words", async () => {
    const { status, stderr } = await scene.run(
      "import",
      ...filesOf("massif").filter((file) => /empty|junk/.test(file)),
    );
    expect(status).toBe(70);
    expect(stderr).toMatch(/is empty/);
    expect(stderr).toMatch(/in no format/);
  });
});
