// What a release changes and asks for, as pure functions over the texts of the files; scripts/release.mjs and
// scripts/checkRelease.mjs read and write them.

const UNRELEASED = "## [Unreleased]";
const SECTION = /^## \[([^\]]+)\](.*)$/gm;

/** Each place that says the version: how its text becomes another version's. */
export const VERSIONED = {
  "package.json": (text, version) => text.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`),
  // The lock file says it for itself and for the package at the root.
  "package-lock.json": (text, version) => {
    const lock = JSON.parse(text);
    lock.version = version;
    lock.packages[""].version = version;
    return `${JSON.stringify(lock, undefined, 2)}\n`;
  },
  "python-helper/jetson_memprof/__init__.py": (text, version) =>
    text.replace(/^VERSION = "[^"]*"/m, `VERSION = "${version}"`),
  "README.md": (text, version) =>
    text.replaceAll(/jetson-memory-profiler-\d+\.\d+\.\d+\.vsix/g, `jetson-memory-profiler-${version}.vsix`),
};

function sections(changelog) {
  const heads = [...changelog.matchAll(SECTION)];
  return heads.map((head, i) => ({
    name: head[1],
    dated: /^ - \d{4}-\d\d-\d\d$/.test(head[2]),
    text: changelog.slice(head.index + head[0].length, heads[i + 1]?.index).trim(),
  }));
}

/** See releasing.d.mts. */
export function releasedChangelog(changelog, version, date) {
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${date}`);
}

/** See releasing.d.mts. */
export function releaseNotes(changelog, version) {
  return sections(changelog).find(({ name, dated }) => name === version && dated)?.text;
}

const parts = (version) => /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number);

function isBefore(version, other) {
  const [a, b] = [parts(version), parts(other)];
  const differs = a.findIndex((part, i) => part !== b[i]);
  return differs >= 0 && a[differs] < b[differs];
}

/** What the owner has to fill in once, before the first release. */
function unfilled({ private: isPrivate, repository, bugs }) {
  const missing = [];
  if (isPrivate) missing.push('package.json says "private": true. Remove that line once you mean to publish.');
  if (!/github\.com/.test(repository?.url ?? repository ?? ""))
    missing.push(
      'package.json names no "repository" on GitHub. The links and pictures of the README lead there, and the workflow ' +
        'publishes from there: "repository": { "type": "git", "url": "https://github.com/OWNER/NAME.git" }.',
    );
  if (!bugs) missing.push('package.json names no "bugs" address, where people tell what does not work.');
  return missing;
}

/** See releasing.d.mts. */
export function faultsBefore(version, { manifest, changelog, changed, tags }) {
  const faults = unfilled(manifest);
  const known = sections(changelog);
  if (!parts(version)) faults.push(`${version} is no version such as 0.2.0.`);
  else if (isBefore(version, manifest.version))
    faults.push(`${version} is before ${manifest.version}, the present one.`);
  if (known.some(({ name }) => name === version)) faults.push(`CHANGELOG.md has a section for ${version} already.`);
  if (tags.includes(`v${version}`)) faults.push(`There is a tag v${version} already.`);
  if (!known.find(({ name }) => name === "Unreleased")?.text)
    faults.push(`CHANGELOG.md says nothing under ${UNRELEASED}: what is new for those who use it?`);
  if (changed.length > 0)
    faults.push(`These files are changed and not committed: ${changed.join(", ")}. Commit them, or put them aside.`);
  return faults;
}

/** See releasing.d.mts. */
export function faultsOfTag(tag, { manifest, changelog, versions }) {
  const faults = unfilled(manifest);
  if (tag !== `v${manifest.version}`) faults.push(`The tag is ${tag}, but package.json says ${manifest.version}.`);
  for (const [file, text] of Object.entries(versions))
    if (VERSIONED[file](text, manifest.version) !== text) faults.push(`${file} names another version.`);
  if (!releaseNotes(changelog, manifest.version))
    faults.push(`CHANGELOG.md has no section with a date for ${manifest.version}.`);
  return faults;
}
