import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { walkProject } from "./walk.ts";

const signal = new AbortController().signal;
let top: string;
let root: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "jmp-walk-"));
  root = join(top, "project");
  mkdirSync(root);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function put(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path);
  }
}
const walk = async (...excludes: string[]) => {
  const { files, stays, warnings } = await walkProject(root, excludes, signal);
  const codes = warnings.map((warning) => warning.code);
  return { paths: files.map((file) => file.path), codes, files, stays: Object.fromEntries(stays), warnings };
};

describe("walkProject", () => {
  it("leaves out what is never sent", async () => {
    put("a.py", ".git/config", "x/__pycache__/a.pyc", "a.pyc", "node_modules/m.js", ".venv/p", "venv/p", "s/.venv/p");
    put(".jetson-memprof/runs/r/run.json", ".ipynb_checkpoints/n", "sub/b.py");
    expect((await walk()).paths).toEqual(["a.py", "sub/b.py"]);
  });

  it("leaves out environments, by what lies in them", async () => {
    put("a.py", "pyvenv.cfg", "mine/pyvenv.cfg", "mine/lib/x.py", "sub/conda/conda-meta/history", "sub/conda/x.py");
    put(".hg/store", ".svn/entries", ".tox/x", ".nox/x", "sub/.pytest_cache/x");
    expect((await walk()).paths).toEqual(["a.py", "pyvenv.cfg"]);
  });

  it("leaves out files that hold credentials, and says which", async () => {
    put(
      "a.py",
      ".env.example",
      ".env",
      "config/.env.local",
      "keys/ID_RSA",
      "certs/server.PEM",
      ".ssh/config",
      ".netrc",
    );
    put(".aws/credentials", ".kaggle/kaggle.json", ".npmrc", ".docker/config.json", "home/.huggingface/token");
    const { paths, codes, warnings } = await walk();
    expect(paths).toEqual([".env.example", "a.py"]);
    expect(codes).toEqual(["credentials-not-sent"]);
    expect(warnings[0]?.message).toContain(".aws/, .docker/, .env, .kaggle/, .netrc, 6 more");
    expect(warnings[0]?.message).toContain("jetsonMemprof.exclude");
  });

  it("sends credentials that the setting names", async () => {
    put(".env", "sub/.env", ".aws/credentials", ".aws/old.pem", "b.pem");
    const { paths, warnings } = await walk("!/.env", "!.aws/");
    expect(paths).toEqual([".aws/credentials", ".aws/old.pem", ".env"]);
    expect(warnings[0]?.message).toContain("b.pem, sub/.env.");
  });

  it("does not speak of credentials that the project leaves out itself", async () => {
    writeFileSync(join(root, ".gitignore"), ".env\n");
    put(".env", "a.py");
    expect(await walk()).toMatchObject({ paths: [".gitignore", "a.py"], codes: [] });
  });

  it("puts .jetsonignore before .gitignore, and lets neither send a credential", async () => {
    writeFileSync(join(root, ".gitignore"), "*.bin\n");
    writeFileSync(join(root, ".jetsonignore"), "data/\n!weights.bin\n!.env\n");
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "sub/.jetsonignore"), "weights.bin\n");
    put("weights.bin", "other.bin", "data/x", "sub/weights.bin", "sub/data/x", ".env");
    const { paths, codes } = await walk();
    expect(paths).toEqual([".gitignore", ".jetsonignore", "sub/.jetsonignore", "weights.bin"]);
    expect(codes).toEqual(["credentials-not-sent"]);
  });

  it("tells what stays and whose rule it is, a folder once", async () => {
    writeFileSync(join(root, ".gitignore"), "*.bin\n/out/\n");
    writeFileSync(join(root, ".jetsonignore"), "data/\n");
    put("a.py", "a.bin", "out/x", "out/y", "data/one/x", "data/y", "keys/id_rsa", ".aws/credentials", "notes.txt");
    put("x/__pycache__/a.pyc", "x/mine/pyvenv.cfg", "x/mine/lib/y.py", ".git/config");
    expect((await walk("notes.txt")).stays).toEqual({
      credential: [".aws/", "keys/id_rsa"],
      gitignore: ["a.bin", "out/"],
      jetsonignore: ["data/"],
      never: [".git/", "x/__pycache__/", "x/mine/"],
      setting: ["notes.txt"],
    });
  });

  it("sends nothing by the name of a link that is not sent by its own", async () => {
    writeFileSync(join(root, ".gitignore"), "private/\nreal/secret.txt\nalias/no.txt\n");
    put(".git/config", "private/x", ".env", "real/a.py", "real/secret.txt", "real/no.txt", "real/deep/hidden");
    writeFileSync(join(root, "real/.gitignore"), "hidden\n");
    for (const [name, to] of [
      ["config", ".git/config"],
      ["git", ".git"],
      ["x", "private/x"],
      ["all", "private"],
      ["environment", ".env"],
      ["alias", "real"],
    ] as const)
      symlinkSync(to, join(root, name));
    symlinkSync("../.git/config", join(root, "real", "inner"));
    const { paths, codes, warnings } = await walk();
    expect(paths).toEqual([
      ".gitignore",
      "alias/.gitignore",
      "alias/a.py",
      "real/.gitignore",
      "real/a.py",
      "real/no.txt",
    ]);
    expect([...codes].sort()).toEqual(["credentials-not-sent", ...Array(7).fill("link-left-out")]);
    expect(warnings.map(({ message }) => message).join()).toContain("it is a link to .git/config, which is not sent");
  });

  it("keeps awkward names as they are", async () => {
    const names = [
      "a b.py",
      "it's.py",
      'q"q.py',
      "line\nbreak.py",
      "-dash.py",
      "雪 ü.py",
      "...",
      "#hash",
      "!bang",
      "back\\slash",
    ];
    put(...names);
    expect((await walk()).paths).toEqual([...names].sort());
  });

  it("agrees with git on nested .gitignore files", async () => {
    writeFileSync(join(root, ".gitignore"), "*.log\n/top\nbuild/\n!keep.log\ndata/*\n!data/small/\nCase\n");
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "sub", ".gitignore"), "*.txt\n!b.log\n/only-here\n");
    put("a.log", "keep.log", "top/x", "sub/top/x", "build/x", "sub/build/y", "data/big/x", "data/small/x", "data/f");
    put("sub/a.txt", "sub/b.log", "sub/only-here", "sub/deep/only-here", "sub/deep/c.txt", "case", "Case", "deep/Case");
    execFileSync("git", ["init", "-q", root]);
    const git = execFileSync("git", ["-C", root, "ls-files", "-zco", "--exclude-standard"], { encoding: "utf8" });
    expect((await walk()).paths).toEqual(git.split("\0").filter(Boolean).sort());
  });

  it("puts the setting's patterns before the project's own", async () => {
    writeFileSync(join(root, ".gitignore"), "*.bin\n");
    put("a.bin", "b.bin", "data/x", "c.py");
    expect((await walk("data/", "!a.bin")).paths).toEqual([".gitignore", "a.bin", "c.py"]);
  });

  it("sends links inside the project as content and does not follow the others", async () => {
    put("real/x.py");
    writeFileSync(join(top, "secret"), "s");
    symlinkSync("real", join(root, "alias"));
    symlinkSync("real/x.py", join(root, "x-link.py"));
    symlinkSync("../secret", join(root, "leak"));
    symlinkSync("..", join(root, "up"));
    symlinkSync("nowhere", join(root, "broken"));
    symlinkSync("..", join(root, "real", "circle"));
    const { paths, codes, warnings } = await walk();
    expect(paths).toEqual(["alias/x.py", "real/x.py", "x-link.py"]);
    expect([...codes].sort()).toEqual(["link-broken", "link-circle", "link-circle", "link-outside", "link-outside"]);
    expect(warnings.map((warning) => warning.message).join()).toContain("leak");
  });

  it("passes over pipes and says which names are not UTF-8", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x62, 0xff])]), "x");
    put("a.py");
    const { paths, codes } = await walk();
    expect(paths).toEqual(["a.py"]);
    expect(codes).toEqual(["name-not-utf8"]);
  });

  it("says which folder cannot be read", async () => {
    put("locked/a.py", "b.py");
    chmodSync(join(root, "locked"), 0o000);
    const { paths, codes } = await walk();
    // root reads everything; everybody else gets the warning
    if (process.getuid?.() === 0) expect(paths).toEqual(["b.py", "locked/a.py"]);
    else expect({ paths, codes }).toEqual({ paths: ["b.py"], codes: ["unreadable"] });
    chmodSync(join(root, "locked"), 0o700);
  });

  it("reports size, whole milliseconds and the executable bit", async () => {
    put("run.sh");
    chmodSync(join(root, "run.sh"), 0o755);
    const [file] = (await walk()).files;
    expect(file).toMatchObject({ path: "run.sh", size: 6, executable: true });
    expect(Number.isInteger(file?.mtimeMs)).toBe(true);
  });

  it("bounds its warnings and names a missing project folder", async () => {
    for (let i = 0; i < 30; i++) symlinkSync("nowhere", join(root, `l${i}`));
    const { codes, warnings } = await walk();
    expect(codes).toHaveLength(21);
    expect(warnings.at(-1)?.message).toContain("10 more");
    await expect(walkProject(join(top, "none"), [], signal)).rejects.toMatchObject({ code: "project-unreadable" });
  });

  it("stops when it is aborted", async () => {
    await expect(walkProject(root, [], AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });
});
