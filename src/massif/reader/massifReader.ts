/**
 * Reads a massif.out file in one pass: header, figures of all snapshots, and where each tree lies. Trees are checked
 * node by node but not kept: createTreeReader reads the one that is wanted. What is damaged is named and left out;
 * reading goes on at the next snapshot.
 */
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { MassifFile, Snapshot } from "../model.ts";
import { createHeaderReader, type HeaderReader, isHeaderStart, type MassifHeader } from "./header.ts";
import { createLineCutter, type LineEnd, type LineSink } from "./lineCutter.ts";
import { createProblems } from "./problems.ts";
import { isSkipped, TreeLines, type TreeSink } from "./treeLines.ts";

/** Massif itself keeps at most 1,000; files may be joined. */
const MAX_SNAPSHOTS = 100_000;
/** Linux gives a program at most 6 MiB of arguments, which the header repeats. */
const MAX_HEADER_BYTES = 8 * 1024 * 1024;
/** Of `desc:`, `cmd:`, `snapshot=`, `ms_print` and a byte order mark: lines that begin otherwise begin nothing. */
const BEGINNINGS = new Set([..."dcsm\u00EF"].map((letter) => letter.charCodeAt(0)));

export interface MassifReader {
  push(chunk: Uint8Array): void;
  /** @throws UserError `massif-empty`, `massif-printed`, `massif-foreign`, `massif-cut-header`: nothing can be shown */
  end(): MassifFile;
}

export function createMassifReader(): MassifReader {
  const index = new SnapshotIndex();
  const cutter = createLineCutter(index);
  return {
    push: (chunk) => cutter.push(chunk),
    end() {
      cutter.end();
      return index.end();
    },
  };
}

const FIELDS = ["time", "mem_heap_B", "mem_heap_extra_B", "mem_stacks_B"] as const;
type TreeKind = "detailed" | "peak";
type Figures = Omit<Snapshot, "tree">;
interface OpenTree {
  readonly figures: Figures;
  readonly kind: TreeKind;
  readonly lines: TreeLines;
  readonly start: number;
  end: number;
}

/** What the next line is expected to be. */
type State =
  /** The first line of a massif.out file. */
  | { readonly kind: "file" }
  | { readonly kind: "header"; readonly reader: HeaderReader; bytesLeft: number }
  /** `snapshot=N`. */
  | { readonly kind: "snapshot" }
  | { readonly kind: "fields"; readonly number: number; readonly values: number[] }
  | { readonly kind: "tree"; readonly tree: OpenTree }
  /** Anything, until the next snapshot begins. */
  | { readonly kind: "damaged" }
  /** Nothing that would be kept. */
  | { readonly kind: "full" };

const SNAPSHOT: State = { kind: "snapshot" };
const CHECK_ONLY: TreeSink = { node() {}, missing() {} };
const DAMAGED: State = { kind: "damaged" };

class SnapshotIndex implements LineSink {
  readonly #snapshots: Snapshot[] = [];
  readonly #problems = createProblems();
  readonly #decoder = new TextDecoder("utf-8");
  #header: MassifHeader | undefined;
  #state: State = { kind: "file" };
  #lines = 0;
  #looksPrinted = false;

