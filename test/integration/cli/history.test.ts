import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, it } from "vitest";
import { useProgram } from "./program.ts";

const scene = useProgram();
const git = (...command: string[]): string =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", "-C", scene.project, ...command], {
    encoding: "utf8",
  });

describe("a run in a git repository", () => {
  it("keeps the commit of its sources and how they differed from it", async () => {
    git("init", "--quiet", "--initial-branch=main");
    scene.script("train.py", "x = bytearray(1 << 20)\n");
    git("add", ".");
    git("commit", "--quiet", "--message=first");
    scene.script("train.py", "x = bytearray(2 << 20)\n");
    expect((await scene.run("profile", "train.py", "--target", "local", "--quiet")).status).toBe(0);
    const [run] = JSON.parse((await scene.run("runs", "--json")).stdout).runs;
    expect(run.git).toEqual({
      commit: git("rev-parse", "HEAD").trim(),
      branch: "main",
      changed: ["train.py"],
      truncated: false,
    });
    expect(fs.readFileSync(path.join(run.folder, "changes.diff"), "utf8")).toContain("+x = bytearray(2 << 20)");
    // The run's own folder is no change.
    git("add", ".");
    git("commit", "--quiet", "--message=second");
    await scene.run("profile", "train.py", "--target", "local", "--quiet");
    const [newest] = JSON.parse((await scene.run("runs", "--json")).stdout).runs;
    expect(newest.git.changed).toEqual([]);
    expect(fs.existsSync(path.join(newest.folder, "changes.diff"))).toBe(false);
  });

  it("has no such record in a folder without one", async () => {
    scene.script("train.py", "x = 1\n");
    await scene.run("profile", "train.py", "--target", "local", "--quiet");
    const [run] = JSON.parse((await scene.run("runs", "--json")).stdout).runs;
    expect(run).not.toHaveProperty("git");
  });
});

describe("runs delete and restore", () => {
  it("take a run away and bring it back as it was", async () => {
    scene.script("train.py", "x = 1\n");
    await scene.run("profile", "train.py", "--target", "local", "--quiet");
    await scene.run("runs", "name", "last", "only one");
    const shown = (await scene.run("show", "only one", "--json")).stdout;
    expect((await scene.run("runs", "delete", "only one")).status).toBe(0);
    expect((await scene.run("show", "only one")).stderr).toContain('There is no run "only one"');
    expect((await scene.run("runs", "restore", "last")).status).toBe(0);
    expect((await scene.run("show", "only one", "--json")).stdout).toBe(shown);
  });
});
