/** The user's ~/.ssh/config as lines, with its Include lines followed. */
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { glob } from "../hostKeys/knownHosts.ts";
import { readPlain } from "./plainFile.ts";

const MAX_DEPTH = 16;
const MAX_LINES = 100_000;
/** Files that include each other would be read a number of times that doubles with each level. */
const MAX_FILES = 256;
/** Each is a look into folders, whether or not it finds a file. */
const MAX_PATTERNS = 1024;

function userConfigFile(): string {
  return join(homedir(), ".ssh", "config");
}

/** Lines of the file and of what it includes, in order. A file that is missing or unreadable adds nothing. */
export async function readConfigLines(file: string = userConfigFile()): Promise<readonly string[]> {
  const lines: string[] = [];
  await collect(file, { lines, looked: 0, patterns: 0, files: 0 }, 0);
  return lines;
}

interface Collected {
  readonly lines: string[];
  /** Lines of all files so far, those that include among them. */
  looked: number;
  patterns: number;
  files: number;
}

async function collect(file: string, collected: Collected, depth: number): Promise<void> {
  const { lines } = collected;
  if (collected.files >= MAX_FILES) return;
  collected.files++;
  let text: string;
  try {
    text = (await readPlain(file)).toString("utf8");
  } catch {
    return;
  }
  for (const line of text.split(/\r?\n/)) {
    if (collected.looked++ >= MAX_LINES) return;
    const include = directive(line);
    if (include?.name !== "include") {
      lines.push(line);
    } else if (depth < MAX_DEPTH) {
      await collectIncluded(words(include.value), collected, depth + 1);
    }
  }
}

async function collectIncluded(patterns: readonly string[], collected: Collected, depth: number): Promise<void> {
  for (const pattern of patterns) {
    if (collected.files >= MAX_FILES || collected.patterns++ >= MAX_PATTERNS) return;
    for (const found of await expand(pattern)) await collect(found, collected, depth);
  }
}

/** `Name value` or `Name=value`; undefined for blank lines and comments. The name is in lower case. */
export function directive(line: string): { name: string; value: string } | undefined {
  const match = /^([A-Za-z]+)([\s=].*)$/.exec(line.trimStart());
  if (match === null) return undefined;
  // One expression for all of it would take the third power of a line of blanks in time.
  const rest = (match[2] ?? "").trimStart();
  return { name: (match[1] ?? "").toLowerCase(), value: (rest.startsWith("=") ? rest.slice(1) : rest).trim() };
}

/** Words of a value; double quotes hold spaces together. */
export function words(value: string): readonly string[] {
  return [...value.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? "");
}

/** Include's glob: wildcards in any part of the path; relative names are below ~/.ssh. */
async function expand(pattern: string): Promise<readonly string[]> {
  const home = pattern.replace(/^~(?=\/|$)/, homedir());
  const absolute = isAbsolute(home) ? home : join(dirname(userConfigFile()), home);
  let found = [""];
  for (const part of absolute.split(/[\\/]/)) {
    if (!/[*?]/.test(part)) {
      found = found.map((base) => (base === "" && part === "" ? "/" : join(base, part)));
      continue;
    }
    const next: string[] = [];
    for (const base of found) {
      const names = await readdir(base).catch(() => []);
      next.push(...names.filter((name) => glob(part, name) && !name.startsWith(".")).map((name) => join(base, name)));
    }
    found = next.sort();
  }
  return found;
}
