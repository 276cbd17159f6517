import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { faultsBefore, faultsOfTag, type Manifest, releasedChangelog, releaseNotes, VERSIONED } from "./releasing.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CHANGELOG = `# Changelog

## [Unreleased]
### Added
- A new page.

## [0.1.0] - 2026-01-02
### Added
- The first of it.
`;
const MANIFEST: Manifest = {
  version: "0.1.0",
  repository: { url: "https://github.com/someone/profiler.git" },
  bugs: "https://github.com/someone/profiler/issues",
};
const READY = { manifest: MANIFEST, changelog: CHANGELOG, changed: [], tags: ["v0.1.0"] };

describe("the changelog of a release", () => {
  const released = releasedChangelog(CHANGELOG, "0.2.0", "2026-03-04");

  it("has what was unreleased under the version and the day, and room for what comes next", () => {
    expect(released).toContain("## [Unreleased]\n\n## [0.2.0] - 2026-03-04\n### Added\n- A new page.\n\n## [0.1.0]");
  });

  it("gives the notes of each version", () => {
    expect(releaseNotes(released, "0.2.0")).toBe("### Added\n- A new page.");
    expect(releaseNotes(released, "0.1.0")).toBe("### Added\n- The first of it.");
    expect(releaseNotes(released, "0.3.0")).toBeUndefined();
  });
});

describe("what keeps a version from being released", () => {
  it("is nothing where all is ready, also for the version that is not released yet", () => {
    expect(faultsBefore("0.2.0", READY)).toEqual([]);
    const first = CHANGELOG.slice(0, CHANGELOG.indexOf("## [0.1.0]"));
    expect(faultsBefore("0.1.0", { ...READY, changelog: first, tags: [] })).toEqual([]);
  });

  it.each([
    ["a word", "next", /no version such as 0\.2\.0/],
    ["an earlier version", "0.0.9", /0\.0\.9 is before 0\.1\.0/],
    ["a version of the changelog", "0.1.0", /has a section for 0\.1\.0/],
  ])("is %s", (_what, version, fault) => {
    expect(faultsBefore(version, READY).join("\n")).toMatch(fault);
  });

  it("is a tag, a changed file or an empty changelog", () => {
    expect(faultsBefore("0.2.0", { ...READY, tags: ["v0.2.0"] })).toEqual(["There is a tag v0.2.0 already."]);
    expect(faultsBefore("0.2.0", { ...READY, changed: ["README.md"] })).toEqual([
      "These files are changed and not committed: README.md. Commit them, or put them aside.",
    ]);
    const empty = releasedChangelog(CHANGELOG, "0.1.9", "2026-02-03");
    expect(faultsBefore("0.2.0", { ...READY, changelog: empty }).join()).toMatch(/nothing under ## \[Unreleased\]/);
  });

  it("is what the owner has not filled in, each with what to write", () => {
    const faults = faultsBefore("0.2.0", { ...READY, manifest: { version: "0.1.0", private: true } });
    expect(faults).toHaveLength(3);
    expect(faults[0]).toMatch(/"private": true/);
    expect(faults[1]).toMatch(/"repository": \{ "type": "git"/);
    expect(faults[2]).toMatch(/"bugs"/);
  });
});

describe("what keeps a tag from being published", () => {
  const versions = { "README.md": "npm run package makes jetson-memory-profiler-0.1.0.vsix" };

  it("is nothing where tag, manifest, changelog and all files say one version", () => {
    expect(faultsOfTag("v0.1.0", { manifest: MANIFEST, changelog: CHANGELOG, versions })).toEqual([]);
  });

  it("is another version in any of them", () => {
    const manifest = { ...MANIFEST, version: "0.2.0" };
    expect(faultsOfTag("v0.1.0", { manifest, changelog: CHANGELOG, versions })).toEqual([
      "The tag is v0.1.0, but package.json says 0.2.0.",
      "README.md names another version.",
      "CHANGELOG.md has no section with a date for 0.2.0.",
    ]);
  });
});

describe("this project's own files", () => {
  it("all say the version of package.json", () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { readonly version: string };
    for (const [file, withVersion] of Object.entries(VERSIONED)) {
      const text = readFileSync(join(ROOT, file), "utf8");
      expect(withVersion(text, version), file).toBe(text);
      expect(withVersion(text, "77.7.7"), file).toContain("77.7.7");
    }
  });
});

describe("npm run release", () => {
  let folder: string;
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  const release = (...args: string[]) =>
    spawnSync(process.execPath, ["scripts/release.mjs", ...args], { cwd: folder, encoding: "utf8" });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "jmp-release-"));
    for (const file of [
      ...Object.keys(VERSIONED),
      "scripts/release.mjs",
      "scripts/releasing.mjs",
      "scripts/setup.mjs",
      "scripts/chromium.mjs",
      "scripts/npm.mjs",
    ]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(ROOT, file), join(folder, file));
    }
    const { private: _, ...manifest } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...manifest, ...MANIFEST }, undefined, 2)}\n`);
    writeFileSync(join(folder, "CHANGELOG.md"), CHANGELOG);
    git("init", "--quiet");
    git("config", "user.name", "Someone");
    git("config", "user.email", "someone@example.org");
    git("add", ".");
    git("commit", "--quiet", "--message", "First");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("only says what it would do in a dry run", () => {
    const { status, stdout } = release("0.2.0", "--dry-run");
    expect(stdout).toMatch(/would change CHANGELOG\.md, package\.json, package-lock\.json, .*tag that as v0\.2\.0/);
    expect(status).toBe(0);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("tag")).toBe("");
  });

  it("writes the version into every file, commits and tags", () => {
    expect(release("0.2.0").stdout).toMatch(/Nothing was pushed/);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("log", "--format=%s", "v0.2.0")).toBe("Version 0.2.0\nFirst\n");
    for (const file of Object.keys(VERSIONED)) expect(readFileSync(join(folder, file), "utf8")).toContain("0.2.0");
    expect(readFileSync(join(folder, "CHANGELOG.md"), "utf8")).toMatch(/^## \[0\.2\.0\] - \d{4}-\d\d-\d\d$/m);
  });

  it("changes nothing where something is in the way, and says what", () => {
    writeFileSync(join(folder, "notes.txt"), "mine");
    const { status, stderr } = release("0.2.0");
    expect(status).toBe(1);
    expect(stderr).toContain("changed and not committed: notes.txt");
    expect(git("tag")).toBe("");
  });
});

describe("the publish workflow", () => {
  const workflow = readFileSync(join(ROOT, ".github/workflows/publish.yml"), "utf8");

  it("runs actions of a known commit only", () => {
    const used = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(3);
    expect(used.filter((action) => !/@[0-9a-f]{40}$/.test(action ?? ""))).toEqual([]);
  });

  it("runs scripts that are there", () => {
    const scripts = [...workflow.matchAll(/node (scripts\/\S+\.mjs)/g)].map(([, script]) => script ?? "");
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((script) => !existsSync(join(ROOT, script)))).toEqual([]);
  });

  it("may write nothing unless a job says so", () => {
    expect(workflow).toMatch(/^permissions: \{\}$/m);
  });
});
