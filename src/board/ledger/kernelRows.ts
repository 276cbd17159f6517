/** What the kernel holds for itself: counts that it keeps once per page, and that do not overlap. */
import { type Phrase, phrase, say } from "../../words/t.ts";
import type { Facts } from "./facts.ts";
import type { LedgerRow, Sureness } from "./model.ts";
import type { Purse } from "./purse.ts";

interface KernelCount {
  readonly id: string;
  readonly label: Phrase;
  readonly sureness: Sureness;
  readonly how: Phrase;
  /** Undefined where this kernel does not tell it. */
  readonly bytes: (facts: Facts) => number | undefined;
}

const COUNTS: readonly KernelCount[] = [
  {
    id: "kernel.slabUnreclaimable",
    label: phrase("Kernel objects that stay"),
    sureness: "exact",
    how: phrase("SUnreclaim: the kernel's and the drivers' own objects."),
    bytes: ({ count }) => count("SUnreclaim") ?? count("Slab"),
  },
  {
    id: "kernel.slabReclaimable",
    label: phrase("Kernel objects that can be given back"),
    sureness: "exact",
    how: phrase("SReclaimable: names and inodes of files, kept to find them sooner."),
    bytes: ({ count }) => count("SReclaimable"),
  },
  {
    id: "kernel.reclaimable",
    label: phrase("Other kernel memory that can be given back"),
    sureness: "exact",
    how: phrase("KReclaimable less SReclaimable: pools of drivers. Kernels before 4.20 do not report it."),
    bytes: ({ count }) => difference(count("KReclaimable"), count("SReclaimable")),
  },
  {
    id: "kernel.pageTables",
    label: phrase("Page tables"),
    sureness: "exact",
    how: phrase("PageTables and SecPageTables: where each page of each program lies."),
    bytes: ({ count }) => sum(count("PageTables"), count("SecPageTables")),
  },
  {
    id: "kernel.stacks",
    label: phrase("Kernel stacks"),
    sureness: "exact",
    how: phrase("KernelStack: one for each thread, and ShadowCallStack where the kernel has it."),
    bytes: ({ count }) => sum(count("KernelStack"), count("ShadowCallStack")),
  },
  {
    id: "kernel.percpu",
    label: phrase("Per-processor data of the kernel"),
    sureness: "exact",
    how: phrase("Percpu: what the kernel keeps for each processor core. Kernels before 4.19 do not report it."),
    bytes: ({ count }) => count("Percpu"),
  },
  {
    id: "kernel.vmalloc",
    label: phrase("Large areas of the kernel and its modules"),
    sureness: "estimated",
    how: phrase(
      "VmallocUsed less the kernel stacks, which most kernels count in it. Too small where they do not. Kernels before 5.3 print 0.",
    ),
    bytes: ({ count }) => difference(count("VmallocUsed"), sum(count("KernelStack"), count("ShadowCallStack"))),
  },
  {
    id: "kernel.hugePages",
    label: phrase("Huge pages set aside"),
    sureness: "exact",
    how: phrase(
      "Hugetlb, or HugePages_Total × Hugepagesize: RAM that only programs that ask for huge pages get, used or not.",
    ),
    bytes: ({ count }) => count("Hugetlb") ?? (count("HugePages_Total") ?? 0) * (count("Hugepagesize") ?? 0),
  },
  {
    id: "kernel.swapCache",
    label: phrase("Swap cache that no program has mapped"),
    sureness: "estimated",
    how: phrase(
      "Pages read back from swap or on their way there: what the lists of anonymous pages have beyond AnonPages and Shmem, at most SwapCached. The rest of SwapCached is in the programs' memory.",
    ),
    bytes: unmappedSwapCache,
  },
  {
    id: "kernel.zram",
    label: phrase("Compressed swap in RAM (zram)"),
    sureness: "exact",
    how: phrase("mem_used_total of /sys/block/zram*/mm_stat: what the swapped pages take of the RAM, compressed."),
    bytes: ({ moment }) => moment.zram?.used,
  },
  {
    id: "kernel.zswap",
    label: phrase("Compressed swap cache (zswap)"),
    sureness: "exact",
    how: phrase("Zswap: pages on their way to swap, kept compressed in RAM."),
    bytes: ({ count }) => count("Zswap"),
  },
  {
    id: "kernel.nvmapPool",
    label: phrase("GPU memory kept ready (NvMap's pool)"),
    sureness: "exact",
    how: phrase(
      "NvMapMemFree: freed GPU memory that the driver keeps for the next request, and gives back when memory is tight.",
    ),
    bytes: ({ count }) => count("NvMapMemFree"),
  },
];

/** Takes each count out of `purse`; a count of nothing has no row. */
export function kernelRows(facts: Facts, purse: Purse): LedgerRow[] {
  return COUNTS.flatMap(({ id, label: name, sureness, how, bytes: of }) => {
    const label = say(name);
    const bytes = purse.take(label, of(facts) ?? 0);
    return bytes === 0 ? [] : [{ id, group: "kernel" as const, label, bytes, sureness, how: say(how) }];
  });
}

/**
 * SwapCached overlaps AnonPages: a page of it that a program has mapped is in both. Pages of the lists of anonymous
 * memory that are neither mapped (AnonPages) nor shared memory are the ones that are not.
 */
function unmappedSwapCache({ count }: Facts): number | undefined {
  const lists = sum(count("Active(anon)"), count("Inactive(anon)"));
  const swapCached = count("SwapCached");
  if (lists === undefined || swapCached === undefined) return undefined;
  return Math.min(swapCached, Math.max(0, lists - (count("AnonPages") ?? 0) - (count("Shmem") ?? 0)));
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}

/** `a − b`, at least 0; undefined where `a` is not told. */
function difference(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? undefined : Math.max(0, a - (b ?? 0));
}
