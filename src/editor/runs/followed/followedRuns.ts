/**
 * Which runs the windows of this machine follow, so that a window that is opened again finds those it had, and two
 * windows of one project do not both take them. One small file per run and process; its name says both, its age that
 * the process still lives. Advisory only: two followers of a run write the same bytes.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";

export interface FollowedRuns {
  /** @param runFolder at home */
  begin(runFolder: string): void;
  /** Nobody needs to follow it any more. */
  end(runFolder: string): void;
  /** It goes on, and whoever comes next may follow it. */
  leave(runFolder: string): void;
  left(): LeftRuns;
  /** Begins with a run that was left; false where another process was faster. */
  take(runFolder: string): boolean;
  /** Leaves all. */
  dispose(): void;
}

export interface LeftRuns {
  /** Run folders that were followed by processes that are gone. */
  readonly free: readonly string[];
  /** Run folders that other processes follow, or are about to leave. */
  readonly taken: readonly string[];
}

export interface FollowedOptions {
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const BEAT_MS = 5_000;
/** A number of a process may be given to another one: who follows a run also says so from time to time. */
const SILENT_MS = 20_000;
/** Nobody came for it in this time. */
const FORGOTTEN_MS = 14 * 24 * 3_600_000;
const NAME = /^([0-9a-f]{32})\.(\d+)$/;
const NOBODY = 0;
const MOST_PATH = 8_192;

interface Mark {
  readonly key: string;
  readonly pid: number;
  readonly file: string;
  readonly age: number;
}

/** @param folder where the marks lie; made on first need */
export function createFollowedRuns(folder: string, options: Partial<FollowedOptions> = {}): FollowedRuns {
  const { pid = process.pid, isAlive = isRunning, now = Date.now } = options;
  const own = new Set<string>();
  let beating: NodeJS.Timeout | undefined;
  const fileOf = (key: string, owner = pid): string => path.join(folder, `${key}.${owner}`);

  const beat = (): void => {
    const time = new Date(now());
    for (const key of own) quietly(() => fs.utimesSync(fileOf(key), time, time));
  };
  const hold = (key: string): void => {
    own.add(key);
    beating ??= setInterval(beat, BEAT_MS).unref();
  };
  const drop = (key: string): void => {
    own.delete(key);
    if (own.size > 0) return;
    clearInterval(beating);
    beating = undefined;
  };
  const marks = (): Mark[] => {
    const names = quietly(() => fs.readdirSync(folder)) ?? [];
    return names.flatMap((name) => {
      const [, key, owner] = NAME.exec(name) ?? [];
      const file = path.join(folder, name);
      const time = quietly(() => fs.statSync(file).mtimeMs);
      return key === undefined || time === undefined ? [] : [{ key, pid: Number(owner), file, age: now() - time }];
    });
  };
  const isHeld = (mark: Mark): boolean =>
    mark.pid !== NOBODY && mark.pid !== pid && mark.age < SILENT_MS && isAlive(mark.pid);
  const release = (key: string): void => {
    quietly(() => fs.renameSync(fileOf(key), fileOf(key, NOBODY)));
    drop(key);
  };

  return {
    begin(runFolder) {
      const key = keyOf(runFolder);
      quietly(() => {
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(fileOf(key), runFolder);
      });
      for (const mark of marks()) {
        if (mark.key === key && mark.pid !== pid && !isHeld(mark)) quietly(() => fs.unlinkSync(mark.file));
      }
      hold(key);
    },
    end(runFolder) {
      const key = keyOf(runFolder);
      for (const mark of marks()) if (mark.key === key && !isHeld(mark)) quietly(() => fs.unlinkSync(mark.file));
      drop(key);
    },
    leave: (runFolder) => release(keyOf(runFolder)),
    left() {
      const free = new Map<string, string>();
      const taken = new Map<string, string>();
      for (const mark of marks()) {
        if (own.has(mark.key)) continue;
        const runFolder = folderIn(mark);
        if (isHeld(mark)) taken.set(mark.key, runFolder ?? "");
        else if (runFolder === undefined || mark.age > FORGOTTEN_MS) quietly(() => fs.unlinkSync(mark.file));
        else free.set(mark.key, runFolder);
      }
      for (const key of taken.keys()) free.delete(key);
      return { free: [...free.values()], taken: [...taken.values()] };
    },
    take(runFolder) {
      const key = keyOf(runFolder);
      const found = marks().filter((mark) => mark.key === key && mark.pid !== pid);
      if (found.some(isHeld)) return false;
      // Only one of those who try can rename it.
      const taken = found.filter((mark) => quietly(() => fs.renameSync(mark.file, fileOf(key)) ?? true) === true);
      if (taken.length === 0) return false;
      hold(key);
      beat();
      return true;
    },
    dispose() {
      for (const key of [...own]) release(key);
    },
  };
}

function keyOf(runFolder: string): string {
  return createHash("sha256").update(path.resolve(runFolder)).digest("hex").slice(0, 32);
}

/** What a mark says, where it says it of the run that its name is made of. */
function folderIn({ key, file }: Mark): string | undefined {
  const text = quietly(() => fs.readFileSync(file, "utf8"))?.slice(0, MOST_PATH);
  return text !== undefined && path.isAbsolute(text) && keyOf(text) === key ? text : undefined;
}

/** A run is followed as well without its mark: it is then not found again by itself. */
function quietly<Result>(body: () => Result): Result | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
