/** What else on the board takes memory, and where memory could come from. */
import { formatBytes } from "../../../profile/text/format.ts";
import { phrase, say, sentences, t } from "../../../words/t.ts";
import { hasSwapLeft } from "../../ending/lastMoments.ts";
import { containerUse } from "../../ending/words.ts";
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
        ? t("The run was killed, most likely because memory ran out.")
        : t("The run ended with no traceback: it was killed when memory ran out."),
    evidence: [
      report.evidence === undefined
        ? report.kind === "killed"
          ? t("It was ended by SIGKILL, nobody recorded by whom")
          : t("It was ended by SIGKILL")
        : sentence(report.evidence),
      ...leftThen(last),
    ],
    remedy: sentences(
      say(SWAP_REMEDIES[swap]),
      board.tegra ? t("Memory of the GPU cannot be swapped.") : undefined,
      swap === "add" ? howItStays() : undefined,
    ),
    steps: [...(swap === "add" ? [addSwap()] : []), ...(report.kernelLog.length > 0 ? [] : [readKernelLog()])],
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
  left: phrase("Use smaller batches: swap was left, so more of it would hardly have helped."),
  there: phrase("Use smaller batches: the board has swap on its disk already, so the script itself has to use less."),
  add: phrase(
    "Use smaller batches, or give the board swap on its disk: memory of the CPU that is seldom used then makes room.",
  ),
} as const;

function leftThen(last: Moment | undefined): string[] {
  const { SwapTotal: swapTotal, SwapFree: swapFree } = last?.meminfo ?? {};
  return [
    ...leftAtLast(last),
    ...(swapTotal === undefined || swapFree === undefined || swapTotal === 0
      ? []
      : [t("{0} of {1} of swap were free", formatBytes(swapFree), formatBytes(swapTotal))]),
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

const addSwap = () => ({
  kind: "command" as const,
  label: t("Add 4 GiB of swap on the board's disk"),
  command: `sudo ${addSwapFile(4)}`,
});
const howItStays = () => t("The swap file is used after a restart too; `sudo {0}` takes it away.", REMOVE_SWAP_FILE);
const readKernelLog = () => ({
  kind: "command" as const,
  label: t("Read what the kernel's log says of it"),
  command: "sudo dmesg | grep -i -E 'out of memory|oom-kill|killed process'",
});

export const memoryLimit: Rule = ({ report, tightest, last }) => {
  if (report?.kind !== "memory-limit") return undefined;
  const line = report.kernelLog.find((one) => /memory cgroup out of memory/i.test(one)) ?? report.kernelLog[0];
  const available = tightest?.meminfo["MemAvailable"];
  return {
    rule: "memory-limit",
    symptom: t(
      "The run reached the memory limit of its group (a container or a service), not the end of the board's memory.",
    ),
    evidence: [
      ...(line !== undefined
        ? [t("The kernel's log says: {0}", line)]
        : report.evidence === undefined
          ? []
          : [sentence(report.evidence)]),
      ...containerUse(last),
      ...(available === undefined
        ? []
        : [t("At the tightest moment {0} of the board's memory were available", formatBytes(available))]),
    ],
    remedy: t(
      "Raise the group's limit (for Docker: `--memory`; for a service: MemoryMax), or make the script need less. Check Board shows the limit of your own login.",
    ),
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
  const names = largest.map(({ label, bytes }) => `${label} ${formatBytes(bytes)}`).join(t(", "));
  return {
    rule: "desktop",
    symptom: t("A desktop runs on the board and takes memory that the script lacks."),
    evidence: [
      names === ""
        ? t("Before the script began, the desktop's programs held {0}", formatBytes(row.bytes))
        : t("Before the script began, the desktop's programs held {0} ({1})", formatBytes(row.bytes), names),
    ],
    remedy: t(
      "End the desktop while you train: work over SSH continues, but what is open and not saved on the board's screen is lost. It comes back with `sudo systemctl isolate graphical.target`, or when the board is restarted. To leave it off for good: `sudo systemctl set-default multi-user.target`.",
    ),
    steps: [
      {
        kind: "command",
        label: t("End the desktop until the next start"),
        command: "sudo systemctl isolate multi-user.target",
      },
    ],
    saves: { bytes: row.bytes, how: t("what its programs held before the script began, without libraries they share") },
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
    symptom: t("The board's swap is in its own RAM (zram) and takes part of what it is to make room for."),
    evidence: [
      t("At the tightest moment zram held {0} in {1} of RAM", formatBytes(zram.stored), formatBytes(zram.used)),
    ],
    remedy: onDisk
      ? t(
          "Swap on a disk takes no RAM: the board has some, so switch zram off and start the board again. `sudo systemctl enable nvzramconfig` switches it on again.",
        )
      : t(
          "Swap on a disk takes no RAM: add a swap file, then switch zram off and restart the board. `sudo systemctl enable nvzramconfig` switches it on again.",
        ),
    steps: [
      ...(onDisk ? [] : [addSwap()]),
      {
        kind: "command",
        label: t("Switch zram off from the next start on"),
        command: "sudo systemctl disable nvzramconfig",
      },
    ],
    saves: {
      bytes: zram.used,
      how: t("what zram took of the RAM at the tightest moment; the disk must then hold what was in it"),
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
  return {
    rule: "left-over-process",
    symptom: t(
      "Another Python process held memory before the script began, perhaps one left over from an earlier run.",
    ),
    evidence: [
      held.gpu > 0
        ? t(
            "{0} (process {1}) held {2} and {3} of GPU memory",
            held.name,
            held.pid,
            formatBytes(held.bytes),
            formatBytes(held.gpu),
          )
        : t("{0} (process {1}) held {2}", held.name, held.pid, formatBytes(held.bytes)),
    ],
    remedy: t(
      "See what it is. If nobody needs it, end it; a notebook keeps what its cells made until its kernel is shut down.",
    ),
    steps: [
      {
        kind: "command",
        label: t("See what this process is"),
        command: `ps -o pid,user,lstart,rss,args -p ${held.pid}`,
      },
    ],
    saves: { bytes: held.bytes + held.gpu, how: t("what it held before the script began, if it is ended") },
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
    symptom: t("CUDA ran out of memory although swap was free."),
    evidence: [t("At the last record {0} of {1} of swap were free", formatBytes(free), formatBytes(total))],
    remedy: t(
      "Memory of the GPU cannot be swapped, so more swap alone does not help CUDA. It helps as far as other programs' memory can go there; beyond that the tensors have to get smaller: smaller batches, or less precision.",
    ),
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
    symptom: t("CUDA saw little memory free, though files that the kernel keeps in memory could have made room."),
    evidence: [
      t("At the last record {0} were free and {1} available", formatBytes(free), formatBytes(available)),
      t("What lies between is mostly page cache, which torch.cuda.mem_get_info counts as used"),
    ],
    remedy: t(
      "Usually the kernel gives up the page cache by itself, but not always in time for the GPU. Empty it before the script starts; that is safe and only makes the next reading of files slower.",
    ),
    steps: [
      {
        kind: "command",
        label: t("Empty the page cache once"),
        command: "sudo sh -c 'sync && echo 3 > /proc/sys/vm/drop_caches'",
      },
    ],
    source: CUDA_FOR_TEGRA,
    strength: "likely",
  };
};
