/** What was counted, by process and file, up to the limits of what is kept. */
import type { Limits } from "../../limits.ts";
import type { FileCounters } from "./fileProfile.ts";

type TableName = "lines" | "cuda" | "system" | "functions";
type RowOf<Name extends TableName> = FileCounters[Name] extends Map<number, infer Row> ? Row : never;
export type CounterLimits = Omit<Limits, "samples" | "samplesRead">;

export interface Counters {
  readonly byProcess: ReadonlyMap<number, ReadonlyMap<number, FileCounters>>;
  /** There was more than is kept. */
  readonly cut: boolean;
  /** Takes a row in the place of the one that was there. */
  put<Name extends TableName>(pid: number, file: number, what: Name, key: number, row: RowOf<Name>): void;
  /** Puts into a map of what there is once for each process, and then for each file, up to its limit. */
  keep<K, T>(map: Map<K, T>, of: "processes" | "files", key: K, value: T): void;
}

export function createCounters(limits: CounterLimits): Counters {
  const byProcess = new Map<number, Map<number, FileCounters>>();
  let lines = 0;
  let tables = 0;
  let cut = false;

  /** Undefined where there are too many. */
  function countersOf(pid: number, file: number): FileCounters | undefined {
    const files = byProcess.get(pid) ?? new Map<number, FileCounters>();
    let found = files.get(file);
    if (found === undefined) {
      if (tables >= limits.files || (!byProcess.has(pid) && byProcess.size >= limits.processes)) {
        cut = true;
        return undefined;
      }
      tables++;
      found = { lines: new Map(), cuda: new Map(), system: new Map(), functions: new Map() };
      files.set(file, found);
      byProcess.set(pid, files);
    }
    // It is asked for to be changed.
    found.profile = undefined;
    return found;
  }

  return {
    byProcess,
    get cut() {
      return cut;
    },
    put<Name extends TableName>(pid: number, file: number, what: Name, key: number, row: RowOf<Name>): void {
      const table = countersOf(pid, file)?.[what] as Map<number, RowOf<Name>> | undefined;
      if (table === undefined) return;
      if (!table.has(key)) {
        if (lines >= limits.lines) {
          cut = true;
          return;
        }
        lines++;
      }
      table.set(key, row);
    },
    keep(map, of, key, value) {
      if (map.size >= limits[of] && !map.has(key)) cut = true;
      else map.set(key, value);
    },
  };
}
