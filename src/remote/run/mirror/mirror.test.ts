import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMirror, type Mirror, MirrorFault, openMirror } from "./mirror.ts";

const ORIGIN = { target: "ssh://nano", boardFolder: "/home/nano/.jetson-memprof/runs/r1", simulated: false };
const data = (...parts: string[]): AsyncIterable<Buffer> => Readable.from(parts.map((part) => Buffer.from(part)));
const nothing = (): void => {};

describe("the mirror", () => {
  let runs: string;
  let mirror: Mirror;
  beforeEach(async () => {
    runs = mkdtempSync(join(tmpdir(), "jmp-mirror-"));
    // No key can be kept there, so nothing is sealed.
    vi.stubEnv("XDG_STATE_HOME", "/dev/null");
    mirror = await createMirror(runs, "r1", ORIGIN);
  });
  afterEach(async () => {
    await mirror.close();
    vi.unstubAllEnvs();
    rmSync(runs, { recursive: true, force: true });
  });
  const text = (file: string): string => readFileSync(join(runs, "r1", file), "utf8");

  it("writes origin.json first and never over another run", async () => {
    expect(JSON.parse(text("origin.json"))).toEqual({
      schema: 1,
      target: "ssh://nano",
      board_folder: ORIGIN.boardFolder,
      simulated: false,
    });
    await expect(createMirror(runs, "r1", ORIGIN)).rejects.toMatchObject({ code: "cannot-write" });
  });

  it("appends, replaces, and tells what it has", async () => {
    const seen: string[] = [];
    await mirror.append("stdout.log", 0, data("ab", "c"), (piece) => seen.push(String(piece)));
    await mirror.append("stdout.log", 3, data("d"), nothing);
    await mirror.replace("run.json", 2, data("{}"));
    await mirror.replace("sources/deep/a.py", 3, data("x=", "1"));
    expect(seen).toEqual(["ab", "c"]);
    expect(text("stdout.log")).toBe("abcd");
    expect(text("sources/deep/a.py")).toBe("x=1");
    expect(mirror.have()).toEqual({ "stdout.log": 4, "sources/deep/a.py": 3 });
    await mirror.replace("stdout.log", 0, data());
    await mirror.append("stdout.log", 0, data("new"), nothing);
    expect(text("stdout.log")).toBe("new");
    await mirror.close();
    expect((await openMirror(join(runs, "r1"))).have()).toEqual({ "stdout.log": 3, "sources/deep/a.py": 3 });
  });

  it("tells the board what it has of massif's files but for those that are replaced", async () => {
    await mirror.append("massif.frames.42.jsonl", 0, data("{}\n"), nothing);
    await mirror.append("massif.lines.42.jsonl", 0, data("{}\n"), nothing);
    await mirror.replace("massif-lines/42/7.before", 4, data("desc"));
    await mirror.replace("massif.out.42", 5, data("first"));
    await mirror.replace("massif.out.42", 5, data("later"));
    expect(text("massif.out.42")).toBe("later");
    const known = { "massif.frames.42.jsonl": 3, "massif.lines.42.jsonl": 3, "massif-lines/42/7.before": 4 };
    expect(mirror.have()).toEqual(known);
    await mirror.close();
    expect((await openMirror(join(runs, "r1"))).have()).toEqual(known);
    await expect(mirror.append("massif.out.42", 5, data("x"), nothing)).rejects.toBeInstanceOf(MirrorFault);
    await expect(mirror.append("massif-lines/42/7.before", 4, data("x"), nothing)).rejects.toBeInstanceOf(MirrorFault);
  });

  it("refuses a gap, an overlap and files that do not grow", async () => {
    await mirror.append("lines.jsonl", 0, data("12"), nothing);
    await expect(mirror.append("lines.jsonl", 3, data("x"), nothing)).rejects.toBeInstanceOf(MirrorFault);
    await expect(mirror.append("lines.jsonl", 1, data("x"), nothing)).rejects.toBeInstanceOf(MirrorFault);
    await expect(mirror.append("run.json", 0, data("x"), nothing)).rejects.toBeInstanceOf(MirrorFault);
    await expect(mirror.replace("origin.json", 1, data("x"))).rejects.toBeInstanceOf(MirrorFault);
  });

  it("keeps the part that came when data breaks off, and no half of a replaced file", async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from("half");
      throw new Error("gone");
    }
    await mirror.replace("run.json", 3, data("old"));
    await expect(mirror.append("samples.jsonl", 0, broken(), nothing)).rejects.toThrow("gone");
    await expect(mirror.replace("run.json", 9, broken())).rejects.toThrow("gone");
    expect(mirror.have()).toMatchObject({ "samples.jsonl": 4 });
    expect(text("run.json")).toBe("old");
    expect(readdirSync(join(runs, "r1")).sort()).toEqual(["origin.json", "run.json", "samples.jsonl"]);
  });

  it("does not write through a link", async () => {
    writeFileSync(join(runs, "victim"), "safe");
    symlinkSync("../victim", join(runs, "r1", "stderr.log"));
    await expect(mirror.append("stderr.log", 0, data("x"), nothing)).rejects.toMatchObject({ code: "cannot-write" });
    expect(readFileSync(join(runs, "victim"), "utf8")).toBe("safe");
    expect(existsSync(join(runs, "r1", "stderr.log"))).toBe(true);
  });

  it("does not let a linked folder lead the board's files out of the run, nor tells the board what is in it", async () => {
    mkdirSync(join(runs, "private"));
    writeFileSync(join(runs, "private", "key"), "secret");
    symlinkSync("../private", join(runs, "r1", "sources"));
    symlinkSync("../private/key", join(runs, "r1", "stdout.log"));
    const again = await openMirror(join(runs, "r1"));
    expect(again.have()).toEqual({});
    await expect(again.replace("sources/authorized_keys", 1, data("x"))).rejects.toMatchObject({
      code: "cannot-write",
    });
    expect(readdirSync(join(runs, "private"))).toEqual(["key"]);
    await again.replace("run.json", 2, data("{}"));
    await again.close();
  });

  it("does not follow a link that took the run folder's place", async () => {
    mkdirSync(join(runs, "victim"));
    writeFileSync(join(runs, "victim", "run.json"), "safe");
    renameSync(join(runs, "r1"), join(runs, "away"));
    symlinkSync("victim", join(runs, "r1"));
    const refused = { code: "cannot-write" };
    await expect(mirror.replace("run.json", 2, data("{}"))).rejects.toMatchObject(refused);
    await expect(mirror.append("stdout.log", 0, data("x"), nothing)).rejects.toMatchObject(refused);
    expect(readdirSync(join(runs, "victim"))).toEqual(["run.json"]);
    expect(readFileSync(join(runs, "victim", "run.json"), "utf8")).toBe("safe");
  });

  it("does not follow a link that takes a folder's place while the data comes", async () => {
    mkdirSync(join(runs, "victim"));
    async function* swapping(): AsyncGenerator<Buffer> {
      yield Buffer.from("x");
      renameSync(join(runs, "r1", "sources"), join(runs, "away"));
      symlinkSync(join(runs, "victim"), join(runs, "r1", "sources"));
      yield Buffer.from("y");
    }
    await expect(mirror.replace("sources/a.py", 2, swapping())).rejects.toMatchObject({ code: "cannot-write" });
    expect(readdirSync(join(runs, "victim"))).toEqual([]);
    expect(readdirSync(join(runs, "r1")).sort()).toEqual(["origin.json", "sources"]);
  });

  it("replaces a file whose name is as long as a file system allows", async () => {
    const file = `sources/${"n".repeat(252)}.py`.slice(0, 8 + 255);
    await mirror.replace(file, 1, data("x"));
    expect(text(file)).toBe("x");
  });

  it("does not wait at a pipe that lies in a log's place", async () => {
    execFileSync("mkfifo", [join(runs, "r1", "stdout.log")]);
    await expect(mirror.append("stdout.log", 0, data("x"), nothing)).rejects.toMatchObject({ code: "cannot-write" });
  });

  it("stays whole where two windows follow the same run", async () => {
    const other = await openMirror(join(runs, "r1"));
    await mirror.append("stdout.log", 0, data("one "), nothing);
    await other.append("stdout.log", 0, data("one two "), nothing);
    await mirror.append("stdout.log", 4, data("two three"), nothing);
    await other.append("stdout.log", 8, data("three"), nothing);
    await other.close();
    expect(text("stdout.log")).toBe("one two three");
  });

  it("says so when the folder is deleted while the run goes on, and brings no part of it back", async () => {
    await mirror.append("stdout.log", 0, data("one"), nothing);
    rmSync(join(runs, "r1"), { recursive: true });
    await expect(mirror.append("stdout.log", 3, data("two"), nothing)).rejects.toMatchObject({
      code: "run-folder-gone",
    });
    for (const file of ["run.json", "sources/deep/a.py"]) {
      await expect(mirror.replace(file, 2, data("{}"))).rejects.toMatchObject({ code: "run-folder-gone" });
    }
    expect(existsSync(join(runs, "r1"))).toBe(false);
  });
});
