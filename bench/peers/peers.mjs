/** The peers' environments: where they are, what is in them, what is not. See README.md. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

/** What peers.json asks for, by name. */
export function environments() {
  return JSON.parse(readFileSync(join(here, "peers.json"), "utf8"));
}

/** The folder of an environment, whether it is there or not. */
export function environmentOf(name) {
  return join(here, ".env", name);
}

/** The file that says what is in an environment. It is there once the environment is complete. */
export function contentsFileOf(name) {
  return join(environmentOf(name), "peers.json");
}

/** A digest of what the environment is made from: with other versions it is made anew. */
export function wantedOf(name) {
  const wanted = environments()[name];
  const files = wanted.kind === "npm" ? [readFileSync(join(here, "node/package-lock.json"), "utf8")] : [];
  return createHash("sha256")
    .update(JSON.stringify([wanted, ...files]))
    .digest("hex");
}

/**
 * @typedef {{ readonly versions: Record<string, string>, readonly absent: Record<string, string> }} Made
 * @returns {Made | undefined} undefined where the environment is missing or made from other versions
 */
export function madeOf(name) {
  try {
    const made = JSON.parse(readFileSync(contentsFileOf(name), "utf8"));
    return made.wanted === wantedOf(name) ? made : undefined;
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Like madeOf, but an environment that is missing is made first. Where it cannot be made all its peers are absent; it
 * is tried again by the next program.
 * @returns {Made}
 */
function ensured(name) {
  const there = madeOf(name);
  if (there !== undefined) return there;
  const { stderr } = spawnSync(process.execPath, [join(here, "setup.mjs"), name], { encoding: "utf8" });
  const why = stderr.trim().split("\n").at(-1);
  return madeOf(name) ?? { versions: {}, absent: Object.fromEntries(peersOf(name).map((peer) => [peer, why])) };
}

function peersOf(name) {
  const { peers, packages } = environments()[name];
  return peers !== undefined ? Object.keys(peers) : (packages ?? [name]);
}

/** The interpreter of a Python environment, made first where it is missing. */
export function pythonOf(name) {
  ensured(name);
  return join(environmentOf(name), "bin/python");
}

/** What is installed, by the peers' names: `{ scalene: "2.4.0", … }`, with `python` itself where it is one. */
export function versionsOf(name) {
  return ensured(name).versions;
}

/** What could not be installed, and why: `{ memray: "No matching distribution found …" }`. */
export function absentOf(name) {
  return ensured(name).absent;
}
