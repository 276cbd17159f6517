/** Runs as pprof's profile.proto, packed with gzip: https://github.com/google/pprof/blob/main/proto/profile.proto */
import { gzipSync } from "node:zlib";
import type { Frame, FrameTree } from "../../../massif/model.ts";
import { fullName } from "../../../massif/tree/frameNames.ts";
import { byMetric } from "../../../profile/lines/metric.ts";
import { linesByFunction } from "../../../profile/lines/totals.ts";
import { METRICS, type Metric, type Profile, type RunInfo } from "../../../profile/model.ts";
import { runTitle } from "../../../profile/run/runJson.ts";
import { ownBytes } from "../lineTree.ts";
import { createProtobufWriter, type ProtobufWriter } from "./protobuf.ts";

/** Stacks of one process. */
export interface ProcessStacks {
  readonly label: string;
  /** Callers first. */
  readonly tree: FrameTree;
}

interface Place {
  readonly function: string;
  readonly file: string;
  /** 1-based; 0 where it is not known. */
  readonly line: number;
  readonly definedAt: number;
  /** Program or library. */
  readonly library: string;
}

/** The fields of profile.proto's messages. */
const PROFILE = {
  sampleType: 1,
  sample: 2,
  mapping: 3,
  location: 4,
  function: 5,
  strings: 6,
  timeNanos: 9,
  durationNanos: 10,
  comment: 13,
  defaultSampleType: 14,
} as const;

/** A one-frame sample for each line: what was measured on it alone, by each measure of the run. */
export function linesPprof(profile: Profile, metric: Metric): Uint8Array {
  const metrics = METRICS.filter((candidate) => profile.metrics.has(candidate));
  const hits = profile.files.some(({ lines }) => lines.some((row) => row.hits !== undefined));
  const types = [
    ...(hits ? [["hits", "count"] as const] : []),
    ...metrics.map((name) => [`${name}_self`, "bytes"] as const),
  ];
  const builder = createProfile(profile.run, types, `${metric}_self`);
  const library = programOf(profile.run);
  const measured = metrics.map((name) => ownByPlace(profile, name));
  for (const file of profile.files) {
    for (const part of linesByFunction(file)) {
      for (const { line, hits: times = 0 } of part.lines) {
        const bytes = measured.map((own) => own.get(`${line} ${file.path}`) ?? 0);
        const values = [...(hits ? [times] : []), ...bytes];
        if (values.every((value) => value === 0)) continue;
        const place = { function: part.name, file: file.path, line, definedAt: part.defLine, library };
        builder.sample([builder.location(place)], values);
      }
    }
  }
  return builder.finish();
}

function ownByPlace(profile: Profile, metric: Metric): ReadonlyMap<string, number> {
  return new Map(
    byMetric(profile, metric).files.flatMap(({ path, lines }) =>
      lines.map((row) => [`${row.line} ${path}`, Math.round(ownBytes(row) ?? 0)] as const),
    ),
  );
}

/** The whole stacks of massif; each sample is labelled with its process. */
export function stacksPprof(run: RunInfo, processes: readonly ProcessStacks[]): Uint8Array {
  const counted = run.engine.massif?.pagesAsHeap === true ? "mapped_pages" : "heap";
  const program = programOf(run);
  const builder = createProfile(run, [[counted, "bytes"]], counted);
  for (const { label, tree } of processes) {
    const locations = tree.frames.map((frame) =>
      frame.kind === "all" ? 0 : builder.location(placeOf(frame, program)),
    );
    for (let node = 0; node < tree.frame.length; node++) {
      const bytes = tree.self[node] ?? 0;
      if (bytes === 0) continue;
      const stack: number[] = [];
      for (let at = node; at > 0; at = tree.parent[at] ?? 0) stack.push(locations[tree.frame[at] ?? 0] ?? 0);
      builder.sample(stack, [bytes], label);
    }
  }
  return builder.finish();
}

/** What Python's own lines are mapped from; pprof names the profile after it. */
function programOf({ command }: RunInfo): string {
  return command.script ?? command.module ?? "";
}

