import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { runFiles, runJson, writeFiles } from "../../../src/profile/testing.ts";
import { useProgram } from "./program.ts";

const scene = useProgram();
const { run, script } = scene;

/** What the CI that runs these tests says of itself is not the command's business here. */
beforeEach(() => {
  for (const name of ["GITHUB_ACTIONS", "GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY", "CI_PROJECT_DIR"])
    vi.stubEnv(name, "");
  return () => vi.unstubAllEnvs();
});

const GROW = "kept = []\nfor _ in range(4):\n    kept.append(bytearray(SIZE << 20))\n";

/** A parser of XML, which Node does not bring. */
const XML_TAGS =
  "import sys, xml.dom.minidom as m; print(*(e.tagName for e in m.parse(sys.argv[1]).getElementsByTagName('*')))";

/** Profiles, and gives the run's folder. */
async function profiled(size: number, around = ""): Promise<string> {
  script("grow.py", `${around}${GROW.replace("SIZE", String(size))}`);
  const { status, stdout } = await run("profile", "grow.py", "--target", "local");
  expect(status).toBe(0);
  return /^Run folder: (.+)$/m.exec(stdout)?.[1] ?? "";
}

/** A stored run, made without running anything. */
function stored(name: string, changes: Record<string, string> = {}): string {
  const folder = path.join(scene.project, ".jetson-memprof", "runs", name);
  writeFiles(folder, runFiles(changes));
  return folder;
}

