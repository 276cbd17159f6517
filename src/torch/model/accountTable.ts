/** The model account of one process, made of the lines of its file as they come. */
import { defined } from "../../profile/defined.ts";
import { present } from "../../profile/files/jsonRecords.ts";
import { t } from "../../words/t.ts";
import type { ModelAccount } from "./model.ts";
import { decodeAccountLine, type RecordOf } from "./record.ts";
import { createRootTable, type RootRecord, type RootTable } from "./rootTable.ts";

/** Far above what a recorder writes: a file that has more is read up to here. */
const MOST_ROOTS = 1_000;
const MOST_ROWS = 2_000_000;
const MOST_PROBLEMS = 100;

export interface AccountTable {
  /**
   * The next line of the file, without its end.
   * @throws UserError `schema-too-new`, `run-damaged` at a header that is not of a format we know
   */
  add(line: string): void;
  /** Undefined before the header was read. */
  account(): ModelAccount | undefined;
}

/** @param file the path shown in errors */
export function createAccountTable(file: string): AccountTable {
  let header: RecordOf<"header"> | undefined;
  let trial: RecordOf<"trial"> | undefined;
  let complete = false;
  let damaged = 0;
  let rows = 0;
  let cut = false;
  const roots = new Map<number, RootTable>();
  /** What the recorder could not account, in its words. */
  const told = new Set<string>();
  /** Bytes of optimizer state by optimizer's type and the parameter's storage. */
  const optimizers = new Map<string, { readonly byStorage: Map<number, number>; other: number; packed?: number }>();

  /** @returns false where the file has more than a recorder writes */
  function counted({ good, bad }: { readonly good: readonly unknown[]; readonly bad: number }): boolean {
    damaged += bad;
    rows += good.length;
    cut ||= rows > MOST_ROWS;
    return !cut;
  }

  function addOptimizer(record: RecordOf<"optimizer">): void {
    if (!counted(record.rows)) return;
    const known = optimizers.get(record.type) ?? { byStorage: new Map<number, number>(), other: 0 };
    for (const [, storage, bytes] of record.rows.good) {
      known.byStorage.set(storage, Math.max(known.byStorage.get(storage) ?? 0, bytes));
    }
    const packed = record.packed === undefined ? known.packed : Math.max(known.packed ?? 0, record.packed);
    optimizers.set(record.type, { ...known, other: Math.max(known.other, record.other), ...defined({ packed }) });
  }

  function addToRoot(record: RootRecord): void {
    const root = roots.get(record.root);
    if (root === undefined) {
      damaged += 1;
      return;
    }
    const lists = listsOf(record);
    // Every one is counted, also where the first is too much already.
    if (lists.map(counted).includes(false)) return;
    if (!root.add(record)) damaged += 1;
  }

  return {
    add(line) {
      const record = decodeAccountLine(line, file);
      if (record === undefined) {
        damaged += 1;
        return;
      }
      switch (record.record) {
        case "header":
          header = record;
          return;
        case "trial":
          trial = record;
          return;
        case "end":
          complete = true;
          return;
        case "optimizer":
          addOptimizer(record);
          return;
        case "problem":
          if (told.size < MOST_PROBLEMS) told.add(record.message);
          return;
        case "root":
          if (roots.size < MOST_ROOTS && !roots.has(record.root)) roots.set(record.root, createRootTable(record));
          return;
        case "other":
          return;
        default:
          addToRoot(record);
      }
    },
    account() {
      if (header === undefined) return undefined;
      const state = stateByStorage([...optimizers.values()].map(({ byStorage }) => byStorage));
      return present({
        pid: header.pid,
        torch: header.torch,
        activationsBy: header.activations,
        optimizers: [...optimizers].map(([type, { byStorage, ...rest }]) => ({ type, bytes: sum(byStorage), ...rest })),
        trial: trial && present({ trial: trial.trial, applied: trial.applied, refused: trial.refused }),
        roots: [...roots.values()].map((root) => root.account(state)).filter((root) => root !== undefined),
        complete,
        problems: [...told, ...problems(damaged, cut, file)],
      });
    },
  };
}

function listsOf(record: RootRecord) {
  if (record.record === "module") return [record.parameters, record.buffers];
  if (record.record === "tuning") return [record.adapters, record.packed];
  return [record.record === "step" ? record.inputs : record.rows];
}

function stateByStorage(optimizers: readonly ReadonlyMap<number, number>[]): ReadonlyMap<number, number> | undefined {
  if (optimizers.length === 0) return undefined;
  const all = new Map<number, number>();
  for (const one of optimizers) for (const [storage, bytes] of one) all.set(storage, (all.get(storage) ?? 0) + bytes);
  return all;
}

function sum(byStorage: ReadonlyMap<number, number>): number {
  return [...byStorage.values()].reduce((total, bytes) => total + bytes, 0);
}

function problems(damaged: number, cut: boolean, file: string): string[] {
  return [
    ...(damaged === 0
      ? []
      : [t("{0} records or rows of {1} cannot be read; what they say is missing.", damaged, file)]),
    ...(cut ? [t("{0} has more than {1} rows; it was read up to there.", file, MOST_ROWS)] : []),
  ];
}
