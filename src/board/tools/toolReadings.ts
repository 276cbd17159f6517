/** What each tool would call "used" at one moment: computed from the very sample that the ledger is made of. */
import { formatBytes } from "../../profile/text/format.ts";
import { type Phrase, phrase, say, sentences, t } from "../../words/t.ts";
import { countOf, gpuMemoryOf, nvmapUsed } from "../ledger/facts.ts";
import type { Moment, ProcessMemory } from "../moments/model.ts";
import type { ToolReading } from "./model.ts";
import { smemWhole } from "./smem.ts";

export interface ToolExtras {
  /** Massif's peak of the same run: bytes of the heap, or of mapped pages. */
  readonly massif?: { readonly bytes: number; readonly pages: boolean };
}

/** The tools in the order of a table, those that look at the whole board first. */
export function toolReadings(moment: Moment, extra: ToolExtras): readonly ToolReading[] {
  return [
    tegrastats(moment),
    ...meminfoTools(moment),
    free(moment),
    smemUserspace(moment),
    ...smemSums(moment),
    memoryProfiler(moment),
    massif(extra),
    torchCuda(moment),
    memGetInfo(moment),
  ];
}

type Described = Omit<ToolReading, "bytes" | "missing">;

/** With bytes, or with the reason why there are none. */
function reading(described: Described, bytes: number | undefined, missing: string): ToolReading {
  return bytes === undefined ? { ...described, missing } : { ...described, bytes };
}

/** Sums and differences of meminfo's counts; undefined where one of them is not told. */
function combined(moment: Moment, plus: readonly string[], minus: readonly string[]): number | undefined {
  let result = 0;
  for (const [names, sign] of [[plus, 1] as const, [minus, -1] as const]) {
    for (const name of names) {
      const bytes = countOf(moment, name);
      if (bytes === undefined) return undefined;
      result += sign * bytes;
    }
  }
  return Math.max(0, result);
}

const incomplete = (): string => t("The kernel's figures that it is made of were not recorded at this moment.");

interface MeminfoTool {
  readonly id: ToolReading["id"];
  readonly label: Phrase;
  readonly reason: Phrase;
  readonly plus: readonly string[];
  readonly minus: readonly string[];
}

const FREE_AND_CACHE = ["MemFree", "Buffers", "Cached"];

/**
 * https://github.com/htop-dev/htop/issues/1051 shows one computer in htop 3.0.5 and 3.2.1; 3.3.0 put shared memory back
 * (https://github.com/htop-dev/htop/pull/913). JetPack's Ubuntu has 2.1, 2.2, 3.0.5 or, from JetPack 7 on, 3.3.
 */
const MEMINFO_TOOLS: readonly MeminfoTool[] = [
  {
    id: "jtop",
    label: phrase("jtop, RAM used"),
    plus: ["MemTotal"],
    minus: FREE_AND_CACHE,
    reason: phrase(
      "It counts GPU memory and all of the kernel's own, but no page cache, and with it no shared memory.",
    ),
  },
  {
    id: "htop",
    label: phrase("htop, Mem bar"),
    plus: ["MemTotal", "Shmem"],
    minus: [...FREE_AND_CACHE, "SReclaimable"],
    reason: phrase("As jtop, less kernel objects that can be given back, but with shared memory, which cannot."),
  },
  {
    id: "htop-3.1",
    label: phrase("htop 3.1 and 3.2, Mem bar"),
    plus: ["MemTotal"],
    minus: [...FREE_AND_CACHE, "SReclaimable"],
    reason: phrase(
      "These two (Debian 12 has one) leave shared memory out of the number; it is a color of its own in the bar.",
    ),
  },
];