  lines(bytes: Uint8Array, from: number, start: number): number {
    if (this.#state.kind !== "tree") return from;
    const { tree } = this.#state;
    const before = tree.lines.nodes - tree.lines.missing;
    const to = tree.lines.addLines(bytes, from);
    this.#lines += tree.lines.nodes - tree.lines.missing - before;
    tree.end = start + to - from;
    if (tree.lines.complete) this.#closeTree(tree, undefined);
    return to;
  }

  line(bytes: Uint8Array, from: number, to: number, end: LineEnd, next: number): void {
    this.#lines++;
    const state = this.#state;
    if (state.kind === "full" || this.#isPassedOver(state, bytes, from)) return;
    if (state.kind === "tree") {
      const fault = this.#treeLine(state.tree, bytes, from, to, end, next);
      if (fault === undefined) return;
      this.#closeTree(state.tree, fault);
      if (end !== "newline") return;
    } else if (state.kind === "header") {
      state.bytesLeft -= to - from + 1;
      if (state.bytesLeft < 0) {
        this.#problem(t("the header that began here or before is longer than any; nothing after it is read"));
        this.#state = { kind: "full" };
        return;
      }
    } else if (isSkipped(bytes, from, to)) return;
    const text = this.#decoder.decode(bytes.subarray(from, to));
    if (end === "newline" || state.kind === "header" || /^heap_tree=empty\s*$/.test(text)) this.#textLine(text, next);
    else this.#unfinishedLine(end);
  }

  end(): MassifFile {
    if (this.#state.kind === "header") {
      const header = this.#state.reader.end();
      if (header !== undefined) this.#endHeader(header);
    }
    const state = this.#state;
    if (this.#header === undefined) throw this.#nothing();
    if (state.kind === "tree") this.#closeTree(state.tree, t("the file ends before this tree is complete"));
    else if (state.kind === "fields") {
      this.#problem(t("the file ends within snapshot {0}, which is left out", state.number));
    } else if (state.kind === "header") {
      this.#problem(t("the file ends within the header of another massif.out file, which was joined to the first one"));
    } else if (this.#snapshots.length === 0 && this.#problems.list.length === 0) {
      this.#problem(t("the file ends before its first snapshot"));
    }
    return { ...this.#header, snapshots: this.#snapshots, problems: this.#problems.list };
  }

  /** @returns what ends the tree here, damaged */
  #treeLine(
    tree: OpenTree,
    bytes: Uint8Array,
    from: number,
    to: number,
    end: LineEnd,
    next: number,
  ): string | undefined {
    if (end !== "newline") return isSkipped(bytes, from, to) ? undefined : unfinished(end);
    const fault = tree.lines.addLine(bytes, from, to);
    if (fault !== undefined) return fault;
    tree.end = next;
    if (tree.lines.complete) this.#closeTree(tree, undefined);
    return undefined;
  }

  #closeTree(tree: OpenTree, fault: string | undefined): void {
    const { lines, kind, start, end, figures } = tree;
    lines.cutOff();
    const number = figures.number;
    if (fault !== undefined) {
      const shown = lines.nodes > 0 ? t("is shown up to there") : t("cannot be shown");
      this.#problem(t("{0}; the tree of snapshot {1} {2}", fault, number, shown));
    } else if (lines.missing > 0) {
      this.#problem(
        t("the tree of snapshot {0}, which ends here, does not say where all of its bytes come from", number),
      );
    }
    this.#keep({ ...figures, tree: lines.nodes > 0 ? { kind, nodes: lines.nodes, start, end } : { kind: "none" } });
    if (fault !== undefined) this.#state = DAMAGED;
  }

  /** Lines of another file, or after a damaged one, may be many; they need not be decoded to be ignored. */
  #isPassedOver({ kind }: State, bytes: Uint8Array, from: number): boolean {
    return (kind === "file" || kind === "damaged") && !BEGINNINGS.has(bytes[from] ?? 0);
  }

  #unfinishedLine(end: LineEnd): void {
    if (this.#state.kind === "snapshot") this.#problem(unfinished(end));
    else if (this.#state.kind === "fields") {
      this.#problem(t("{0}; snapshot {1} is left out", unfinished(end), this.#state.number));
      this.#state = DAMAGED;
    }
  }

