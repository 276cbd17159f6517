// Whether a tag can be published: `node scripts/checkRelease.mjs v0.2.0`. Writes what is new to dist/release-notes.md.
import * as fs from "node:fs";
import * as path from "node:path";
import { faultsOfTag, releaseNotes, VERSIONED } from "./releasing.mjs";
import { root } from "./setup.mjs";

const EXIT_USAGE = 64;

const read = (file) => fs.readFileSync(path.join(root, file), "utf8");
const tag = process.argv[2];
if (tag === undefined) {
  console.error("Say which tag: node scripts/checkRelease.mjs v0.2.0");
  process.exit(EXIT_USAGE);
}
const manifest = JSON.parse(read("package.json"));
const changelog = read("CHANGELOG.md");
const versions = Object.fromEntries(Object.keys(VERSIONED).map((file) => [file, read(file)]));
const faults = faultsOfTag(tag, { manifest, changelog, versions });
if (faults.length > 0) {
  console.error(`${tag} cannot be published:\n${faults.map((fault) => `- ${fault}`).join("\n")}`);
  process.exit(1);
}
fs.mkdirSync(path.join(root, "dist"), { recursive: true });
fs.writeFileSync(path.join(root, "dist/release-notes.md"), `${releaseNotes(changelog, manifest.version)}\n`);
console.log(`${tag} can be published.`);
