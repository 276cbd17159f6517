import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changesFile, keepGitState, readGitState } from "./gitState.ts";
import { readKeeping } from "./keeping.ts";

let folder: string;
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "jmp-git-")));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const WHO = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgSign=false"];
const git = (...command: string[]): string =>
  execFileSync("git", [...WHO, "-C", folder, ...command], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const write = (name: string, text: string): void => {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
};
function repository(): void {
  git("init", "--initial-branch=main");
  write("train.py", "epochs = 1\n");
  write("lib/net.py", "layers = 2\n");
  git("add", ".");
  git("commit", "--message=first");
}
const diffText = (read: { readonly diff: Uint8Array } | undefined): string => new TextDecoder().decode(read?.diff);

describe("the git state of a project", () => {
  it("is the commit, the branch, the changed paths and the difference", async () => {
    repository();
    write("train.py", "epochs = 2\n");
    write("new.py", "untracked = True\n");
    const read = await readGitState(folder);
    expect(read?.state).toEqual({
      commit: git("rev-parse", "HEAD").trim(),
      branch: "main",
      changed: ["train.py"],
      truncated: false,
    });
    expect(diffText(read)).toContain("\n-epochs = 1\n+epochs = 2\n");
    expect(diffText(read)).not.toContain("untracked");
  });

  it("holds staged changes too, and nothing where nothing differs", async () => {
    repository();
    expect((await readGitState(folder))?.state.changed).toEqual([]);
    expect(diffText(await readGitState(folder))).toBe("");
    write("train.py", "epochs = 3\n");
    git("add", ".");
    expect((await readGitState(folder))?.state.changed).toEqual(["train.py"]);
  });

  it("is that of the project's folder where the repository holds more, with paths below the project", async () => {
    repository();
    write("train.py", "epochs = 2\n");
    write("lib/net.py", "layers = 3\n");
    const read = await readGitState(path.join(folder, "lib"));
    expect(read?.state.changed).toEqual(["net.py"]);
    expect(diffText(read)).toContain("+++ b/net.py\n");
    expect(diffText(read)).not.toContain("epochs");
  });

  it("has no branch where HEAD is none", async () => {
    repository();
    git("checkout", "--detach");
    expect((await readGitState(folder))?.state.branch).toBeUndefined();
  });

  it("keeps names as they are, blanks, quotes and letters of any language", async () => {
    repository();
    const names = ['a "b".py', "für dich.py", "new\nline.py"];
    for (const name of names) write(name, "1\n");
    git("add", ".");
    git("commit", "--message=second");
    for (const name of names) write(name, "2\n");
    expect([...((await readGitState(folder))?.state.changed ?? [])].sort()).toEqual([...names].sort());
  });

  it("runs no program that the repository's settings name", async () => {
    repository();
    const witness = path.join(folder, "witness");
    const program = `touch ${witness} #`;
    for (const key of ["core.fsmonitor", "diff.external", "diff.mine.textconv", "diff.mine.command", "core.pager"]) {
      git("config", key, program);
    }
    for (const key of ["clean", "smudge", "process"]) git("config", `filter.Mine.too.${key}`, program);
    git("config", "filter.Mine.too.required", "true");
    write(".gitattributes", "*.py diff=mine filter=Mine.too\n");
    write("train.py", "epochs = 2\n");
    expect(diffText(await readGitState(folder))).toContain("+epochs = 2");
    expect(fs.existsSync(witness)).toBe(false);
  });

  it("is unknown where a filter has a name that git cannot be told", async () => {
    repository();
    const witness = path.join(folder, "witness");
    git("config", "filter.a=b.clean", `touch ${witness} #`);
    write(".gitattributes", "*.py filter=a=b\n");
    write("train.py", "epochs = 2\n");
    expect(await readGitState(folder)).toBeUndefined();
    expect(fs.existsSync(witness)).toBe(false);
  });

  it("does not follow the variables of a hook that runs in another repository", async () => {
    repository();
    const before = process.env["GIT_DIR"];
    process.env["GIT_DIR"] = path.join(folder, "nowhere");
    try {
      expect((await readGitState(folder))?.state.branch).toBe("main");
    } finally {
      if (before === undefined) delete process.env["GIT_DIR"];
      else process.env["GIT_DIR"] = before;
    }
  });

  it("cuts off what is too large and says so", async () => {
    repository();
    write("train.py", "x = 1  # a line that is long enough\n".repeat(200_000));
    const read = await readGitState(folder);
    expect(read?.state).toMatchObject({ changed: ["train.py"], truncated: true });
    expect(read?.diff.length).toBeLessThanOrEqual(4 * 1024 * 1024);
  });

  it("is unknown outside of a repository, before the first commit and where git takes too long", async () => {
    expect(await readGitState(folder)).toBeUndefined();
    git("init");
    expect(await readGitState(folder)).toBeUndefined();
    repository();
    expect(await readGitState(folder, 0)).toBeUndefined();
    expect(await readGitState(path.join(folder, "gone"))).toBeUndefined();
  });
});

describe("keeping the git state beside a run", () => {
  it("writes git.json, and changes.diff where something differs", async () => {
    repository();
    const run = path.join(folder, "run");
    fs.mkdirSync(run);
    await keepGitState(run, readGitState(folder));
    expect((await readKeeping(run)).git).toMatchObject({ branch: "main", changed: [], truncated: false });
    expect(fs.readdirSync(run)).toEqual(["git.json"]);
    write("train.py", "epochs = 2\n");
    await keepGitState(run, readGitState(folder));
    expect(fs.readFileSync(await changesFile(run), "utf8")).toContain("+epochs = 2");
  });

  it("says so where the difference is not there, as beside a run that was imported", async () => {
    await expect(changesFile(folder)).rejects.toMatchObject({ code: "no-changes" });
  });

  it("writes nothing where nothing is known, and lets a run folder that is gone be", async () => {
    await keepGitState(folder, Promise.resolve(undefined));
    expect(fs.readdirSync(folder)).toEqual([]);
    repository();
    await keepGitState(path.join(folder, "gone"), readGitState(folder));
    expect(fs.existsSync(path.join(folder, "gone"))).toBe(false);
  });
});
