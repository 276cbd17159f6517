/** All commands, in the order in which help and reference have them. */
import { type Phrase, phrase } from "../../../words/t.ts";
import { MCP } from "./agents.ts";
import { ATTACH, CANCEL, DOCTOR, WATCH } from "./boards.ts";
import {
  CHECK,
  COMPLETION,
  IMPORT,
  LSP,
  METRICS_COMMAND,
  RUNS,
  RUNS_DELETE,
  RUNS_DELETED,
  RUNS_NAME,
  RUNS_NOTE,
  RUNS_PIN,
  RUNS_PRUNE,
  RUNS_RESTORE,
  RUNS_TAG,
  RUNS_UNPIN,
} from "./keeping.ts";
import type { CommandDescription, OptionDescription } from "./model.ts";
import { MODEL, SHARED_LAYERS, SWEEP, WHATIF } from "./models.ts";
import { PROFILE, PROFILE_OPTIONS } from "./profile.ts";
import { DIFF, EXPORT, KV_CACHE, LEDGER, MASSIF, SHOW, SNAPSHOT, TRACE, WHY } from "./reading.ts";

interface CommandGroup {
  readonly title: Phrase;
  readonly commands: readonly CommandDescription[];
}

const GROUPS = [
  { title: phrase("Measure"), commands: [PROFILE, SWEEP, ATTACH, CANCEL] },
  { title: phrase("Read a run"), commands: [SHOW, DIFF, WHY, LEDGER, MODEL, WHATIF, SHARED_LAYERS, EXPORT] },
  {
    title: phrase("Keep runs"),
    commands: [
      RUNS,
      RUNS_NAME,
      RUNS_NOTE,
      RUNS_TAG,
      RUNS_PIN,
      RUNS_UNPIN,
      RUNS_DELETE,
      RUNS_DELETED,
      RUNS_RESTORE,
      RUNS_PRUNE,
      IMPORT,
    ],
  },
  { title: phrase("Look at a board"), commands: [DOCTOR, WATCH] },
  { title: phrase("Read other files"), commands: [SNAPSHOT, MASSIF, TRACE, KV_CACHE] },
  { title: phrase("For other programs"), commands: [CHECK, METRICS_COMMAND, MCP, LSP, COMPLETION] },
] as const satisfies readonly CommandGroup[];

type NameOf<Group> = Group extends { readonly commands: readonly { readonly name: infer Name }[] } ? Name : never;

/** Of every command there is. */
export type FirstWord =
  NameOf<(typeof GROUPS)[number]> extends infer Name
    ? Name extends `${infer First} ${string}`
      ? First
      : Name & string
    : never;

export const COMMAND_GROUPS: readonly CommandGroup[] = GROUPS;
export const COMMANDS: readonly CommandDescription[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);

/** Its own options, and those of `profile` that it takes. */
export function optionsOf({ options, withProfile }: CommandDescription): readonly [string, OptionDescription][] {
  return Object.entries(withProfile ? { ...PROFILE_OPTIONS, ...options } : options);
}
