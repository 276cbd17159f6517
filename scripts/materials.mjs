// What is in a release: a bill of materials (CycloneDX) of the packages that are bundled, and their licences' texts.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { root } from "./setup.mjs";

/**
 * The packages of which something is in a bundle, by their places below the root, as the last build found them.
 * @returns {string[]}
 */
export function bundledPackages() {
  return JSON.parse(fs.readFileSync(path.join(root, "dist/packages.json"), "utf8"));
}

/**
 * As `npm sbom` makes it, less what is not bundled, and the same for the same packages: no time, no random number, no
 * version of npm.
 * @returns {object} CycloneDX
 * @throws {Error} when npm cannot make it or lacks a package
 */
export function billOfMaterials() {
  const made = spawnSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    shell: process.platform === "win32",
  });
  if (made.status !== 0) throw new Error(`npm sbom failed: ${made.stderr || made.error}`);
  const all = JSON.parse(made.stdout);
  const lock = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const wanted = new Set(
    bundledPackages().map((place) => `${place.split("node_modules/").at(-1)}@${lock.packages[place].version}`),
  );
  const own = all.metadata.component["bom-ref"];
  const components = all.components
    .filter((one) => wanted.has(one["bom-ref"]))
    .map(({ properties, externalReferences, ...one }) => one)
    .sort((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1));
  const missing = [...wanted].filter((name) => !components.some((one) => one["bom-ref"] === name));
  if (missing.length > 0) throw new Error(`npm sbom does not name ${missing.join(", ")}.`);
  const dependencies = all.dependencies
    .filter(({ ref }) => ref === own || wanted.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => wanted.has(name)).sort() }))
    .sort((a, b) => (a.ref < b.ref ? -1 : 1));
  const { name, version } = lock;
  const { properties, externalReferences, ...component } = all.metadata.component;
  const bill = {
    $schema: all.$schema,
    bomFormat: all.bomFormat,
    specVersion: all.specVersion,
    serialNumber: "",
    version: 1,
    metadata: { lifecycles: [{ phase: "build" }], component: { ...component, name, version } },
    components,
    dependencies,
  };
  return { ...bill, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(bill))}` };
}

/** A name-based UUID (RFC 9562, version 8) of a text. */
function uuidOf(text) {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x80;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Licences' texts that their packages lack, by the packages' names; each begins with where it was found. */
const KEPT = path.join(root, "scripts/licences");

/**
 * The text of a package's licence, and the notices that it passes on of others.
 * @param {string} folder of the package
 * @param {string} kept folder of the texts that packages lack
 * @returns {string}
 * @throws {Error} when the text is nowhere, or kept without its source
 */
export function licenceText(folder, kept = KEPT) {
  const { name, version } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  const own = fs
    .readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|third-?party-?notices)/i.test(file))
    .sort();
  if (own.some((file) => /^licen[cs]e/i.test(file)))
    return own.map((file) => fs.readFileSync(path.join(folder, file), "utf8").trim()).join("\n\n");
  const file = path.join(kept, `${name}.txt`);
  if (!fs.existsSync(file))
    throw new Error(
      `${name} ${version} comes without the text of its licence. Put it into ${path.relative(root, file)}, after a ` +
        'first line that begins with "Source: " and says where it is from.',
    );
  const text = fs.readFileSync(file, "utf8").trim();
  if (!/^Source: https:\/\/\S+\n/.test(text)) throw new Error(`${file} does not begin with "Source: " and an address.`);
  return text;
}

/**
 * The licences of what is bundled, each text once with the packages that it is for.
 * @returns {string}
 * @throws {Error} when the text of a package's licence is nowhere
 */
export function notices() {
  const byText = new Map();
  for (const place of bundledPackages()) {
    const folder = path.join(root, place);
    const { name, version } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
    const text = licenceText(folder);
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join(", ")}\n\n${text}\n`);
  return `This extension contains the following packages, each under its own licence.\n\n${parts.join(`\n${"-".repeat(78)}\n\n`)}`;
}
