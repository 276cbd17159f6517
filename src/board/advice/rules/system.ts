/** What else on the board takes memory, and where memory could come from. */
import { formatBytes } from "../../../profile/format.ts";
import { hasSwapLeft } from "../../ending/lastMoments.ts";
import type { Moment } from "../../moments/model.ts";
import { addSwapFile, REMOVE_SWAP_FILE } from "../../swapFile.ts";
import { endedInCuda, type Rule, type RunFacts } from "../facts.ts";
import { CUDA_FOR_TEGRA, JETSON_RAM, KERNEL_MEMORY, PROC_MEMINFO } from "../sources.ts";
import { leftAtLast } from "./steps.ts";

const MIB = 2 ** 20;

export const killedForMemory: Rule = (facts) => {
  const { report, tight, last, board } = facts;
  if (report === undefined || !tight) return undefined;
  if (report.kind !== "kernel-out-of-memory" && report.kind !== "killed") return undefined;
  const swap = swapHelp(facts);
  // Most likely it was not the kernel then.
  if (report.kind === "killed" && swap === "left") return undefined;
  return {
    rule: "killed",
    symptom:
      report.kind === "killed"
        ? "The run was killed, most likely because memory ran out."
        : "The run ended with no traceback: it was killed when memory ran out.",
    evidence: [
      report.evidence === undefined
        ? `It was ended by SIGKILL${report.kind === "killed" ? ", nobody recorded by whom" : ""}`
        : sentence(report.evidence),
      ...leftThen(last),
    ],
    remedy: [
      SWAP_REMEDIES[swap],
      ...(board.tegra ? ["Memory of the GPU cannot be swapped."] : []),
      ...(swap === "add" ? [HOW_IT_STAYS] : []),
    ].join(" "),
    steps: [...(swap === "add" ? [ADD_SWAP] : []), ...(report.kernelLog.length > 0 ? [] : [READ_KERNEL_LOG])],
    source: KERNEL_MEMORY,
    strength: report.kind === "killed" ? "likely" : "certain",
  };
};

/** Whether swap on a disk would help: it is used up there, there was some left, or there is none. */
function swapHelp(facts: RunFacts): keyof typeof SWAP_REMEDIES {
  if (facts.last !== undefined && hasSwapLeft(facts.last)) return "left";
  return hasDiskSwap(facts) ? "there" : "add";
}

const SWAP_REMEDIES = {
  left: "Use smaller batches: swap was left, so more of it would hardly have helped.",
  there: "Use smaller batches: the board has swap on its disk already, so the script itself has to use less.",
  add: "Use smaller batches, or give the board swap on its disk: memory of the CPU that is seldom used then makes room.",
} as const;

function leftThen(last: Moment | undefined): string[] {
  const { SwapTotal: swapTotal, SwapFree: swapFree } = last?.meminfo ?? {};
  return [
    ...leftAtLast(last),
    ...(swapTotal === undefined || swapFree === undefined || swapTotal === 0
      ? []
      : [`${formatBytes(swapFree)} of ${formatBytes(swapTotal)} of swap were free`]),
  ];
}

/**
 * Whether at least 1 GiB of the swap is not in RAM. Of zram only what is in it was recorded, not how much it takes at
 * most: on a Jetson that is half of the RAM, elsewhere usually no more than all of it.
 */
