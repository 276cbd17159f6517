/** The user's ~/.ssh/config as lines, with its Include lines followed. */
import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

const MAX_DEPTH = 16;
const MAX_LINES = 100_000;

function userConfigFile(): string {
  return join(homedir(), ".ssh", "config");
}

/** Lines of the file and of what it includes, in order. A file that is missing or unreadable adds nothing. */
export async function readConfigLines(file: string = userConfigFile()): Promise<readonly string[]> {
  const lines: string[] = [];
  await collect(file, lines, 0);
  return lines;
}

async function collect(file: string, lines: string[], depth: number): Promise<void> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch {
    return;
  }
  for (const line of text.split(/\r?\n/)) {
    if (lines.length >= MAX_LINES) return;
    const include = directive(line);
    if (include?.name !== "include") {
      lines.push(line);
    } else if (depth < MAX_DEPTH) {
      for (const pattern of words(include.value)) {
        for (const found of await expand(pattern)) await collect(found, lines, depth + 1);
      }
    }
  }
}

/** `Name value` or `Name=value`; undefined for blank lines and comments. The name is in lower case. */
export function directive(line: string): { name: string; value: string } | undefined {
  const match = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line);
  return match === null ? undefined : { name: (match[1] ?? "").toLowerCase(), value: match[2] ?? "" };
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
    const matcher = new RegExp(
      `^${part
        .replace(/[.+^${}()|[\]\\]/g, "\\$&")
        .replaceAll("*", ".*")
        .replaceAll("?", ".")}$`,
    );
    const next: string[] = [];
    for (const base of found) {
      const names = await readdir(base).catch(() => []);
      next.push(...names.filter((name) => matcher.test(name) && !name.startsWith(".")).map((name) => join(base, name)));
    }
    found = next.sort();
  }
  return found;
}
