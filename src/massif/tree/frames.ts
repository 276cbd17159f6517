/** massif.frames.<pid>.jsonl: which Python line a frame of the stacks is, and which library an address lies in. */
import * as v from "valibot";
import { damaged, lineNumber, relativePath } from "../../profile/files/jsonRecords.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { readJsonRecords } from "../jsonRecords.ts";
import type { FrameNames, PythonPlace } from "../model.ts";
import type { LabelFacts } from "./frameTree.ts";
import { parseLabel } from "./label.ts";

/** A script of 100,000 lines that all ran has one name for each. */
const MAX_NAMES = 1_000_000;
const MAX_MAPPED = 100_000;

const absolutePath = v.pipe(v.string(), v.maxLength(4096), v.startsWith("/"), v.excludes("\0"));
const address = v.pipe(
  v.string(),
  v.regex(/^0x[0-9a-f]{1,16}$/i),
  v.transform((digits) => BigInt(digits)),
);
const header = v.object({ record: v.literal("header"), frames: v.picklist(["lines", "functions", "none"]) });
const record = v.variant("record", [
  v.object({
    record: v.literal("frame"),
    name: v.pipe(v.string(), v.regex(/^py_\d{1,9}$/)),
    path: v.union([relativePath, absolutePath]),
    line: lineNumber,
    function: v.pipe(v.string(), v.maxLength(65_536)),
    kind: v.picklist(["line", "function", "profiler"]),
  }),
  v.object({ record: v.literal("mapped"), start: address, end: address, path: absolutePath }),
]);

/** The names of a massif.out file that has no such file beside it. */
export const NO_NAMES: FrameNames = { level: "none", python: new Map(), mapped: [] };

/**
 * @param text the whole file; a last line without `\n`, damaged and unknown records are ignored. Empty: NO_NAMES
 * @param name of the file, for messages
 * @throws UserError `schema-too-new`, `run-damaged`: its header is not ours
 */
export function readFrameNames(text: string, name: string): FrameNames {
  const file = readJsonRecords(text, name);
  if (file === undefined) return NO_NAMES;
  const checked = v.safeParse(header, file.header);
  if (!checked.success) throw damaged(name, checked.issues);

  const python = new Map<string, PythonPlace>();
  const mapped: Mapping[] = [];
  for (const object of file.records) {
    const result = v.safeParse(record, object);
    if (!result.success) continue;
    if (result.output.record === "mapped") mapped.push(result.output);
    else {
      const { path, line: number, function: function_, kind } = result.output;
      python.set(result.output.name, { path, line: number, function: function_, kind });
    }
    if (python.size > MAX_NAMES || mapped.length > MAX_MAPPED) {
      throw new UserError(
        "run-damaged",
        t("{0} names more places than any script has.", name),
        t("The file is damaged; profile the script again."),
      );
    }
  }
  return { level: checked.output.frames, python, mapped: distinct(mapped) };
}

type Mapping = FrameNames["mapped"][number];

/** Where two files were mapped at the same addresses, one after the other, an address says of neither that it is it. */
function distinct(mapped: readonly Mapping[]): Mapping[] {
  const sorted = mapped.filter(({ start, end }) => start < end).sort((a, b) => (a.start < b.start ? -1 : 1));
  const known: Mapping[] = [];
  let group: (Mapping & { readonly paths: number }) | undefined;
  const close = () => {
    if (group?.paths === 1) known.push({ start: group.start, end: group.end, path: group.path });
  };
  for (const { start, end, path } of sorted) {
    if (group !== undefined && start < group.end) {
      const paths: number = group.paths + (path === group.path ? 0 : 1);
      group = { ...group, end: end > group.end ? end : group.end, paths };
    } else {
      close();
      group = { start, end, path, paths: 1 };
    }
  }
  close();
  return known;
}

/** What a run's names say of a tree's labels. */
export function labelFacts(labels: readonly string[], names: FrameNames): LabelFacts {
  return { python: pythonPlaces(labels, names), library: libraries(labels, names) };
}

/** Which of a tree's labels stand for Python code: by their index. */
export function pythonPlaces(labels: readonly string[], names: FrameNames): Map<number, PythonPlace> {
  const places = new Map<number, PythonPlace>();
  labels.forEach((label, index) => {
    const name = /^0x[0-9A-Fa-f]+: (py_\d+)(?: |$)/.exec(label)?.[1];
    const place = name === undefined ? undefined : names.python.get(name);
    if (place !== undefined) places.set(index, place);
  });
  return places;
}

/** Path of the file that was mapped as code at the address. */
export function libraryOf(address: bigint, names: FrameNames): string | undefined {
  const { mapped } = names;
  let from = 0;
  let to = mapped.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((mapped[middle]?.start ?? 0n) <= address) from = middle + 1;
    else to = middle;
  }
  const found = mapped[from - 1];
  return found !== undefined && address < found.end ? found.path : undefined;
}

/** The libraries of labels that do not name theirs themselves, by the label's index. */
export function libraries(labels: readonly string[], names: FrameNames): Map<number, string> {
  const found = new Map<number, string>();
  if (names.mapped.length === 0) return found;
  labels.forEach((label, index) => {
    const parsed = parseLabel(label);
    if (parsed.kind !== "native" || parsed.address === undefined || parsed.library !== undefined) return;
    const library = libraryOf(parsed.address, names);
    if (library !== undefined) found.set(index, library);
  });
  return found;
}
