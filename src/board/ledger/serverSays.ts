/** What inference servers say of their own memory, beside the row that their processes are in. */
import { defined } from "../../profile/defined.ts";
import { t } from "../../words/t.ts";
import type { ProcessMemory } from "../moments/model.ts";
import type { SaidKind, ServersSaid } from "../parse/serversSaid.ts";
import type { Said } from "./model.ts";
import { processKind } from "./processKinds.ts";
import { wholeBytes } from "./purse.ts";

const LABELS: Readonly<Record<SaidKind, (program: string) => string>> = {
  weights: (program) => t("{0}: weights", program),
  kv_cache: (program) => t("{0}: KV cache", program),
  compute: (program) => t("{0}: compute buffers", program),
  other: (program) => t("{0}: other buffers", program),
  whole: (program) => t("{0}: all of the model", program),
};

/** Its pid may be another program's by now: only what is a server by its name is believed to have said it. */
export function saidBy(processes: readonly ProcessMemory[], servers: ServersSaid = []): readonly Said[] {
  if (servers.length === 0) return [];
  const names = new Map(processes.map(({ pid, name }) => [pid, name]));
  return servers.flatMap(([pid, , parts]) => {
    const program = names.get(pid);
    if (program === undefined || processKind(program) !== "servers") return [];
    return parts.map(([kind, where, bytes]) => {
      const label = LABELS[kind](program);
      return {
        label: where === null ? label : t("{0} ({1})", label, where),
        bytes: wholeBytes(bytes),
        program,
        pid,
        kind,
        ...defined({ where: where ?? undefined }),
      };
    });
  });
}
