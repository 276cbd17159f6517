/** What a board answered to `survey`: raw texts and facts, checked (docs/board-protocol.md). */
import * as v from "valibot";
import { defined } from "../profile/defined.ts";
import { amount, index, present } from "../profile/files/jsonRecords.ts";
import { UserError } from "../profile/userError.ts";
import { t } from "../words/t.ts";
import type { ProcessMemory } from "./moments/model.ts";
import { readProcess } from "./parse/processTuple.ts";

const SCHEMA = 1;

export type Unreadable = "missing" | "permission-denied" | "failed";

export interface SurveyedPython {
  readonly path: string;
  readonly version: string;
  /** Of the packages as installed there; absent where they are not. */
  readonly torch?: string;
  readonly memory_profiler?: string;
  readonly psutil?: string;
  /** The CUDA that torch was built for; null for a build without CUDA, absent where it cannot be told. */
  readonly torch_cuda?: string | null;
  /** It can install packages by itself. */
  readonly pip?: boolean;
  /** The interpreter that runs scripts. */
  readonly used: boolean;
}

/** What the board did not tell is absent. Sizes are bytes. */
export interface Survey {
  /** What is simulated, for a board that is none. */
  readonly simulated?: string;
  /** Texts by path from the root, without the first `/`. */
  readonly files: Readonly<Record<string, string>>;
  readonly unreadable: Readonly<Record<string, Unreadable>>;
  readonly links: Readonly<Record<string, string>>;
  readonly user?: {
    readonly uid: number;
    readonly name?: string;
    readonly groups: readonly string[];
    /** Whether the account may use sudo, and whether that asks for a password. */
    readonly sudo?: "none" | "password" | "free";
  };
  /** null: looked for and not there. */
  readonly programs: Readonly<Record<string, { readonly path: string; readonly version?: string } | null>>;
  readonly packages: Readonly<Record<string, string | null>>;
  readonly pythons: readonly SurveyedPython[];
  readonly processes: readonly ProcessMemory[];
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly kernel?: { readonly release?: string; readonly machine?: string };
  readonly disk?: { readonly path: string; readonly free: number };
  readonly memoryLimit?: number;
  /** What the container said in which scripts run, by its place: `container:NAME`. */
  readonly container?: { readonly place: string; readonly survey: Survey };
}

const text = v.pipe(v.string(), v.maxLength(1_000));
const content = v.pipe(v.string(), v.maxLength(256 * 1024));
const optional = <T extends v.GenericSchema>(schema: T) => v.optional(v.nullable(v.fallback(v.nullable(schema), null)));

const MAX_ENTRIES = 1_000;
/** A board has some hundreds of processes. */
const MAX_LISTED = 50_000;

/** The entries that are as they should be; the others are as good as not there. */
function entries<T extends v.GenericSchema>(schema: T) {
  return v.optional(
    v.pipe(
      v.unknown(),
      v.transform((value): Readonly<Record<string, v.InferOutput<T>>> => {
        const all = typeof value === "object" && value !== null ? Object.entries(value) : [];
        return Object.fromEntries(
          all.slice(0, MAX_ENTRIES).flatMap(([key, item]) => {
            const result = v.safeParse(schema, item);
            return result.success ? [[key, result.output] as const] : [];
          }),
        );
      }),
    ),
    {},
  );
}

function list<T>(read: (value: unknown) => T | undefined) {
  return v.optional(
    v.pipe(
      v.unknown(),
      v.transform((value): readonly T[] =>
        (Array.isArray(value) ? value.slice(0, MAX_LISTED) : []).flatMap((item: unknown) => read(item) ?? []),
      ),
    ),
    [],
  );
}

const program = v.nullable(
  v.pipe(
    v.object({ path: text, version: optional(text) }),
    v.transform((value) => present(value)),
  ),
);

const user = v.pipe(
  v.object({
    uid: index,
    name: optional(text),
    groups: v.optional(v.fallback(v.array(text), []), []),
    sudo: optional(v.picklist(["none", "password", "free"])),
  }),
  v.transform((value) => present(value)),
);

const python = v.pipe(
  v.object({
    path: text,
    version: text,
    torch: optional(text),
    memory_profiler: optional(text),
    psutil: optional(text),
    torch_cuda: v.fallback(v.optional(v.nullable(text)), undefined),
    pip: optional(v.boolean()),
    used: v.optional(v.fallback(v.boolean(), false), false),
  }),
  v.transform(
    ({ torch_cuda, ...rest }): SurveyedPython => ({
      ...present(rest),
      // Here null says something: a build without CUDA.
      ...defined({ torch_cuda }),
    }),
  ),
);

const named = v.pipe(
  v.object({ release: optional(text), machine: optional(text) }),
  v.transform((value) => present(value)),
);

const survey = v.object({
  schema: v.number(),
  simulated: optional(text),
  files: entries(content),
  unreadable: entries(v.picklist(["missing", "permission-denied", "failed"])),
  links: entries(text),
  user: optional(user),
  programs: entries(program),
  packages: entries(v.nullable(text)),
  pythons: list((value) => {
    const result = v.safeParse(python, value);
    return result.success ? result.output : undefined;
  }),
  processes: list(readProcess),
  capabilities: entries(v.boolean()),
  kernel: optional(named),
  disk: optional(v.object({ path: text, free: amount })),
  memory_limit: optional(amount),
});

/**
 * A part that is wrong is left out, as it would be where the board could not read it.
 * @throws UserError `survey-damaged`, `schema-too-new`
 */
export function decodeSurvey(value: unknown): Survey {
  const result = v.safeParse(survey, value);
  if (!result.success) {
    throw new UserError(
      "survey-damaged",
      t("What the board answered to Check Board cannot be understood."),
      t("Update the extension. If it stays, delete ~/.jetson-memprof/helper on the board and try again."),
    );
  }
  const { schema, memory_limit, ...rest } = result.output;
  if (schema > SCHEMA) {
    throw new UserError(
      "schema-too-new",
      t("The board answered to Check Board in format {0}; this version reads up to format {1}.", schema, SCHEMA),
      t("Update the Jetson Memory Profiler extension (or command), then check the board again."),
    );
  }
  return { ...present(rest), ...(memory_limit == null ? {} : { memoryLimit: memory_limit }) };
}