function hasDiskSwap({ last, board, memTotal = 0 }: RunFacts): boolean {
  const inRam = last?.zram === undefined ? 0 : memTotal / (board.tegra ? 2 : 1);
  return (last?.meminfo["SwapTotal"] ?? 0) - inRam >= 1024 * MIB;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const ADD_SWAP = {
  kind: "command",
  label: "Add 4 GiB of swap on the board's disk",
  command: `sudo ${addSwapFile(4)}`,
} as const;
const HOW_IT_STAYS = `The swap file is used after a restart too; \`sudo ${REMOVE_SWAP_FILE}\` takes it away.`;
const READ_KERNEL_LOG = {
  kind: "command",
  label: "Read what the kernel's log says of it",
  command: "sudo dmesg | grep -i -E 'out of memory|oom-kill|killed process'",
} as const;

export const memoryLimit: Rule = ({ report, tightest }) => {
  if (report?.kind !== "memory-limit") return undefined;
  const line = report.kernelLog.find((one) => /memory cgroup out of memory/i.test(one)) ?? report.kernelLog[0];
  const available = tightest?.meminfo["MemAvailable"];
  return {
    rule: "memory-limit",
    symptom: "The run reached the memory limit of its group (a container or a service), not the board's end.",
    evidence: [
      ...(line !== undefined
        ? [`The kernel's log says: ${line}`]
        : report.evidence === undefined
          ? []
          : [sentence(report.evidence)]),
      ...(available === undefined
        ? []
        : [`At the tightest moment ${formatBytes(available)} of the board's memory were available`]),
    ],
    remedy:
      "Raise the group's limit (for Docker: `--memory`; for a service: MemoryMax), or make the script need less. Check " +
      "Board shows the limit of your own login.",
    steps: [],
    source: KERNEL_MEMORY,
    strength: line === undefined ? "likely" : "certain",
  };
};

export const desktopRunning: Rule = ({ ledgerBefore, tight, board, run }) => {
  const row = ledgerBefore?.rows.find(({ id }) => id === "others.desktop");
  const small = board.tegra || /^(?:aarch64|arm)/.test(run.board.machine ?? "");
  if (!tight || !small || row?.bytes === undefined || row.bytes < 100 * MIB) return undefined;
  const largest = [...(row.parts ?? [])].sort((a, b) => b.bytes - a.bytes).slice(0, 4);
  const names = largest.map(({ label, bytes }) => `${label} ${formatBytes(bytes)}`).join(", ");
  return {
    rule: "desktop",
    symptom: "A desktop runs on the board and takes memory that the script lacks.",
    evidence: [
      `Before the script began, the desktop's programs held ${formatBytes(row.bytes)}${names === "" ? "" : ` (${names})`}`,
    ],
    remedy:
      "End the desktop while you train: work over SSH goes on, but what is open and not saved on the board's screen is " +
      "lost. It comes back with `sudo systemctl isolate graphical.target`, or when the board is started again. To leave " +
      "it off for good: `sudo systemctl set-default multi-user.target`.",
    steps: [
      {
        kind: "command",
        label: "End the desktop until the next start",
        command: "sudo systemctl isolate multi-user.target",
      },
    ],
    saves: { bytes: row.bytes, how: "what its programs held before the script began, without libraries they share" },
    source: JETSON_RAM,
    strength: "certain",
  };
};

export const zramTakesRam: Rule = (facts) => {
  const { board, tight, tightest, memTotal } = facts;
  const zram = tightest?.zram;
  if (!board.tegra || !tight || zram === undefined || memTotal === undefined) return undefined;
  if (zram.used < 0.03 * memTotal) return undefined;
  const onDisk = hasDiskSwap(facts);
  return {
    rule: "zram",
    symptom: "The board's swap lies in its own RAM (zram) and takes part of what it is to make room for.",
    evidence: [`At the tightest moment zram held ${formatBytes(zram.stored)} in ${formatBytes(zram.used)} of RAM`],
    remedy:
      `Swap on a disk takes no RAM: ${onDisk ? "the board has some, so" : "add a swap file, then"} switch zram off and start the board again. ` +
      "`sudo systemctl enable nvzramconfig` switches it on again.",
    steps: [
      ...(onDisk ? [] : [ADD_SWAP]),
      {
        kind: "command",
        label: "Switch zram off from the next start on",
        command: "sudo systemctl disable nvzramconfig",
      },
    ],
    saves: {
      bytes: zram.used,
      how: "what zram took of the RAM at the tightest moment; the disk must then hold what was in it",
    },
    source: JETSON_RAM,
    strength: "certain",
  };
};

export const leftOverProcess: Rule = ({ baseline, tight }) => {
  if (!tight || baseline === undefined) return undefined;
  const held = baseline.processes
    .filter(({ name, pid }) => /^python/.test(name) && !baseline.run.includes(pid))
    .map((process) => ({
      ...process,
      bytes: process.anon ?? process.rss,
      gpu: (baseline.nvmap?.clients ?? [])
        .filter(({ pid }) => pid === process.pid)
        .reduce((sum, { bytes }) => sum + bytes, 0),
    }))
    .sort((a, b) => b.bytes + b.gpu - a.bytes - a.gpu)[0];
  if (held === undefined || held.bytes + held.gpu < 200 * MIB) return undefined;
  const gpu = held.gpu > 0 ? ` and ${formatBytes(held.gpu)} of GPU memory` : "";
  return {
    rule: "left-over-process",
    symptom: "Another Python process held memory before the script began, perhaps one left over from an earlier run.",
    evidence: [`${held.name} (process ${held.pid}) held ${formatBytes(held.bytes)}${gpu}`],
    remedy:
      "See what it is. If nobody needs it, end it; a notebook keeps what its cells made until its kernel is shut down.",
    steps: [
      {
        kind: "command",
        label: "See what this process is",
        command: `ps -o pid,user,lstart,rss,args -p ${held.pid}`,
      },
    ],
    saves: { bytes: held.bytes + held.gpu, how: "what it held before the script began, if it is ended" },
    source: PROC_MEMINFO,
    strength: "likely",
  };
};

export const swapIsNotGpu: Rule = (facts) => {
  const { board, last } = facts;
  const { SwapFree: free, SwapTotal: total } = last?.meminfo ?? {};
  if (!board.tegra || !endedInCuda(facts) || free === undefined || total === undefined || free < 256 * MIB) {
    return undefined;
  }
  return {
    rule: "swap-is-not-gpu",
    symptom: "CUDA ran out of memory although swap was free.",
    evidence: [`At the last record ${formatBytes(free)} of ${formatBytes(total)} of swap were free`],
    remedy:
      "Memory of the GPU cannot be swapped, so more swap alone does not help CUDA. It helps as far as other programs' " +
      "memory can go there; beyond that the tensors have to get smaller: smaller batches, or less precision.",
    steps: [],
    source: CUDA_FOR_TEGRA,
    strength: "certain",
  };
};

export const pageCache: Rule = (facts) => {
  const { board, last, report } = facts;
  const { MemFree: free, MemAvailable: available, MemTotal: total } = last?.meminfo ?? {};
  if (!board.tegra || !endedInCuda(facts) || free === undefined || available === undefined || total === undefined) {
    return undefined;
  }
  const asked = report?.allocator?.tried ?? 0;
  if (free > 0.1 * total || available < 0.15 * total || available < 2 * free || available < asked) return undefined;
  return {
    rule: "page-cache",
    symptom: "CUDA saw little memory free, though files that the kernel keeps in memory could have made room.",
    evidence: [
      `At the last record ${formatBytes(free)} were free and ${formatBytes(available)} available`,
      "What lies between is mostly page cache, which torch.cuda.mem_get_info counts as used",
    ],
    remedy:
      "Usually the kernel gives up the page cache by itself, but not always in time for the GPU. Empty it before the " +
      "script starts; that is safe and only makes the next reading of files slower.",
    steps: [
      {
        kind: "command",
        label: "Empty the page cache once",
        command: "sudo sh -c 'sync && echo 3 > /proc/sys/vm/drop_caches'",
      },
    ],
    source: CUDA_FOR_TEGRA,
    strength: "likely",
  };
};
