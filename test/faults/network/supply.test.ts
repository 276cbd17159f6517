/** What comes from others: exactly what the lock file says, checked, and nothing run on the way. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { billOfMaterials, bundledPackages, notices } from "../../../scripts/materials.mjs";
import { readHelperBundle } from "../../../src/remote/helper/bundle.ts";
import { HELPER, REPOSITORY } from "../../support/scene.ts";

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const json = (file: string): unknown => JSON.parse(readFileSync(join(REPOSITORY, file), "utf8"));
const manifest = json("package.json") as Locked & { readonly overrides: Readonly<Record<string, string>> };
const lock = (json("package-lock.json") as { readonly packages: Readonly<Record<string, Locked>> }).packages;
const others = Object.entries(lock).filter(([place]) => place !== "");

/** All of them let everybody use, change and pass on, with no more than a notice. */
const LICENCES = ["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"];

describe("the packages of others", () => {
  it("are pinned exactly, in the manifest and in the lock file alike", () => {
    for (const list of ["dependencies", "devDependencies"] as const) {
      expect(lock[""]?.[list]).toEqual(manifest[list]);
      for (const [name, version] of Object.entries(manifest[list] ?? {})) {
        expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
        expect(lock[`node_modules/${name}`]?.version, name).toBe(version);
      }
    }
    for (const [name, version] of Object.entries(manifest.overrides)) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("are each known by a digest, and come from a registry only", () => {
    expect(others.length).toBeGreaterThan(100);
    expect(others.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""))).toEqual([]);
    expect(others.filter(([, { resolved }]) => resolved !== undefined && !resolved.startsWith("https://"))).toEqual([]);
  });

  it("run nothing when they are installed", () => {
    const scripts = readdirSync(join(REPOSITORY, "scripts")).filter((name) => name.endsWith(".mjs"));
    const started = scripts.flatMap((name) =>
      readFileSync(join(REPOSITORY, "scripts", name), "utf8")
        .split("\n")
        .filter((line) => /"npm(\.cmd)?", \[/.test(line)),
    );
    const installs = started.filter((line) => !/\["(audit|root|sbom)"/.test(line));
    expect(installs.length).toBeGreaterThan(0);
    expect(installs.filter((line) => !line.includes('"--ignore-scripts"'))).toEqual([]);
  });
});

describe("what is bundled", () => {
  const bill = billOfMaterials();

  it("is in the bill of materials, with versions and digests, and the bill is the same each time", () => {
    expect(bill.components.map((one) => one["bom-ref"])).toEqual(
      [
        ...new Set(bundledPackages().map((place) => `${place.split("node_modules/").at(-1)}@${lock[place]?.version}`)),
      ].sort(),
    );
    for (const { purl, hashes } of bill.components) {
      expect(purl).toMatch(/^pkg:npm\/.+@\d/);
      expect(hashes).toEqual([{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
    }
    expect(bill.metadata.component).toMatchObject({ name: "jetson-memory-profiler", version: manifest.version });
    expect(JSON.stringify(billOfMaterials())).toBe(JSON.stringify(bill));
    expect(JSON.stringify(bill)).not.toContain(REPOSITORY);
  });

  it("is what the manifest names and what that needs", () => {
    const direct = bundledPackages().filter((place) => manifest.dependencies?.[place.slice("node_modules/".length)]);
    expect(direct.map((place) => place.slice("node_modules/".length))).toEqual(
      Object.keys(manifest.dependencies ?? {}).sort(),
    );
  });

  it("is under licences that ask for no more than a notice, and the notices are shipped", () => {
    const unexpected = bill.components
      .map(({ name, licenses = [] }) => ({
        name,
        licence: licenses.map((one) => ("license" in one ? one.license.id : one.expression)).join(" and "),
      }))
      .filter(({ licence }) => !LICENCES.includes(licence));
    expect(unexpected).toEqual([]);
    const text = notices();
    for (const { name, version } of bill.components) expect(text).toContain(`${name} ${version}`);
    expect(text).toMatch(/Permission is hereby granted/);
  });
});

describe("the helper's archive", () => {
  it("is the same, byte for byte, from another place with other times and rights", async () => {
    const copy = mkdtempSync(join(tmpdir(), "jmp-helper-"));
    try {
      cpSync(HELPER, copy, { recursive: true });
      for (const name of readdirSync(copy)) {
        const file = join(copy, name);
        if (statSync(file).isFile()) utimesSync(file, 1, 1);
      }
      execFileSync("chmod", ["-R", "u=rwX,go=", copy]);
      const [one, other] = [await readHelperBundle(HELPER), await readHelperBundle(copy)];
      expect(other.digest).toBe(one.digest);
      expect(other.archive.equals(one.archive)).toBe(true);
      expect(other.bootstrap).toBe(one.bootstrap);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});
