// Builds for production and packs the extension: dist/jetson-memory-profiler-<version>.vsix.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { createVSIX } from "@vscode/vsce";

const root = fileURLToPath(new URL("..", import.meta.url));

function runScript(name, ...args) {
  const result = spawnSync(process.execPath, [path.join(root, "scripts", name), ...args], { stdio: "inherit" });
  if (result.status !== 0) throw new Error(`scripts/${name} failed (${result.status ?? result.signal}).`);
}

/**
 * The files of a zip archive, from its table of contents.
 * @param {string} file
 * @returns {{name: string, size: number, packed: number}[]} sizes in bytes, before and after compression
 * @throws {Error} when the file is not a zip archive
 */
export function zipEntries(file) {
  const zip = fs.readFileSync(file);
  const end = zip.lastIndexOf("PK\x05\x06", zip.length, "latin1");
  if (end < 0) throw new Error(`${file} is not a zip archive.`);
  const entries = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = zip.readUInt16LE(at + 28);
    entries.push({
      name: zip.toString("utf8", at + 46, at + 46 + nameLength),
      size: zip.readUInt32LE(at + 24),
      packed: zip.readUInt32LE(at + 20),
    });
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

/**
 * @returns {Promise<string>} the packed extension's path
 * @throws {Error} when the build or the packing fails
 */
export async function packageExtension() {
  const { name, version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const vsix = path.join(root, "dist", `${name}-${version}.vsix`);
  runScript("build-accel.mjs");
  runScript("build.mjs", "--production");
  // Everything the programs need is in their bundles, so no node_modules are packed.
  await createVSIX({
    cwd: root,
    packagePath: vsix,
    dependencies: false,
    allowMissingRepository: true,
    // The README's pictures are packed with it.
    rewriteRelativeLinks: false,
  });
  return vsix;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const vsix = await packageExtension();
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  for (const { name, size } of zipEntries(vsix)) console.log(`${kib(size).padStart(12)}  ${name}`);
  console.log(`${path.relative(process.cwd(), vsix)}: ${kib(fs.statSync(vsix).size)}`);
}
