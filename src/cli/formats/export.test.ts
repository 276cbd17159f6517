import * as fs from "node:fs";
import * as path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTraining } from "../../formats/exports/testing.ts";
import { EXPORT_FORMAT_FACTS, EXPORT_FORMATS } from "../../profile/formats/exportFormats.ts";
import { parseCommandLine } from "../commandLine/commandLine.ts";
import { collected } from "../terminal/testing.ts";
import { exportToFile } from "./exportCommand.ts";
import type { ExportCommand } from "./exportCommandLine.ts";

const parse = (...argv: readonly string[]) => parseCommandLine(["export", ...argv]);

describe("the command line of export", () => {
  it("takes a run, a format, a file and a measure", () => {
    expect(parse("last", "--format", "html")).toEqual({ kind: "export", run: "last", format: "html" });
    expect(parse("--format=pprof", "2026", "--out", "-", "--metric", "cuda", "--project", "p")).toEqual({
      kind: "export",
      run: "2026",
      format: "pprof",
      out: "-",
      metric: "cuda",
      project: "p",
    });
    expect(parse("--help")).toEqual({ kind: "help", topic: "export" });
  });

  it("says what is missing or wrong", () => {
    expect(() => parse("last")).toThrow("Choose a format: --format html, markdown, csv, json");
    expect(() => parse("--format", "html")).toThrow("Name a run");
    expect(() => parse("last", "--format", "pdf")).toThrow("--format is html or markdown or csv");
    expect(() => parse("last", "--format", "html", "--out", "")).toThrow("--out is a file");
    expect(() => parse("last", "--format", "html", "--metric", "gpu")).toThrow("--metric is");
  });
});

describe("exporting a run", () => {
  let scene: ReturnType<typeof makeTraining>;
  let out = "";
  beforeAll(() => {
    scene = makeTraining();
    out = path.join(scene.project, "out");
    fs.mkdirSync(out);
  });
  afterAll(() => scene.remove());

  const command = (changes: Partial<ExportCommand>): ExportCommand => ({
    kind: "export",
    run: scene.run,
    format: "csv",
    ...changes,
  });

  it("writes a file of each format, says where, and leaves nothing else behind", async () => {
    for (const format of EXPORT_FORMATS) {
      const stdout = collected();
      const file = path.join(out, `run${EXPORT_FORMAT_FACTS[format].ending}`);
      await exportToFile(command({ format, out: file }), stdout, collected());
      expect(stdout.text()).toBe(`${file}\n`);
      expect(fs.statSync(file).size).toBeGreaterThan(200);
    }
    expect(fs.readdirSync(out).sort()).toEqual(
      EXPORT_FORMATS.map((format) => `run${EXPORT_FORMAT_FACTS[format].ending}`).sort(),
    );
  });

  it("prints to standard output what would be in the file, and notes to standard error", async () => {
    const [stdout, stderr] = [collected(), collected()];
    await exportToFile(command({ format: "speedscope", out: "-" }), stdout, stderr);
    expect(JSON.parse(stdout.text())).toMatchObject({ exporter: "Jetson Memory Profiler" });
    expect(stderr.text()).toContain("Note: It holds RSS only; the run has CUDA and board figures too.");
    const packed = collected();
    await exportToFile(command({ format: "pprof", out: "-" }), packed, collected());
    expect(gunzipSync(packed.pieces[0] as Uint8Array).length).toBeGreaterThan(200);
  });

  it("gives a terminal no signs that it would obey, and no packed bytes", async () => {
    const evil = makeTraining({ "sources/train.py": "x = '\u001b[2J'\n" });
    const stdout = collected(true);
    await exportToFile(command({ run: evil.run, out: "-" }), stdout, collected());
    expect(stdout.text()).not.toContain("\u001b");
    const pprof = exportToFile(command({ run: evil.run, format: "pprof", out: "-" }), stdout, collected());
    await expect(pprof).rejects.toThrow("A pprof profile is not text for a terminal.");
    evil.remove();
  });

  it.runIf(process.platform !== "win32")("writes through a link, and into a device without replacing it", async () => {
    const [file, link] = [path.join(out, "real.csv"), path.join(out, "link.csv")];
    fs.writeFileSync(file, "");
    fs.symlinkSync(file, link);
    await exportToFile(command({ out: link }), collected(), collected());
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    expect(fs.statSync(file).size).toBeGreaterThan(100);
    await exportToFile(command({ out: "/dev/null" }), collected(), collected());
    expect(fs.statSync("/dev/null").isFile()).toBe(false);
  });

  it("replaces an earlier export, but no file of the run, and says where it cannot write", async () => {
    const file = path.join(out, "again.csv");
    for (let time = 0; time < 2; time++) await exportToFile(command({ out: file }), collected(), collected());
    const before = fs.readFileSync(path.join(scene.run, "run.json"), "utf8");
    const inside = exportToFile(command({ out: path.join(scene.run, "run.json") }), collected(), collected());
    await expect(inside).rejects.toThrow("is in the run's own folder");
    expect(fs.readFileSync(path.join(scene.run, "run.json"), "utf8")).toBe(before);
    const nowhere = exportToFile(command({ out: path.join(out, "none/x.csv") }), collected(), collected());
    await expect(nowhere).rejects.toThrow("The export could not be written");
  });
});
