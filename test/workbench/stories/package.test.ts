import * as fs from "node:fs";
import { expect, inject, test } from "vitest";
import { zipEntries } from "../../../scripts/package.mjs";

const REQUIRED = [
  "package.json",
  "readme.md",
  "changelog.md",
  "LICENSE.txt",
  "dist/extension.cjs",
  "dist/remote.cjs",
  "dist/languageClient.cjs",
  "dist/flameView.cjs",
  "dist/memoryViews.cjs",
  "dist/endingAndDoctor.cjs",
  "dist/snapshotView.cjs",
  "dist/modelPanel.cjs",
  "dist/server.cjs",
  "dist/cli.cjs",
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
  "media/icon.png",
  "media/activity.svg",
  "media/massif-line-light.svg",
  "media/massif-line-dark.svg",
  "python-helper/board.py",
  "python-helper/bootstrap.py",
  "python-helper/boot/sitecustomize.py",
  "python-helper/jetson_memprof/__init__.py",
  "python-helper/accel/manifest.json",
];

const ALLOWED = [
  /^(package\.json|readme\.md|changelog\.md|LICENSE\.txt)$/,
  /^dist\/[a-zA-Z]+\.(cjs|js|css)$/,
  /^media\/(icon\.png|activity\.svg|massif-line-(light|dark)\.svg|walkthrough\/[a-z-]+\.(md|png|svg)|screenshots\/[a-z-]+\.png)$/,
  /^python-helper\/(board|bootstrap)\.py$/,
  /^python-helper\/(boot|jetson_memprof)\/([a-z_]+\/)*[a-z_]+\.py$/,
  /^python-helper\/accel\/(manifest\.json|linetrace-(x86_64|aarch64)\.so)$/,
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
  expect(fs.statSync(inject("vsix")).size).toBeLessThan(2 * 1024 * 1024);
});

test("what VS Code loads at the start is small; SSH and the language client wait for their first use", () => {
  // Loading time follows the size: 61 KiB take about 20 ms, the whole in one bundle took 85 ms.
  const start = zipEntries(inject("vsix")).find(({ name }) => name === "extension/dist/extension.cjs");
  expect(start?.size).toBeLessThan(100 * 1024);
});
