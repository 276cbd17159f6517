// Builds the helper's C libraries, the line accelerator and the heap sampler, for each board architecture and writes
// accel/manifest.json.
// A missing compiler is named and skipped; with CI=true it is an error.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "python-helper", "accel");
// The first of the sources is compiled, the others are what it includes. `list` is the library's key in the manifest.
const kinds = [
  {
    list: "libraries",
    name: "linetrace",
    sources: ["linetrace.c", "clock.h", "kept.h", "marks.h", "meter.h", "module.h", "passed.h", "sharing.h"],
    flags: ["-fvisibility=default"],
  },
  {
    list: "heap",
    name: "heap",
    sources: [
      "heap.c",
      "base.h",
      "chance.h",
      "gpu.h",
      "gpu_calls.h",
      "gpu_contexts.h",
      "gpu_entries.h",
      "gpu_find.h",
      "gpu_next.h",
      "gpu_record.h",
      "lines.h",
      "log.h",
      "loop.h",
      "mappings.h",
      "modules.h",
      "next.h",
      "samples.h",
      "table.h",
      "unwind.h",
    ].map((file) => `heap/${file}`),
    // It is malloc: what the compiler knows of that one does not hold for it. Small, but for the
    // names of malloc: it is packed for each architecture.
    flags: ["-Os", "-fvisibility=hidden", "-fno-builtin-malloc", "-fno-builtin-calloc", "-ftls-model=initial-exec"],
  },
];
const manifest = join(folder, "manifest.json");
const targets = [
  {
    machine: "x86_64",
    compilers: ["x86_64-linux-gnu-gcc", ...(process.arch === "x64" ? ["gcc", "cc"] : [])],
    package: "gcc",
    flags: [],
  },
  {
    machine: "aarch64",
    compilers: ["aarch64-linux-gnu-gcc", ...(process.arch === "arm64" ? ["gcc", "cc"] : [])],
    package: "gcc-aarch64-linux-gnu",
    flags: ["-mno-outline-atomics"],
  },
];
// No build path, build id or time may enter the file: the same source and compiler give the same bytes.
const flags = [
  "-std=gnu11",
  "-O2",
  "-Wall",
  "-Wextra",
  "-Werror",
  "-shared",
  "-fPIC",
  "-s",
  "-Wl,--build-id=none",
  "-Wl,-z,now",
];

/** Of several files: of their bytes one after the other. */
function sha256(...files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(folder, file)));
  return hash.digest("hex");
}

function compilerFor(target) {
  return target.compilers.find((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0);
}

/** The newest glibc that the library asks for, as [major, minor], or undefined where objdump is missing. */
function newestGlibc(path, compiler) {
  const objdump = compiler.replace(/(gcc|cc)$/, "objdump");
  const result = spawnSync(objdump, ["-T", path], { encoding: "utf8" });
  if (result.status !== 0) return undefined;
  const versions = [...result.stdout.matchAll(/GLIBC_(\d+)\.(\d+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
  return versions.sort((a, b) => a[0] - b[0] || a[1] - b[1]).at(-1);
}

function build(target, kind) {
  const compiler = compilerFor(target);
  if (compiler === undefined) {
    console.error(
      `build-accel: no compiler for ${target.machine}; install ${target.package} (apt install ${target.package}).`,
    );
    return undefined;
  }
  const { sources } = kind;
  const file = `${kind.name}-${target.machine}.so`;
  const path = join(folder, file);
  // Put in its place whole: a process that has the one before mapped keeps that.
  const made = `${path}.${process.pid}.new`;
  const result = spawnSync(compiler, [...flags, ...kind.flags, ...target.flags, "-o", made, sources[0]], {
    cwd: folder,
    stdio: "inherit",
  });
  if (result.status !== 0)
    throw new Error(`${compiler} could not build ${sources[0]} for ${target.machine} (status ${result.status})`);
  renameSync(made, path);
  const glibc = newestGlibc(path, compiler);
  if (glibc && (glibc[0] > 2 || glibc[1] > 27)) {
    throw new Error(
      `${file} needs glibc ${glibc.join(".")}; boards with Ubuntu 18.04 have 2.27. Avoid the newer symbol.`,
    );
  }
  console.log(`build-accel: ${file}${glibc ? `, needs glibc ${glibc.join(".")}` : ""}`);
  return { file, machine: target.machine, sha256: sha256(file), source_sha256: sha256(...sources) };
}

const built = Object.fromEntries(
  kinds.map((kind) => [kind.list, targets.map((target) => build(target, kind)).filter((entry) => entry !== undefined)]),
);
if (Object.values(built).some((list) => list.length < targets.length) && process.env.CI === "true") process.exit(1);
const text = `${JSON.stringify(built, null, 2)}\n`;
if (!existsSync(manifest) || readFileSync(manifest, "utf8") !== text) writeFileSync(manifest, text);
