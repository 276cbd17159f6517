/** Which file of the project a name in a report means, and what its source was. Pure. */
import * as path from "node:path";
import type { FileProfile } from "../../profile/model.ts";
import { sourceLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { ImportContext, ReportedFile } from "./importer.ts";

export interface PlacedFiles {
  readonly files: readonly FileProfile[];
  readonly sources: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

export const NO_FILES: PlacedFiles = { files: [], sources: new Map(), notes: [] };

/** Where the tool does not say which file it measured, and nobody else does. */
export const UNKNOWN_FILE = "unknown-file.py";

/** Installed packages, the standard library and code that is in no file: none of a project's. */
const FOREIGN = /^<.*>$|(?:^|\/)(?:site-packages|dist-packages|lib(?:64)?\/python\d[\d.]*)\//;

export function isForeign(name: string): boolean {
  return FOREIGN.test(name.replaceAll("\\", "/"));
}

/**
 * Puts each reported file at its place in the project: where it lies below the project's folder, where its path ends
 * like that of one of the project's files, or where the user said.
 * @throws UserError `import-file`
 */
export function placeFiles(reported: readonly ReportedFile[], context: ImportContext): PlacedFiles {
  const own = reported.filter(({ name, lines }) => lines.length > 0 && !isForeign(name));
  const { paths, notes: unclear } = pathsOf(own, context);
  const notes = [...unclear];
  const sources = new Map<string, string>();
  const files = own.map((file): FileProfile => {
    const place = paths.get(file.name) ?? UNKNOWN_FILE;
    const source = sourceOf(file, place, context);
    if (source === undefined) notes.push(noSource(place, context));
    else sources.set(place, source);
    return { path: place, sha256: "", lines: file.lines, functions: [] };
  });
  const left = reported.filter(({ name, lines }) => lines.length > 0 && isForeign(name)).length;
  if (left > 0) {
    notes.push(
      left === 1
        ? t("1 file of Python itself or of installed packages was left out.")
        : t("{0} files of Python itself or of installed packages were left out.", left),
    );
  }
  if (own.some(({ name }) => name === "") && context.source === undefined) {
    notes.push(
      t(
        "The file does not say which source it belongs to, so it is called {0}. Import it again and say which.",
        paths.get("") ?? UNKNOWN_FILE,
      ),
    );
  }
  return { files, sources, notes };
}

export interface Paths {
  /** By reported name. */
  readonly paths: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

/** Each place is taken once. */
export function pathsOf(reported: readonly Pick<ReportedFile, "name" | "text">[], context: ImportContext): Paths {
  const found = new Map<string, string>();
  const taken = new Set<string>();
  const take = (name: string, place: string) => {
    found.set(name, place);
    taken.add(place);
  };
  if (context.source !== undefined) {
    const names = reported.map(({ name }) => name);
    const [chosen, place] = chosenFile(names, context.source, context.project.root);
    take(chosen, place);
  }
  const rest = new Map(
    reported.flatMap(({ name, text }) => (name === "" || found.has(name) ? [] : [[name, text] as const])),
  );
  const candidates = candidatesOf(rest, context).filter(({ place }) => !taken.has(place));
  for (const { name, place } of candidates) if (!taken.has(place)) take(name, place);
  const nameless = reported.some(({ name }) => name === "") && !found.has("") ? [""] : [];
  const unknown = [...rest.keys()].filter((name) => !found.has(name));
  const folder = commonFolder(unknown.map((name) => parts(name).slice(0, -1)));
  for (const name of [...nameless, ...unknown]) {
    const kept = parts(name).slice(folder);
    let place = kept.join("/") || UNKNOWN_FILE;
    for (let more = 2; taken.has(place); more++) place = [`other-${more}`, ...kept].join("/");
    take(name, place);
  }
  return { paths: found, notes: unclearNotes(candidates) };
}

/** A file that may be the one of the project at `place`. */
interface Candidate {
  readonly name: string;
  readonly place: string;
  /** How many of the name's parts say where it is. */
  readonly sureness: number;
  /** What the text that was printed of it says: 1 it is this one, 0 nothing, -1 it is another, or was changed since. */
  readonly likeness: -1 | 0 | 1;
}

/** Places that are certain first, then the longest ends, then what was printed; else the report's order. */
function candidatesOf(texts: ReadonlyMap<string, ReportedFile["text"]>, context: ImportContext): readonly Candidate[] {
  return [...texts]
    .flatMap(([name, text]): Candidate[] => {
      const found = inProject(slashed(name), context);
      const source = found && context.project.source(found.place)?.text;
      const likeness = text.size === 0 || source === undefined ? 0 : agrees(text, source) ? 1 : -1;
      return found === undefined ? [] : [{ name, ...found, likeness }];
    })
    .sort((a, b) => b.sureness - a.sureness || b.likeness - a.likeness);
}

/** Where several files end like one of the project's, and not just one of them has the project's text. */
function unclearNotes(candidates: readonly Candidate[]): string[] {
  const byPlace = new Map<string, Candidate[]>();
  for (const one of candidates) {
    const others = byPlace.get(one.place) ?? [];
    byPlace.set(one.place, others);
    others.push(one);
  }
  return [...byPlace].flatMap(([place, [first, second, ...more]]) => {
    if (first === undefined || second === undefined || first.sureness === Number.POSITIVE_INFINITY) return [];
    if (first.likeness === 1 && second.likeness < 1) return [];
    const names = [first, second, ...more].slice(0, 8).map(({ name }) => short(name));
    return [
      t(
        "{0} may be any of these files of the report: {1}. The first was taken for it; the others are kept under names of their own.",
        short(place),
        names.join(t(", ")),
      ),
    ];
  });
}

function chosenFile(names: readonly string[], source: string, root: string): [name: string, place: string] {
  const wanted = slashed(source);
  const isAbsolute = wanted.startsWith("/") || /^[A-Za-z]:\//.test(wanted);
  const place = below(wanted, root) ?? (isAbsolute ? undefined : path.posix.normalize(wanted));
  if (place === undefined || place.startsWith("../")) {
    throw new UserError(
      "import-file",
      t("{0} is not in the project {1}.", source, root),
      t("Name the file of the project that the figures belong to, by its path in it, or choose another project."),
    );
  }
  const distinct = [...new Set(names)];
  const same = distinct.filter((name) => path.posix.basename(slashed(name)) === path.posix.basename(place));
  const chosen =
    distinct.length === 1 ? distinct[0] : distinct.includes("") ? "" : same.length === 1 ? same[0] : undefined;
  if (chosen === undefined) {
    throw new UserError(
      "import-file",
      t(
        "The report holds {0} files, and it is not clear which of them is {1}: {2}.",
        distinct.length,
        place,
        distinct.slice(0, 8).join(t(", ")),
      ),
      t("Import it without saying which; files are found in the project by their names."),
    );
  }
  return [chosen, place];
}

function inProject(name: string, { project }: ImportContext): Pick<Candidate, "place" | "sureness"> | undefined {
  const inside = below(name, project.root);
  if (inside !== undefined) return { place: inside, sureness: Number.POSITIVE_INFINITY };
  const all = parts(name);
  for (let from = 0; from < all.length; from++) {
    const place = all.slice(from).join("/");
    if (project.source(place) !== undefined) return { place, sureness: all.length - from };
  }
  return undefined;
}

function below(name: string, root: string): string | undefined {
  const folder = slashed(root).replace(/\/$/, "");
  const inside = name.startsWith(`${folder}/`) ? path.posix.normalize(name.slice(folder.length + 1)) : undefined;
  return inside === undefined || inside.startsWith("../") || inside === ".." || inside === "." ? undefined : inside;
}

function slashed(name: string): string {
  return name.replaceAll("\\", "/");
}

/** Of a path that cannot lead out of anything. */
function parts(name: string): string[] {
  return (
    slashed(name)
      .slice(-4_000)
      .split("/")
      // Any of them may come to be the first, where it would be a drive of Windows.
      .map((part) => part.replaceAll("\0", "?").replace(/^(?:[A-Za-z]:)+/, ""))
      .filter((part) => part !== "" && part !== "." && part !== "..")
  );
}

/** How many first parts all have alike. */
function commonFolder(folders: readonly (readonly string[])[]): number {
  const [first = []] = folders;
  let shared = 0;
  while (shared < first.length && folders.every((folder) => folder[shared] === first[shared])) shared++;
  return shared;
}

/** Characters of a path in a sentence. */
const LONGEST_SHOWN = 300;
/** A rebuilt source is no longer than this many lines beyond what was printed of it. */
const LONGEST_REBUILT = 200_000;

/** The project's own file where nothing that is known of the source speaks against it, else what was printed. */
function sourceOf({ text }: ReportedFile, place: string, { project, modified }: ImportContext): string | undefined {
  const present = project.source(place);
  if (text.size === 0) return present !== undefined && present.modified <= modified ? present.text : undefined;
  if (present !== undefined && agrees(text, present.text)) return present.text;
  const last = [...text.keys()].reduce((a, b) => Math.max(a, b), 0);
  if (last > LONGEST_REBUILT) return undefined;
  return Array.from({ length: last }, (_, position) => `${text.get(position + 1) ?? ""}\n`).join("");
}

function agrees(printed: ReportedFile["text"], source: string): boolean {
  const lines = sourceLines(source);
  return [...printed].every(([line, text]) => (lines[line - 1] ?? "").trim() === text.trim());
}

function noSource(place: string, { project }: ImportContext): string {
  return project.source(place) === undefined
    ? t("{0} is not in the project, and the file does not hold its source.", short(place))
    : t(
        "{0} was changed after the file was written, and the file does not hold its source: lines may have moved.",
        short(place),
      );
}

/** In a sentence: the end of a long path tells more than its beginning. */
function short(path: string): string {
  return path.length <= LONGEST_SHOWN ? path : `…${path.slice(-LONGEST_SHOWN)}`;
}
