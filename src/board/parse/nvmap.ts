/** The tables of NvMap's clients (debugfs, `nvmap/iovmm/clients` and `maps`). Bytes. */
import { defined } from "../../profile/defined.ts";
import { sizeOf } from "./units.ts";

export interface NvmapClients {
  readonly clients: readonly {
    readonly pid: number;
    /** comm, at most 15 characters; it may hold spaces. */
    readonly process: string;
    readonly client: string;
    readonly bytes: number;
  }[];
  /** The table's own total, which is exact; shared handles are divided among clients. */
  readonly total?: number;
}

const TEXT_LIMIT = 64 * 1024;
const SIZE = /^(\d{1,15})([KMG])?$/;
const PID = /^\d{1,10}$/;

/**
 * Also reads `maps`, which has the same rows; those of a client's mappings below it are indented.
 * @returns undefined for what is no such table
 */
export function parseNvmapClients(text: string): NvmapClients | undefined {
  const clients: NvmapClients["clients"][number][] = [];
  let total: number | undefined;
  let header = false;
  for (const line of text.slice(0, TEXT_LIMIT).split("\n")) {
    if (/^\s/.test(line)) continue;
    // From both ends: only the process's name may hold spaces.
    const words = line.split(/\s+/).filter((word) => word !== "");
    const [client = ""] = words;
    const [, count, unit] = SIZE.exec(words.at(-1) ?? "") ?? [];
    const pid = words.at(-2) ?? "";
    if (client === "CLIENT") header = true;
    else if (count === undefined) continue;
    else if (client === "total") total ??= sizeOf(count, unit);
    else if (words.length >= 4 && PID.test(pid)) {
      clients.push({ pid: Number(pid), process: words.slice(1, -2).join(" "), client, bytes: sizeOf(count, unit) });
    }
  }
  if (!header && clients.length === 0 && total === undefined) return undefined;
  return { clients, ...defined({ total }) };
}