describe("check of real runs", () => {
  it("is kept by equal runs, and broken by a line that took more, found again below lines typed above it", async () => {
    const first = await profiled(4);
    expect(await run("check", "--max-peak", "1GiB", "--max-line", "20MiB")).toMatchObject({ status: 0, stderr: "" });

    // As a CI job gets it: a folder from elsewhere.
    const artifact = path.join(scene.home, "artifact");
    fs.cpSync(first, artifact, { recursive: true });
    await profiled(24, "# typed\n# above\n");
    const grown = await run(
      "check",
      "--baseline",
      artifact,
      "--max-line-growth",
      "50MiB",
      "--max-peak-growth",
      "50MiB",
    );
    expect(grown).toMatchObject({ status: 1, stderr: "" });
    expect(grown.stdout).toMatch(/BROKEN {2}Growth of: Peak RSS, at most 50\.0 MiB +It grew by (79|80)\.\d MiB/);
    expect(grown.stdout).toMatch(
      / {4}grow\.py:5 {2}This line's RSS, kept with what it called, grew by (79|80)\.\d MiB/,
    );
    expect(grown.stdout).not.toContain("grow.py:3 ");
    const kept = await run("check", "last", "--baseline", artifact, "--max-line-growth", "200MiB");
    expect(kept.status).toBe(0);
  });

  it("takes a baseline by a link, though it is one of several repeats", async () => {
    const group = JSON.stringify({ schema: 1, kind: "repeat", id: "20261120-000000-train-aaaa", index: 1, of: 3 });
    const folder = stored("20261120-094501-train-aaaa", { "group.json": group });
    stored("20261121-094501-train-3fa9");
    fs.symlinkSync(folder, path.join(scene.home, "baseline"));
    const { status, stderr } = await run("check", "--baseline", "../baseline", "--max-peak-growth", "1MiB");
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  it("fails by how the script ended, whatever it took", async () => {
    script("fail.py", "import sys\nsys.exit(3)\n");
    await run("profile", "fail.py", "--target", "local");
    const { status, stdout } = await run("check", "--max-peak", "100GiB");
    expect(status).toBe(1);
    expect(stdout).toContain("The script ended with exit status 3.");
  });
});

describe("reports", () => {
  it("are written where they are asked for, with files named from the repository's root", async () => {
    stored("20261121-094501-train-3fa9");
    fs.mkdirSync(path.join(scene.home, ".git"));
    const { status, stdout } = await run(
      ...["check", "--max-line", "60MiB", "--json", "--junit", "out/junit.xml", "--sarif", "out/check.sarif"],
      ...["--code-quality", "out/quality.json"],
    );
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ schema: 1, verdict: "broken" });
    const read = (name: string) => fs.readFileSync(path.join(scene.project, "out", name), "utf8");
    expect(JSON.parse(read("quality.json"))).toMatchObject([
      { location: { path: "my project/model.py", lines: { begin: 2 } } },
    ]);
    expect(JSON.parse(read("check.sarif"))).toMatchObject({ version: "2.1.0" });
    const tags = childProcess.execFileSync("python3", ["-c", XML_TAGS, path.join(scene.project, "out/junit.xml")]);
    expect(tags.toString()).toBe("testsuites testsuite testcase testcase failure\n");
  });

  it("go to GitHub's log and summary where its Actions run the command", async () => {
    stored("20261121-094501-train-3fa9");
    const summary = path.join(scene.home, "summary.md");
    fs.writeFileSync(summary, "before\n");
    vi.stubEnv("GITHUB_ACTIONS", "true");
    vi.stubEnv("GITHUB_STEP_SUMMARY", summary);
    const { stderr, stdout } = await run("check", "--max-line", "60MiB");
    expect(stderr).toMatch(
      /^::error file=model\.py,line=2,title=RSS of a line alone%2C at most 60\.0 MiB::This line alone/,
    );
    expect(stdout).not.toContain("::error");
    expect(fs.readFileSync(summary, "utf8")).toMatch(/^before\n### Memory check: 1 of 2 checks failed/);
    expect((await run("check", "--max-line", "60MiB", "--annotations", "none")).stderr).toBe("");
  });

  it("that cannot be written are told after the result", async () => {
    stored("20261121-094501-train-3fa9");
    script("taken", "");
    const { status, stdout, stderr } = await run("check", "--max-peak", "1GiB", "--junit", "taken/junit.xml");
    expect(status).toBe(70);
    expect(stdout).toContain("All 2 checks are kept.");
    expect(stderr).toContain("The report taken/junit.xml could not be written");
  });
});

describe("what cannot be judged", () => {
  it.each([
    ["a run that still goes on", { "run.json": JSON.stringify(runJson({ state: "running", exit: null })) }],
    ["a run without samples", { "samples.jsonl": "" }],
    ["a run that was lost", { "run.json": JSON.stringify(runJson({ exit: { kind: "lost" } })) }],
  ])("%s is no pass: exit status 2", async (_, changes) => {
    stored("20261121-094501-train-3fa9", changes);
    const { status, stdout } = await run("check", "--max-peak", "100GiB");
    expect(stdout).toContain("UNKNOWN");
    expect(status).toBe(2);
  });

  it.each([
    ["no run at all", ["check", "--max-peak", "1GiB"], "There are no runs", 70],
    ["a run that is not there", ["check", "nope", "--max-peak", "1GiB"], "There are no runs|There is no run", 70],
    ["no limit", ["check"], "Give a limit to check", 64],
    ["a limit without a unit", ["check", "--max-peak", "500"], "--max-peak: 500 has no unit", 64],
    ["growth without a baseline", ["check", "--max-peak-growth", "1MiB"], "give --baseline RUN", 64],
    ["a baseline without growth", ["check", "--max-peak", "1MiB", "--baseline", "x"], "--baseline is for growth", 64],
    ["two runs", ["check", "a", "b", "--max-peak", "1MiB"], "One run at a time", 64],
    ["an option mistyped", ["check", "--max-peek", "1MiB"], "Unknown option '--max-peek'", 64],
    [
      "annotations that do not exist",
      ["check", "--max-peak", "1MiB", "--annotations", "gitlab"],
      "--annotations is auto or",
      64,
    ],
    ["a report without a name", ["check", "--max-peak", "1MiB", "--junit="], "--junit needs the name", 64],
  ])("%s", async (_, args, message, status) => {
    const result = await run(...args);
    expect(result.stderr).toMatch(new RegExp(message));
    expect(result).toMatchObject({ status, stdout: "" });
  });

  it("a baseline that is the run itself, or that cannot be read", async () => {
    stored("20261121-094501-train-3fa9");
    const same = await run("check", "last", "--baseline", "2026", "--max-peak-growth", "1MiB");
    expect(same).toMatchObject({ status: 64, stderr: expect.stringContaining("The baseline is the run itself") });
    stored("20261120-094501-train-aaaa", { "run.json": JSON.stringify({ ...runJson(), schema: 99 }) });
    const newer = await run("check", "last", "--baseline", "20261120", "--max-peak-growth", "1MiB");
    expect(newer.status).toBe(70);
  });
});
