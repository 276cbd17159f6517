/** What the page and its worker say to each other. Both are one program, so nothing is checked here. */
import type { Direction, Frame } from "../../../src/massif/model.ts";
import type { LibraryGroup } from "../../../src/massif/summary.ts";
import type { Place, ToMassifEditor, WireTree } from "../../../src/protocol/massif/massif.ts";
import type { StackGraph } from "../../flame/stackGraph.ts";

/** Which trees a graph is made of, by the names they were stored under. */
export type GraphOf =
  | { readonly kind: "snapshot"; readonly tree: string }
  | { readonly kind: "difference"; readonly before: string; readonly after: string };

export interface GraphRequest {
  readonly of: GraphOf;
  readonly direction: Direction;
  /** Leave out the interpreter's own call mechanism. */
  readonly fold: boolean;
  /** Only the stacks through this line. */
  readonly scope?: Place;
}

export interface Graph extends StackGraph {
  readonly request: GraphRequest;
  /** Libraries of the graph's frames by name, those with the heaviest stacks first. */
  readonly libraries: readonly string[];
}

export interface LibraryRow {
  readonly library: LibraryGroup;
  readonly name: string;
  readonly bytes: number;
  /** As of LineAtPeak; so are the others. */
  readonly band?: number;
}

export interface AllocatorRow {
  readonly frame: Frame;
  readonly self: number;
  readonly total: number;
  readonly band?: { readonly self: number; readonly total: number };
}

export interface PythonRow {
  readonly place: Place;
  readonly function: string;
  /** False where only the function is known. */
  readonly exact: boolean;
  readonly own: number;
  readonly total: number;
  readonly band?: { readonly own: number; readonly total: number };
}

/** Bytes; of a change, after minus before. */
export interface Tables {
  readonly libraries: readonly LibraryRow[];
  readonly allocators: readonly AllocatorRow[];
  readonly python: readonly PythonRow[];
}

export type TextFormat = Exclude<Extract<ToMassifEditor, { kind: "save" }>["format"], "png">;

export type Job =
  /** `keep`: names of the trees that the next graph is made of. */
  | { readonly kind: "store"; readonly name: string; readonly wire: WireTree; readonly keep: readonly string[] }
  | { readonly kind: "graph"; readonly request: GraphRequest }
  | { readonly kind: "tables" }
  | { readonly kind: "export"; readonly format: TextFormat; readonly title: string };

/** What each kind of job gives. */
export interface Results {
  /** Names of the trees that are kept. */
  readonly store: readonly string[];
  readonly graph: Graph;
  readonly tables: Tables;
  readonly export: string;
}

export interface JobMessage {
  readonly id: number;
  readonly job: Job;
}

export type ResultMessage =
  | { readonly id: number; readonly kind: "done"; readonly result: Results[Job["kind"]] }
  | { readonly id: number; readonly kind: "failed"; readonly message: string };