  #textLine(text: string, next: number): void {
    const state = this.#state;
    switch (state.kind) {
      case "file":
        if (isHeaderStart(text)) this.#startHeader(text);
        else if (text.startsWith("ms_print arguments:")) this.#looksPrinted = true;
        return;
      case "header":
        this.#headerLine(state.reader, text);
        return;
      case "fields":
        this.#field(state, text, next);
        return;
      default:
        this.#startSnapshot(text);
    }
  }

  #startHeader(text: string): void {
    const reader = createHeaderReader();
    this.#state = { kind: "header", reader, bytesLeft: MAX_HEADER_BYTES };
    this.#headerLine(reader, text);
  }

  #headerLine(reader: HeaderReader, text: string): void {
    const header = reader.line(text);
    if (header === undefined) return;
    this.#endHeader(header);
    if (this.#state.kind === "snapshot" && !text.startsWith("#")) this.#startSnapshot(text);
  }

  #endHeader(header: MassifHeader): void {
    this.#state = SNAPSHOT;
    if (this.#header === undefined) this.#header = header;
    else if (this.#header.timeUnit === header.timeUnit) {
      this.#problem(
        t(
          "the header of another massif.out file, joined to the first one, ends here; its snapshots follow, and their times start anew",
        ),
      );
    } else {
      this.#problem(
        t(
          "the header of another massif.out file with another unit of time ends here; what was joined to the first one is left out",
        ),
      );
      this.#state = { kind: "full" };
    }
  }

  /** Also finds the place to go on after damage. */
  #startSnapshot(text: string): void {
    if (isHeaderStart(text)) {
      this.#startHeader(text);
      return;
    }
    if (text.startsWith("snapshot=")) {
      if (this.#snapshots.length === MAX_SNAPSHOTS) {
        this.#problem(
          t("more than {0} snapshots: those from here on are left out", MAX_SNAPSHOTS.toLocaleString("en")),
        );
        this.#state = { kind: "full" };
        return;
      }
      const number = amount(text.slice("snapshot=".length));
      if (number !== undefined) {
        this.#state = { kind: "fields", number, values: [] };
        return;
      }
      this.#problem(t("the snapshot that begins here has no number and is left out"));
    } else if (this.#state.kind === "snapshot") {
      this.#problem(
        t("this line does not belong in a massif.out file; what follows up to the next snapshot is left out"),
      );
    }
    this.#state = DAMAGED;
  }

  #field(state: State & { kind: "fields" }, text: string, next: number): void {
    const name = FIELDS[state.values.length] ?? "heap_tree";
    const value = text.startsWith(`${name}=`) ? text.slice(name.length + 1).trim() : undefined;
    if (name === "heap_tree") {
      if (value === "empty" || value === "detailed" || value === "peak") {
        this.#endFields(state, value, next);
        return;
      }
    } else if (value !== undefined) {
      const number = amount(value);
      if (number !== undefined) {
        state.values.push(number);
        return;
      }
    }
    this.#problem(t('"{0}=" with its value was expected here; snapshot {1} is left out', name, state.number));
    this.#state = DAMAGED;
    this.#startSnapshot(text);
  }

  #endFields(state: State & { kind: "fields" }, tree: "empty" | TreeKind, next: number): void {
    const [time = 0, heap = 0, extra = 0, stacks = 0] = state.values;
    const figures = { number: state.number, time, heap, extra, stacks };
    if (tree === "empty") {
      this.#keep({ ...figures, tree: { kind: "none" } });
      return;
    }
    this.#state = {
      kind: "tree",
      tree: { figures, kind: tree, lines: new TreeLines(CHECK_ONLY), start: next, end: next },
    };
  }

  #keep(snapshot: Snapshot): void {
    this.#snapshots.push(snapshot);
    this.#state = SNAPSHOT;
  }

  #problem(message: string): void {
    this.#problems.add(this.#lines, message);
  }

  #nothing(): UserError {
    const again = t(
      "Massif writes its file when the program ends: let it end, then open the file massif.out.<pid> again.",
    );
    if (this.#lines === 0) return new UserError("massif-empty", t("The file is empty."), again);
    const [tooLong] = this.#problems.list;
    if (this.#state.kind === "header" || tooLong !== undefined) {
      return new UserError(
        "massif-cut-header",
        t(
          "The file's header (options, command and unit of time) does not end up to line {0}.",
          tooLong?.line ?? this.#lines,
        ),
        again,
      );
    }
    if (this.#looksPrinted) {
      return new UserError(
        "massif-printed",
        t("The file is what ms_print made of a massif.out file."),
        t("Open the file that ms_print was given; its name usually begins with massif.out."),
      );
    }
    return new UserError(
      "massif-foreign",
      t('The file is not one that valgrind\'s massif wrote: none of its lines begins with "desc:" or "cmd:".'),
      t("Open what valgrind --tool=massif wrote: massif.out.<pid>, or the file that --massif-out-file named."),
    );
  }
}

function unfinished(end: LineEnd): string {
  return end === "too-long"
    ? t("this line is too long for a massif.out file")
    : t("the file ends in the middle of this line");
}

/** Blanks around it are fine; above 2^53 it could not be shown exactly. */
function amount(text: string): number | undefined {
  const digits = /^\s*(\d+)\s*$/.exec(text)?.[1];
  const value = digits === undefined ? Number.NaN : Number(digits);
  return Number.isSafeInteger(value) ? value : undefined;
}
