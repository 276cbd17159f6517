// Runs the aarch64 accelerator, heap sampler and massif's machine code in Debian's own aarch64 Python under qemu-user. Nothing foreign is installed: the
// packages are unpacked into .cache/aarch64.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { root, run, SKIPPED } from "./setup.mjs";

const cache = path.join(root, ".cache/aarch64");
const wrapper = path.join(cache, "python3");
const packages = [
  ...["python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib"],
  ...["libc6", "libexpat1", "zlib1g", "libssl3", "libffi8", "libgcc-s1", "libbz2-1.0", "liblzma5"],
];

function unpackPython() {
  for (const folder of ["lists/partial", "archives/partial", "debs", "root"]) {
    fs.mkdirSync(path.join(cache, folder), { recursive: true });
  }
  // apt's own way to look at another architecture without adding it to this machine.
  const options = [
    "APT::Architecture=arm64",
    "APT::Architectures::=arm64",
    `Dir::State::lists=${cache}/lists`,
    `Dir::Cache=${cache}`,
    "Dir::State::status=/dev/null",
    "APT::Sandbox::User=root",
  ].flatMap((option) => ["-o", option]);
  const quiet = { cwd: path.join(cache, "debs"), stdio: ["ignore", "ignore", "inherit"] };
  run("apt-get", [...options, "update", "-q"], quiet);
  run("apt-get", [...options, "download", "-q", ...packages], quiet);
  for (const deb of fs.readdirSync(quiet.cwd)) run("dpkg-deb", ["-x", deb, path.join(cache, "root")], quiet);
  const program = `qemu-aarch64-static -L "${cache}/root" "${cache}/root/usr/bin/python3.11"`;
  fs.writeFileSync(wrapper, `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
}

try {
  if (!fs.existsSync(wrapper)) unpackPython();
} catch (error) {
  console.error(`No aarch64 Python could be had from this machine's Debian packages: ${error.message}`);
  process.exit(SKIPPED);
}
const result = spawnSync(
  "python3",
  ["-B", "-m", "unittest", "-v", ...["engine", "massif", "heap"].map((part) => `tests/test_${part}_aarch64.py`)],
  {
    cwd: path.join(root, "python-helper"),
    stdio: "inherit",
    env: { ...process.env, JETSON_MEMPROF_AARCH64_PYTHON: wrapper, PYTHONPATH: path.join(root, "python-helper/tests") },
  },
);
process.exitCode = result.status ?? 1;
