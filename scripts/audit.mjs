// `npm run audit`: known faults of the packages, by npm's registry. Fails on a finding; says so where it cannot be asked.
import { spawnSync } from "node:child_process";
import { root, SKIPPED } from "./setup.mjs";

const asked = spawnSync("npm", ["audit", "--json", "--audit-level=low", "--fetch-retries=0", "--fetch-timeout=20000"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 1 << 26,
  shell: process.platform === "win32",
});
const report = JSON.parse(asked.stdout || "{}");
const counts = report.metadata?.vulnerabilities;
if (counts === undefined) {
  const why = report.message ?? report.error?.summary ?? asked.stderr ?? asked.error?.message;
  console.error(`The registry could not be asked for known faults of the packages: ${String(why).trim()}`);
  process.exit(SKIPPED);
}
for (const [name, { severity, range, via }] of Object.entries(report.vulnerabilities ?? {})) {
  const titles = via.map((one) => (typeof one === "string" ? `through ${one}` : `${one.title} (${one.url})`));
  console.error(`${name} ${range}, ${severity}: ${titles.join("; ")}`);
}
console.log(`Known faults of ${report.metadata.dependencies?.total ?? "the"} packages: ${counts.total}.`);
process.exit(counts.total > 0 ? 1 : 0);