/** procps 3 (Ubuntu 18.04 to 22.04); procps 4 counts otherwise. */
function free(moment: Moment): ToolReading {
  const newer = combined(moment, ["MemTotal"], ["MemAvailable"]);
  return reading(
    {
      id: "free",
      label: t("free, used"),
      origin: "computed",
      formula: "MemTotal − MemFree − Buffers − Cached − SReclaimable",
      reason:
        newer === undefined
          ? t(
              "As htop 3.1. The free of Ubuntu 24.04 (procps 4) prints MemTotal − MemAvailable instead: it takes all that the kernel could not give back for used.",
            )
          : t(
              "As htop 3.1. The free of Ubuntu 24.04 (procps 4) prints MemTotal − MemAvailable instead, here {0}: it takes all that the kernel could not give back for used.",
              formatBytes(newer),
            ),
    },
    combined(moment, ["MemTotal"], [...FREE_AND_CACHE, "SReclaimable"]),
    incomplete(),
  );
}

function meminfoTools(moment: Moment): ToolReading[] {
  return MEMINFO_TOOLS.map(({ id, label, reason, plus, minus }) =>
    reading(
      {
        id,
        label: say(label),
        reason: say(reason),
        origin: "computed",
        formula: `${plus.join(" + ")} − ${minus.join(" − ")}`,
      },
      combined(moment, plus, minus),
      incomplete(),
    ),
  );
}

function tegrastats({ tegrastats: line }: Moment): ToolReading {
  return reading(
    {
      id: "tegrastats",
      label: t("tegrastats, RAM"),
      origin: "reported",
      formula: t("not published by NVIDIA"),
      reason: t(
        "NVIDIA's own figure for the whole board, in whole MB and up to an interval old; how it is made is not known.",
      ),
    },
    line?.ramUsed,
    t("tegrastats reported nothing at this moment, or is not on this board."),
  );
}

function smemUserspace(moment: Moment): ToolReading {
  const whole = smemWhole(moment.meminfo);
  return reading(
    {
      id: "smem-w",
      label: t("smem -w, userspace memory"),
      origin: "computed",
      formula: "AnonPages + Mapped",
      reason:
        whole === undefined
          ? t(
              'What all programs have mapped; GPU memory is not in it, but in smem\'s "kernel dynamic memory", with the page cache.',
            )
          : t(
              'What all programs have mapped; GPU memory is not in it, but in smem\'s "kernel dynamic memory", here {0}, with the page cache.',
              formatBytes(whole.kernel.used),
            ),
    },
    whole?.userspace.used,
    incomplete(),
  );
}

function smemSums({ processes, run }: Moment): ToolReading[] {
  const sum = (of: (process: ProcessMemory) => number | undefined) => {
    const known = processes.flatMap((process) => of(process) ?? []);
    return known.length === 0 ? undefined : known.reduce((total, bytes) => total + bytes, 0);
  };
  const leftOut = processes.filter(({ pss, uss }) => pss === undefined || uss === undefined);
  const left = leftOut.length;
  const own = leftOut.some(({ pid }) => run.includes(pid)) ? t("This run's own figures are among them.") : undefined;
  const unread =
    left === 0 || left === processes.length
      ? undefined
      : sentences(
          t(
            "{0} of {1} processes are left out: only their owner or root may read them, or they were not read since they changed, to spare the board.",
            left,
            processes.length,
          ),
          own,
          t("smem silently leaves out what it may not read."),
        );
  const missing =
    processes.length === 0
      ? t("No process was read at this moment.")
      : t(
          "Of none of the {0} processes it was read: only their owner or root may, and it takes time.",
          processes.length,
        );
  return [
    reading(
      {
        id: "smem-pss",
        label: t("smem, sum of PSS"),
        origin: "computed",
        formula: t("Σ Pss of the processes that may be read"),
        reason: sentences(
          t(
            "Each page is divided among the processes that map it, so the sum counts it once; no GPU memory and nothing of the kernel.",
          ),
          unread,
        ),
      },
      sum(({ pss }) => pss),
      missing,
    ),
    reading(
      {
        id: "smem-uss",
        label: t("smem, sum of USS"),
        origin: "computed",
        formula: t("Σ (Private_Clean + Private_Dirty) of the processes that may be read"),
        reason: sentences(
          t(
            "Only what a single process holds alone, so what would come free if it ended; shared libraries are in no process's USS.",
          ),
          unread,
        ),
      },
      sum(({ uss }) => uss),
      missing,
    ),
  ];
}

