// Builds for production and packs the extension: dist/jetson-memory-profiler-<version>.vsix, beside it its bill of
// materials, <the same>.cdx.json, and its digest, <the same>.vsix.sha256. The same sources, packages and compilers give
// the same bytes (docs/releasing.md).
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { createVSIX } from "@vscode/vsce";
import { bundlePrograms } from "./bundleProgram.mjs";
import { cached } from "./contentCache.mjs";
import { leanPython } from "./leanPython.mjs";
import { billOfMaterials, notices } from "./materials.mjs";
import { packedPage } from "./packedPages.mjs";
import { makeZip, zipEntries } from "./zip.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Seconds since 1970 that all files in the package get: no commit's time, as a source archive has no commits. */
const TIME = Number(process.env.SOURCE_DATE_EPOCH || Date.UTC(1980, 0, 1) / 1000);

function runScript(name, ...args) {
  const result = spawnSync(process.execPath, [path.join(root, "scripts", name), ...args], { stdio: "inherit" });
  if (result.status !== 0) throw new Error(`scripts/${name} failed (${result.status ?? result.signal}).`);
}

/** The helper in one file, lean, as it travels to a board; brotli makes it a fifth smaller than a zip archive's deflate. */
async function packHelper() {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "memprof-package-"));
  try {
    await bundlePrograms({ bundle: "src/remote/helper/bundle.ts" }, scratch);
    const { readHelperBundle } = createRequire(import.meta.url)(path.join(scratch, "bundle.cjs"));
    const { archive } = await readHelperBundle(path.join(root, "python-helper"), leanPython);
    const packed = await cached("brotli", [process.versions.brotli, archive], () => promisify(brotliCompress)(archive));
    fs.writeFileSync(path.join(root, "dist/helper.tar.br"), packed);
  } finally {
    fs.rmSync(scratch, { recursive: true });
  }
}

/** The files, and the folders with files, that .vscodeignore lets in. */
function allowedPlaces() {
  const lines = fs.readFileSync(path.join(root, ".vscodeignore"), "utf8").split("\n");
  const patterns = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  return new Set(patterns.map((pattern) => pattern.replace(/\/[^/]*\*.*$/, "")));
}

/**
 * What vsce packs, as it goes into our archive.
 * @param {{repository?: unknown}} manifest
 */
async function filesOfPackage({ repository }) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "memprof-vsce-"));
  try {
    const packagePath = path.join(scratch, "extension.vsix");
    // vsce compares every file below its folder with every pattern: a quarter of a minute in a checkout that was used.
    const cwd = path.join(scratch, "files");
    for (const place of [".vscodeignore", ...allowedPlaces()])
      fs.cpSync(path.join(root, place), path.join(cwd, place), { recursive: true });
    // Everything the programs need is in their bundles, so no node_modules are packed.
    await createVSIX({
      cwd,
      packagePath,
      dependencies: false,
      allowMissingRepository: true,
      // Where the repository is known, the links of README and CHANGELOG lead there.
      rewriteRelativeLinks: repository !== undefined,
    });
    const isPage = (name) => repository === undefined && /^extension\/(readme|changelog)\.md$/.test(name);
    const asPacked = (name, data) => {
      if (name === "extension/python-helper/bootstrap.py") return Buffer.from(leanPython(data.toString()));
      return isPage(name) ? Buffer.from(packedPage(data.toString())) : data;
    };
    return zipEntries(packagePath).map((entry) => ({
      name: entry.name,
      data: asPacked(entry.name, entry.read()),
      executable: entry.name === "extension/dist/cli.cjs",
    }));
  } finally {
    fs.rmSync(scratch, { recursive: true });
  }
}

/**
 * @returns {Promise<string>} the packed extension's path
 * @throws {Error} when the build or the packing fails
 */
export async function packageExtension() {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const vsix = path.join(root, "dist", `${manifest.name}-${manifest.version}.vsix`);
  runScript("build-accel.mjs");
  runScript("build.mjs", "--production");
  await packHelper();
  fs.writeFileSync(path.join(root, "dist/NOTICES.txt"), notices());
  fs.writeFileSync(vsix.replace(/vsix$/, "cdx.json"), `${JSON.stringify(billOfMaterials(), undefined, 2)}\n`);
  const archive = await makeZip(await filesOfPackage(manifest), TIME);
  fs.writeFileSync(vsix, archive);
  fs.writeFileSync(`${vsix}.sha256`, `${sha256(archive)}  ${path.basename(vsix)}\n`);
  return vsix;
}

function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const vsix = await packageExtension();
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  for (const { name, packed } of zipEntries(vsix)) console.log(`${kib(packed).padStart(12)}  ${name}`);
  console.log(`${path.relative(process.cwd(), vsix)}: ${fs.statSync(vsix).size.toLocaleString("en")} bytes`);
  console.log(`SHA-256 ${sha256(fs.readFileSync(vsix))}`);
}
