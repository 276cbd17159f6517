/** What an agent may ask: six tools that read, and one that runs a script. */
import type { Tool } from "./tool.ts";
import { compareRuns } from "./tools/compareRuns.ts";
import { estimateChange } from "./tools/estimateChange.ts";
import { explainEnding } from "./tools/explainEnding.ts";
import { getLedger } from "./tools/getLedger.ts";
import { getLines } from "./tools/getLines.ts";
import { listRuns } from "./tools/listRuns.ts";
import { type Profiling, profileScript } from "./tools/profileScript.ts";

/** Of reading; what runs scripts is made for the boards that were named. */
const READING: readonly Tool[] = [listRuns, getLines, getLedger, explainEnding, compareRuns, estimateChange];

export const toolsOf = (profiling: Profiling): readonly Tool[] => [...READING, profileScript(profiling)];
