/** The commands by their groups, in the order of docs/commands.md, and their ids as a type. */
import { BOARD } from "./commands/board.ts";
import { COMPARING } from "./commands/comparing.ts";
import { KEEPING } from "./commands/keeping.ts";
import { LOOKING } from "./commands/looking.ts";
import { MEASURING } from "./commands/measuring.ts";
import { RUNNING } from "./commands/running.ts";
import { WORDS } from "./commands/words.ts";

export const COMMAND_GROUPS = [MEASURING, RUNNING, BOARD, LOOKING, COMPARING, KEEPING, WORDS] as const;

type NamesOf<Group> = Group extends { readonly commands: infer Commands } ? keyof Commands & string : never;
/** Of a command that the manifest names. */
export type CommandName = NamesOf<(typeof COMMAND_GROUPS)[number]>;
export type CommandId = `jetsonMemprof.${CommandName}`;
/** Items of the status bar, and what VS Code makes of our view. */
export type HiddenCommandId = `jetsonMemprof.${"runMenu" | "comparisonMenu" | "runs.focus"}`;
