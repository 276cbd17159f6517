/** Secrets that occur nowhere else, and the search for them. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

export type Planted = Readonly<Record<string, string>>;

export function plant<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, string>> {
  return Object.fromEntries(names.map((name) => [name, `${name}-${randomBytes(12).toString("hex")}`])) as Record<
    Name,
    string
  >;
}

/** Names of those that are in the text. */
export function within(text: string, planted: Planted): readonly string[] {
  return Object.entries(planted).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));
}

/** `name: file` for each that is in a file below the folders that changed `since`, whatever kind of file it is. */
export async function inFiles(
  folders: readonly string[],
  since: Date,
  planted: Planted,
  except: readonly string[] = [],
): Promise<readonly string[]> {
  const files = await find([...folders, "-xdev", "-type", "f", "-newermt", since.toISOString(), "-print0"]);
  return files
    .filter((file) => !except.includes(file))
    .flatMap((file) => within(read(file), planted).map((name) => `${name}: ${file}`));
}

async function find(args: readonly string[]): Promise<readonly string[]> {
  const names = ({ stdout }: { readonly stdout: string }): readonly string[] =>
    stdout.split("\0").filter((name) => name !== "");
  // It ends with an error where a folder went while it looked.
  return await promisify(execFile)("find", [...args], { maxBuffer: 1 << 26 }).then(names, names);
}

export interface ProcessWatch {
  /** Looks once, besides the looks it takes by itself. */
  look(): void;
  /** `name: cmdline of …` or `name: environ of …`, each once. */
  stop(): readonly string[];
}

/**
 * Looks at the command lines and environments of all processes of this machine, several times a second.
 * @param expected whether a secret may be where it was found
 */
export function watchProcesses(
  planted: Planted,
  expected: (name: string, where: "cmdline" | "environ", program: string) => boolean,
): ProcessWatch {
  const found = new Set<string>();
  const look = (): void => {
    for (const pid of readdirSync("/proc")) {
      if (!/^\d+$/.test(pid)) continue;
      // Looked up before too: one that ends, or becomes another program, meanwhile has the secret of what it was.
      const before = programOf(pid);
      for (const where of ["cmdline", "environ"] as const) {
        for (const name of within(read(`/proc/${pid}/${where}`), planted)) {
          const programs = [before, programOf(pid)];
          if (programs.some((program) => expected(name, where, program))) continue;
          found.add(`${name}: ${where} of ${programs.find((program) => program !== "") ?? pid}`);
        }
      }
    }
  };
  const timer = setInterval(look, 200);
  return {
    look,
    stop() {
      clearInterval(timer);
      look();
      return [...found];
    },
  };
}

function programOf(pid: string): string {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
