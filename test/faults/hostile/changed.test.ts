/** A file that changes between the moment it is looked at and the moment it is used. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTraining } from "../../../src/formats/exports/testing.ts";
import { openRunFolder } from "../../../src/profile/run/runFolder.ts";
import { ensureRunsFolder } from "../../../src/profile/run/runsFolder.ts";
import { createMirror } from "../../../src/remote/run/mirror/mirror.ts";
import { deleteRun, listDeleted } from "../../../src/runs/pruning/deleted.ts";
import { record } from "../support/results.ts";

let training: ReturnType<typeof makeTraining>;
let trials = 0;
beforeEach(() => {
  trials++;
  training = makeTraining();
});
afterEach(() => training.remove());
afterAll(() => {
  record({
    kind: "fault",
    group: "hostile",
    fault: "Files and folders that are replaced, by others or by links, between a look and their use",
    trials,
    lostProfiles: 0,
    duplicatedOutput: undefined,
    wrongLine: 0,
  });
});

describe("a source that is another than the one that was measured", () => {
  it("is not shown as the one that the figures belong to", async () => {
    const { run } = training;
    const text = readFileSync(join(run, "sources/train.py"), "utf8");
    const digest = createHash("sha256").update(text).digest("hex");
    for (const name of ["run.json", "lines.jsonl"]) {
      const described = readFileSync(join(run, name), "utf8");
      writeFileSync(join(run, name), described.replaceAll('"aa"', JSON.stringify(digest)));
    }
    const reader = openRunFolder(run);
    await reader.refresh();
    expect(await reader.source("train.py")).toBe(text);
    writeFileSync(join(run, "sources/train.py"), `# one line more\n${text}`);
    expect(await reader.source("train.py")).toBeUndefined();
    // The figures themselves stay.
    expect(reader.profile().files.find(({ path }) => path === "train.py")?.lines.length).toBeGreaterThan(5);
  });
});

describe("a link in the place of a folder of ours", () => {
  it("has nothing written, listed or removed behind it", async () => {
    const { project, run } = training;
    const elsewhere = join(project, "elsewhere");
    mkdirSync(join(elsewhere, "runs"), { recursive: true });
    mkdirSync(join(elsewhere, "deleted", "20200101-000000-precious-0000"), { recursive: true });
    renameSync(join(project, ".jetson-memprof"), join(project, "away"));
    symlinkSync(elsewhere, join(project, ".jetson-memprof"), "dir");
    await expect(ensureRunsFolder(project)).rejects.toMatchObject({ code: "runs-folder-linked" });
    expect(await listDeleted(project)).toEqual([]);
    await expect(deleteRun(run)).rejects.toMatchObject({ code: "runs-folder-linked" });
    expect(readdirSync(elsewhere).sort()).toEqual(["deleted", "runs"]);
    expect(readdirSync(join(elsewhere, "deleted"))).toEqual(["20200101-000000-precious-0000"]);
  });

  it("that is put there again and again while a run comes home never gets a byte of it", async () => {
    const { project } = training;
    const runs = join(project, "runs");
    const victim = join(project, "victim");
    mkdirSync(victim);
    writeFileSync(join(victim, "run.json"), "mine");
    const mirror = await createMirror(runs, "r", { target: "local", boardFolder: "/b/runs/r", simulated: false });
    const folder = join(runs, "r");
    // Each frame finds the folder, or the link, at another moment.
    let linked = false;
    const swap = (): void => {
      if (linked) {
        renameSync(folder, join(project, "link"));
        renameSync(join(project, "real"), folder);
      } else {
        renameSync(folder, join(project, "real"));
        symlinkSync(victim, folder, "dir");
      }
      linked = !linked;
    };
    async function* data(at: number): AsyncGenerator<Buffer> {
      if (at % 3 === 0) swap();
      yield Buffer.from("theirs");
      if (at % 3 === 1) swap();
    }
    let refused = 0;
    for (let at = 0; at < 60; at++) {
      const written =
        at % 2 === 0
          ? mirror.replace("run.json", 6, data(at))
          : mirror.append(`model.${at}.jsonl`, 0, data(at), () => {});
      await written.catch((error: { code?: string }) => {
        expect(error.code).toBe("cannot-write");
        refused++;
      });
    }
    await mirror.close();
    expect(refused).toBeGreaterThan(10);
    expect(readdirSync(victim)).toEqual(["run.json"]);
    expect(readFileSync(join(victim, "run.json"), "utf8")).toBe("mine");
  });
});
