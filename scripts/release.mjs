// `npm run release -- 0.2.0 [--dry-run]`: what is unreleased in the changelog becomes a version, with a commit and a tag.
// Pushes nothing; what then happens to the tag is in docs/releasing.md.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { parseArgs } from "node:util";
import { faultsBefore, releasedChangelog, VERSIONED } from "./releasing.mjs";
import { root } from "./setup.mjs";

const EXIT_USAGE = 64;

const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
const read = (file) => fs.readFileSync(path.join(root, file), "utf8");
const lines = (text) => text.split("\n").filter(Boolean);

const { values, positionals } = parseArgs({ allowPositionals: true, options: { "dry-run": { type: "boolean" } } });
const [version] = positionals;
if (version === undefined || positionals.length > 1) {
  console.error("Say which version: npm run release -- 0.2.0 [--dry-run]");
  process.exit(EXIT_USAGE);
}

const changelog = read("CHANGELOG.md");
const faults = faultsBefore(version, {
  manifest: JSON.parse(read("package.json")),
  changelog,
  changed: lines(git("status", "--porcelain")).map((line) => line.slice(3)),
  tags: lines(git("tag", "--list")),
});
const today = new Date().toISOString().slice(0, 10);
const texts = {
  "CHANGELOG.md": releasedChangelog(changelog, version, today),
  ...Object.fromEntries(
    Object.entries(VERSIONED).map(([file, withVersion]) => [file, withVersion(read(file), version)]),
  ),
};
const files = Object.keys(texts).filter((file) => texts[file] !== read(file));

if (faults.length > 0) {
  console.error(`${version} cannot be released yet:\n${faults.map((fault) => `- ${fault}`).join("\n")}`);
  process.exitCode = 1;
}
if (values["dry-run"]) {
  console.log(
    `\nThis would change ${files.join(", ")}, commit them as "Version ${version}" and tag that as v${version}.`,
  );
} else if (faults.length === 0) {
  for (const file of files) fs.writeFileSync(path.join(root, file), texts[file]);
  git("commit", "--quiet", "--message", `Version ${version}`, "--", ...files);
  git("tag", "--annotate", `v${version}`, "--message", `Version ${version}`);
  console.log(`Version ${version} is committed and tagged. Look at it with: git show v${version}`);
  console.log("Nothing was pushed. To publish it: git push --follow-tags");
}
