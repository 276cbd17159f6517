import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { leanPython } from "../../../scripts/leanPython.mjs";
import { relativeTargets } from "../../../scripts/packedPages.mjs";
import { zipEntries } from "../../../scripts/zip.mjs";
import { readHelperBundle } from "../../../src/remote/helper/bundle.ts";
import { inFull } from "../../support/inFull.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const HELPER = path.join(ROOT, "python-helper");

const run = promisify(execFile);
const sha256 = (data: Buffer): string => createHash("sha256").update(data).digest("hex");

const REQUIRED = [
  "package.json",
  "package.nls.json",
  "package.nls.zh-cn.json",
  "readme.md",
  "changelog.md",
  "LICENSE.txt",
  "dist/extension.cjs",
  "dist/onBoard.cjs",
  "dist/remote.cjs",
  "dist/languageClient.cjs",
  "dist/flameView.cjs",
  "dist/memoryViews.cjs",
  "dist/endingAndDoctor.cjs",
  "dist/snapshotView.cjs",
  "dist/exportRun.cjs",
  "dist/modelPanel.cjs",
  "dist/sweepViews.cjs",
  "dist/runHistory.cjs",
  "dist/compareViews.cjs",
  "dist/openCell.cjs",
  "dist/importReports.cjs",
  "dist/server.cjs",
  "dist/cli.cjs",
  "dist/helper.tar.br",
  "dist/NOTICES.txt",
  "dist/zh-cn.json.br",
  "dist/pages.css",
  "dist/timeline.js",
  "dist/timeline.css",
  "dist/massif.js",
  "dist/massif.css",
  "dist/memory.js",
  "dist/memory.css",
  "dist/ending.js",
  "dist/doctor.js",
  "dist/snapshot.js",
  "dist/model.js",
  "dist/model.css",
  "dist/sweep.js",
  "dist/sweep.css",
  "dist/compare.js",
  "dist/compare.css",
  "media/icon.png",
  "media/activity.svg",
  "media/massif-line-light.svg",
  "media/massif-line-dark.svg",
  "python-helper/bootstrap.py",
  "examples/sample/train.py",
  "examples/sample/README.md",
];

const ALLOWED = [
  /^(package(\.nls(\.zh-cn)?)?\.json|readme\.md|changelog\.md|LICENSE\.txt)$/,
  /^dist\/([a-zA-Z]+\.(cjs|js|css)|zh-cn\.json\.br|chunks\/([0-9A-Z]{8}\.(cjs|js)|modules\.cjs)|helper\.tar\.br|NOTICES\.txt)$/,
  /^media\/(icon\.png|activity\.svg|massif-line-(light|dark)\.svg|walkthrough\/(zh-cn\/)?[a-z-]+\.svg)$/,
  /^examples\/sample\/(train\.py|README\.md)$/,
  /^python-helper\/bootstrap\.py$/,
];

test("the packed extension holds what it needs and nothing else", () => {
  const names = zipEntries(inject("vsix"))
    .map(({ name }) => name)
    .filter((name) => name.startsWith("extension/"))
    .map((name) => name.slice("extension/".length));
  expect(REQUIRED.filter((name) => !names.includes(name))).toEqual([]);
  expect(names.filter((name) => !ALLOWED.some((pattern) => pattern.test(name)))).toEqual([]);
});

test("it stays small", () => {
  expect(fs.statSync(inject("vsix")).size).toBeLessThanOrEqual(1_200_000);
});

test("README and CHANGELOG lead to nothing that is not in the package", () => {
  const entries = zipEntries(inject("vsix"));
  for (const name of ["extension/readme.md", "extension/changelog.md"]) {
    const text =
      entries
        .find((entry) => entry.name === name)
        ?.read()
        .toString() ?? "";
    expect(text).toContain("Jetson");
    expect(relativeTargets(text)).toEqual([]);
  }
});

test("its digest stands beside it, in the form that sha256sum checks", () => {
  const folder = path.dirname(inject("vsix"));
  const output = execFileSync("sha256sum", ["-c", `${path.basename(inject("vsix"))}.sha256`], { cwd: folder });
  expect(output.toString()).toMatch(/: OK\n$/);
});

test.runIf(inFull)(
  "the same sources make the same bytes in another folder, with other rights, times, time zone and language",
  async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "memprof again "));
    try {
      const sources = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
      const files = execFileSync("git", sources, { cwd: ROOT, encoding: "utf8" }).split("\0").filter(Boolean);
      for (const file of files.filter((one) => fs.existsSync(path.join(ROOT, one)))) {
        fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true, mode: 0o700 });
        fs.copyFileSync(path.join(ROOT, file), path.join(folder, file));
      }
      // Links to the same files where the disk is the same: bundlers follow a link to a folder to its own place.
      const packages = ["node_modules", `${folder}/`];
      await run("cp", ["-al", ...packages], { cwd: ROOT }).catch(() => run("cp", ["-a", ...packages], { cwd: ROOT }));
      // What is compressed there was made from the same contents, by their digest, or is made there.
      fs.symlinkSync(path.join(ROOT, ".cache"), path.join(folder, ".cache"));
      await run("sh", ["-c", 'umask 077; exec "$0" scripts/package.mjs', process.execPath], {
        cwd: folder,
        env: { ...process.env, TZ: "Asia/Kolkata", LC_ALL: "tr_TR.UTF-8" },
      });
      const again = path.join(folder, "dist", path.basename(inject("vsix")));
      const digests = (vsix: string) => zipEntries(vsix).map((entry) => `${sha256(entry.read())}  ${entry.name}`);
      expect(digests(again)).toEqual(digests(inject("vsix")));
      expect(sha256(fs.readFileSync(again))).toBe(sha256(fs.readFileSync(inject("vsix"))));
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
);

test("its helper is that of the repository, lean, with no file left out", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "memprof-unpacked-"));
  try {
    execFileSync("python3", ["-m", "zipfile", "-e", inject("vsix"), folder]);
    const [packed, ours] = [
      await readHelperBundle(path.join(folder, "extension/python-helper")),
      await readHelperBundle(HELPER, leanPython),
    ];
    expect(packed.digest).toBe(ours.digest);
    expect(packed.bootstrap).toBe(ours.bootstrap);
    expect(packed.archive.equals(ours.archive)).toBe(true);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test("what VS Code loads at the start is small; SSH and the language client wait for their first use", () => {
  // Loading time follows the size: 61 KiB take about 20 ms, the whole in one bundle took 85 ms.
  const start = zipEntries(inject("vsix")).find(({ name }) => name === "extension/dist/extension.cjs");
  expect(start?.size).toBeLessThan(100 * 1024);
});
