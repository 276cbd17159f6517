import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeProject, runFiles, runJson } from "../../profile/testing.ts";
import { createSweeps } from "./sweeps.ts";

describe("sweeps of the server", () => {
  let remove = (): void => {};
  afterEach(() => remove());

  it("a run that goes on is read again, one that has ended is not", async () => {
    const running = runJson({ state: "running", exit: null, ended: null });
    const project = makeProject(runFiles({ "run.json": JSON.stringify(running) }));
    remove = project.remove;
    const sweeps = createSweeps();
    const outcome = async () => (await sweeps.run(project.run, { batch: "8" })).outcome;
    expect(await outcome()).toBe("running");
    fs.writeFileSync(path.join(project.run, "run.json"), JSON.stringify(runJson()));
    expect(await outcome()).toBe("fits");
    fs.rmSync(path.join(project.run, "run.json"));
    expect(await outcome()).toBe("fits");
  });
});
