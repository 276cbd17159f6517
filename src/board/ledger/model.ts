/** Where all of the board's RAM is at one moment. Rows never overlap, and their bytes add up to MemTotal exactly. */

export type LedgerGroup = "free" | "cache" | "kernel" | "others" | "run" | "gpu";

/**
 * `exact`: the kernel counts it. `estimated`: made of counts that overlap a little; `how` says in which direction it
 * may be wrong. `inferred`: what remains, or what changed since the baseline. `unknown`: it could not be read; such a
 * row has no bytes, and what it would hold is in the row that `how` names.
 */
export type Sureness = "exact" | "estimated" | "inferred" | "unknown";

/** What a program says of its own memory. It may lie in other rows, such as the GPU's: it adds up to nothing. */
export interface Said {
  /** With the program's name. */
  readonly label: string;
  readonly bytes: number;
  readonly program: string;
  readonly pid: number;
  /** `whole` is all that a model takes, weights and cache and buffers. */
  readonly kind: "weights" | "kv_cache" | "compute" | "other" | "whole";
  /** The program's own word: a device, a library, a model. */
  readonly where?: string;
}

export interface LedgerRow {
  /** Stable over moments, for comparing and for tests: `run.anon`, `kernel.slab`, `others.Xorg`, … */
  readonly id: string;
  readonly group: LedgerGroup;
  readonly label: string;
  /** Absent where `sureness` is `unknown`. */
  readonly bytes?: number;
  readonly sureness: Sureness;
  /** How it was obtained, a sentence for people. */
  readonly how: string;
  /** What the row is made of (processes of one kind); their bytes add up to the row's. */
  readonly parts?: readonly { readonly label: string; readonly bytes: number }[];
  /** What programs of the row say themselves; no part of it. */
  readonly said?: readonly Said[];
}

export interface Ledger {
  /** The moment's `t`. */
  readonly t: number;
  readonly total: number;
  readonly rows: readonly LedgerRow[];
  /** What a reader of the whole should know, sentences. */
  readonly notes: readonly string[];
}

/** What a group holds; undefined where none of its rows has bytes. */
export type GroupTotals = Readonly<Record<LedgerGroup, number | undefined>>;

/** A row at two moments. `change` is absent where either is unknown. */
export interface LedgerChange {
  readonly id: string;
  readonly group: LedgerGroup;
  readonly label: string;
  readonly before?: number;
  readonly now?: number;
  readonly change?: number;
}
