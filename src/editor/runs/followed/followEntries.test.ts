import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type FollowedEntries, followEntries } from "./followEntries.ts";

const RUN = "20260101-000000-a-0000";
let project: string;
let runs: string;
let followed: FollowedEntries;
let calls: number;
beforeEach(() => {
  project = fs.mkdtempSync(path.join(os.tmpdir(), "follow-entries-"));
  runs = path.join(project, ".jetson-memprof/runs");
  calls = 0;
});
afterEach(() => {
  followed.dispose();
  fs.rmSync(project, { recursive: true, force: true });
});

async function follow(): Promise<void> {
  followed = followEntries(runs, () => calls++, 10);
  await followed.begun;
}

/** A run that is there at once, as a folder or as a file within one. */
function put(text: string): void {
  fs.mkdirSync(path.join(runs, RUN), { recursive: true });
  fs.writeFileSync(path.join(project, "new.json"), text);
  fs.renameSync(path.join(project, "new.json"), path.join(runs, RUN, "run.json"));
}

it("tells of runs in a folder that was not there, of what they become, and that they are gone", async () => {
  await follow();
  put("{}");
  await expect.poll(() => calls).toBeGreaterThan(0);
  const listed = calls;
  put('{"state":"finished"}');
  await expect.poll(() => calls).toBeGreaterThan(listed);
  const ended = calls;
  fs.rmSync(path.join(project, ".jetson-memprof"), { recursive: true });
  await expect.poll(() => calls).toBeGreaterThan(ended);
});

it("says nothing of what was there already, and nothing twice", async () => {
  put("{}");
  await follow();
  fs.renameSync(path.join(runs, RUN), path.join(runs, `${RUN}-renamed`));
  await expect.poll(() => calls).toBe(1);
});
