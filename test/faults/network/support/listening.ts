/** Where processes of this machine listen, as the kernel has it. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The processes and all that they started, found by who their parents are. */
export function withChildren(pids: readonly number[]): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    // The name, in brackets, may hold anything.
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : "";
    const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const found = new Set(pids);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/**
 * Each as `tcp 127.0.0.1:4242`, `udp …` or `unix @name` (abstract: any user may connect). Sockets in the file system
 * are guarded by its permissions and left out.
 */
export function listening(pids: readonly number[]): readonly string[] {
  const inodes = new Set(pids.flatMap(socketsOf));
  const found: string[] = [];
  for (const table of ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"]) {
    for (const line of read(`/proc/net/${table}`).split("\n").slice(1)) {
      const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
      const waits = table.startsWith("tcp") ? state === "0A" : /^0+:0000$/.test(remote ?? "");
      if (local !== undefined && waits && inodes.has(inode ?? "")) found.push(`${table} ${address(local)}`);
    }
  }
  for (const line of read("/proc/net/unix").split("\n").slice(1)) {
    const [, , , flags, , , inode, path] = line.trim().split(/\s+/);
    const ACCEPTS = 0x10000;
    if (path?.startsWith("@") === true && (Number(`0x${flags}`) & ACCEPTS) !== 0 && inodes.has(inode ?? ""))
      found.push(`unix ${path}`);
  }
  return found;
}

function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? [];
        return inode === undefined ? [] : [inode];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** The kernel's hexadecimal, four bytes at a time in this machine's (little-endian) order. */
function address(text: string): string {
  const [host = "", port = ""] = text.split(":");
  const words = host.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16)));
  const name = bytes.length === 4 ? bytes.join(".") : Buffer.from(bytes).toString("hex");
  return `${name}:${Number.parseInt(port, 16)}`;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