function placeOf(frame: Frame, program: string): Place {
  if (frame.kind === "python") {
    const line = frame.exact ? frame.line : 0;
    const definedAt = frame.exact ? 0 : frame.line;
    return { function: frame.function, file: frame.path, line, definedAt, library: program };
  }
  const unplaced = { line: 0, definedAt: 0 };
  if (frame.kind !== "native") return { ...unplaced, function: fullName(frame), file: "", library: "" };
  const [, file = "", line = "0"] = /^(.*):(\d+)$/.exec(frame.source ?? "") ?? [];
  const name = frame.function ?? fullName(frame);
  return { ...unplaced, function: name, file, line: Number(line), library: frame.library ?? "" };
}

/**
 * @param types of each sample's values: name and unit
 * @param preferred the type that is shown first
 */
function createProfile(run: RunInfo, types: readonly (readonly [string, string])[], preferred: string) {
  const writer = createProtobufWriter();
  const strings = createNumbering<string>();
  const string = (text: string) => strings.number(text, text);
  string("");
  const mappings = createNumbering<string>();
  const functions = createNumbering<Place>();
  const locations = createNumbering<Place>();
  const functionOf = (place: Place) =>
    functions.number(JSON.stringify([place.function, place.file, place.library]), place);
  const mappingOf = ({ library }: Place) => (library === "" ? -1 : mappings.number(library, library));

  for (const [type, unit] of types) {
    writer.message(PROFILE.sampleType, (inner) => {
      inner.integer(1, string(type));
      inner.integer(2, string(unit));
    });
  }

  function writeTables(out: ProtobufWriter): void {
    for (const [at, library] of mappings.values().entries()) {
      out.message(PROFILE.mapping, (inner) => {
        inner.integer(1, at + 1);
        inner.integer(5, string(library));
        // It has functions, file names and line numbers: nothing needs to be looked up.
        for (const field of [7, 8, 9]) inner.integer(field, 1);
      });
    }
    for (const [at, place] of locations.values().entries()) {
      out.message(PROFILE.location, (inner) => {
        inner.integer(1, at + 1);
        inner.integer(2, mappingOf(place) + 1);
        inner.message(4, (line) => {
          line.integer(1, functionOf(place) + 1);
          line.integer(2, place.line);
        });
      });
    }
    for (const [at, place] of functions.values().entries()) {
      out.message(PROFILE.function, (inner) => {
        inner.integer(1, at + 1);
        inner.integer(2, string(place.function));
        inner.integer(3, string(place.function));
        inner.integer(4, string(place.file));
        inner.integer(5, place.definedAt);
      });
    }
  }

  return {
    location(place: Place): number {
      mappingOf(place);
      functionOf(place);
      return locations.number(JSON.stringify(place), place) + 1;
    },
    /** @param stack locations, the innermost first */
    sample(stack: readonly number[], values: readonly number[], process?: string): void {
      writer.message(PROFILE.sample, (inner) => {
        inner.packed(1, stack);
        inner.packed(2, values);
        if (process === undefined) return;
        inner.message(3, (label) => {
          label.integer(1, string("process"));
          label.integer(2, string(process));
        });
      });
    },
    finish(): Uint8Array {
      writeTables(writer);
      const started = Date.parse(run.started ?? "");
      if (Number.isFinite(started)) writer.integer(PROFILE.timeNanos, BigInt(started) * 1_000_000n);
      if (run.elapsedMs !== undefined) writer.integer(PROFILE.durationNanos, BigInt(Math.round(run.elapsedMs * 1e6)));
      writer.packed(PROFILE.comment, [string(`${runTitle(run)} (${run.id})`)]);
      writer.integer(PROFILE.defaultSampleType, string(preferred));
      for (const text of strings.values()) writer.text(PROFILE.strings, text);
      return gzipSync(writer.bytes());
    },
  };
}

/** Gives equal keys one number, from 0 on. */
function createNumbering<T>() {
  const numbers = new Map<string, number>();
  const values: T[] = [];
  return {
    number(key: string, value: T): number {
      let number = numbers.get(key);
      if (number === undefined) {
        number = values.push(value) - 1;
        numbers.set(key, number);
      }
      return number;
    },
    values: (): readonly T[] => values,
  };
}
