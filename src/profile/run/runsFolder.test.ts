import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ensureRunsFolder, listRunFolders, projectOfRun } from "./runsFolder.ts";

let project: string;
beforeEach(() => {
  project = fs.mkdtempSync(path.join(os.tmpdir(), "jmp-runs-"));
});
afterEach(() => fs.rmSync(project, { recursive: true, force: true }));

it("makes the folder with a .gitignore that ignores everything in it, and leaves an existing one alone", async () => {
  const runs = await ensureRunsFolder(project);
  expect(runs).toBe(path.join(project, ".jetson-memprof", "runs"));
  const ignore = path.join(project, ".jetson-memprof", ".gitignore");
  expect(fs.readFileSync(ignore, "utf8")).toBe("*\n");
  fs.writeFileSync(ignore, "mine\n");
  await ensureRunsFolder(project);
  fs.rmSync(runs, { recursive: true });
  await ensureRunsFolder(project);
  expect(fs.readFileSync(ignore, "utf8")).toBe("mine\n");
});

it("says what to do where the folder cannot be made", async () => {
  fs.writeFileSync(path.join(project, ".jetson-memprof"), "in the way");
  await expect(ensureRunsFolder(project)).rejects.toMatchObject({ code: "runs-folder", hint: expect.any(String) });
});

it.each([".jetson-memprof", ".jetson-memprof/runs", ".jetson-memprof/deleted"])(
  "writes nothing where %s is a link, as it may have come with the project",
  async (name) => {
    const elsewhere = path.join(project, "elsewhere");
    fs.mkdirSync(elsewhere);
    fs.mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    fs.symlinkSync(elsewhere, path.join(project, name), "dir");
    await expect(ensureRunsFolder(project)).rejects.toMatchObject({
      code: "runs-folder-linked",
      message: expect.stringContaining(path.join(project, name)),
    });
    expect(fs.readdirSync(elsewhere)).toEqual([]);
  },
);

it("lists runs newest first and nothing else", async () => {
  const runs = await ensureRunsFolder(project);
  for (const name of ["20260101-000000-a-0000", "20260301-000000-b-0000", "29990101-000000-c-0000", ".partial"])
    fs.mkdirSync(path.join(runs, name));
  fs.writeFileSync(path.join(runs, "note.txt"), "");
  expect((await listRunFolders(runs)).map((folder) => path.basename(folder))).toEqual([
    "20260301-000000-b-0000",
    "20260101-000000-a-0000",
    "29990101-000000-c-0000",
  ]);
  expect(await listRunFolders(path.join(project, "nowhere"))).toEqual([]);
});

it("knows the project of a run in its usual place", () => {
  expect(projectOfRun(path.join(project, ".jetson-memprof", "runs", "x"))).toBe(project);
  expect(projectOfRun(path.join(project, "elsewhere", "x"))).toBeUndefined();
});