function memoryProfiler({ run, processes }: Moment): ToolReading {
  const [main] = run;
  return reading(
    {
      id: "memory_profiler",
      label: t("memory_profiler, Mem usage"),
      origin: "computed",
      formula: t("RSS of the script's main process"),
      reason: t("One process only, with the libraries it shares with others; GPU memory is in no process's RSS."),
    },
    main === undefined ? undefined : processes.find(({ pid }) => pid === main)?.rss,
    main === undefined ? t("No script was running.") : t("The script's process could not be read."),
  );
}

function massif({ massif: peak }: ToolExtras): ToolReading {
  return reading(
    {
      id: "massif",
      label: t("Massif, at its peak"),
      origin: "reported",
      formula: peak?.pages
        ? t("pages mapped by the process (--pages-as-heap)")
        : t("bytes asked for by malloc and the like"),
      reason: peak?.pages
        ? t(
            "Every page that the process mapped, whether it was ever touched or not; RAM is taken only for those that were.",
          )
        : t(
            "What the process asked malloc for, at the peak and not at this moment; no code, no stacks, no mapped files, no GPU memory.",
          ),
    },
    peak?.bytes,
    t("The run was not made under massif, or massif wrote no profile of it."),
  );
}

function torchCuda(moment: Moment): ToolReading {
  const { cuda } = moment;
  const reserved =
    cuda === undefined ? undefined : t("Its allocator reserved {0} (memory_reserved).", formatBytes(cuda.reserved));
  return reading(
    {
      id: "torch.cuda",
      label: "torch.cuda.memory_allocated",
      origin: "reported",
      formula: t("bytes of live tensors in PyTorch's caching allocator"),
      reason: sentences(t("Tensors on the GPU alone; the CUDA context and libraries come on top."), reserved),
    },
    cuda?.allocated,
    t("The script has not used CUDA with PyTorch at this moment, or PyTorch did not say."),
  );
}

/** By NVIDIA's application note on CUDA for Tegra, "Estimating total allocatable device memory". */
function memGetInfo(moment: Moment): ToolReading {
  const described: Described = {
    id: "mem_get_info",
    label: t("torch.cuda.mem_get_info, total − free"),
    origin: "computed",
    formula: "MemTotal − MemFree",
    reason: sentences(
      t(
        "The GPU's free memory is the board's: page cache counts as used, though it can be given back, and swap does not count.",
      ),
      allocatableWords(moment),
    ),
  };
  return gpuMemoryOf(moment) === "shared"
    ? reading(described, combined(moment, ["MemTotal"], ["MemFree"]), incomplete())
    : {
        ...described,
        missing: t("Only where GPU and CPU share the RAM; here the GPU has its own memory, or there is none."),
      };
}

function allocatableWords(moment: Moment): string | undefined {
  const bytes = allocatable(moment);
  return bytes === undefined
    ? undefined
    : t("By NVIDIA's own note up to {0} could be on the GPU in all.", formatBytes(bytes));
}

/** What could be on the GPU at most, if everything else that can be swapped were; bytes. */
function allocatable(moment: Moment): number | undefined {
  const device = nvmapUsed(moment);
  const [total, free, swapFree] = ["MemTotal", "MemFree", "SwapFree"].map((name) => countOf(moment, name));
  if (device === undefined || total === undefined || free === undefined || swapFree === undefined) return undefined;
  const host = total - free - device;
  return Math.max(0, host < swapFree ? total - device : total - (host - swapFree));
}
