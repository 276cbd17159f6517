/** What there is to say of each term beyond its sentence: Markdown, with links as they stand in `docs/`. */
import { type Phrase, phrase } from "../../words/t.ts";
import type { TermId } from "./glossary.ts";

const TEXTS: Readonly<Record<TermId, Phrase>> = {
  rss: phrase(
    "Its libraries' code and mapped files are included. A page that ten processes share counts in each of them, so the RSS of several processes must not be added up. On a Jetson it does **not** hold CUDA memory. Shown beside the lines, in the hover (column *RSS*), in the timeline and as the run's peak.",
  ),
  pss: phrase(
    "The PSS of all processes can be added up. The kernel reports it for your own processes only (for all to root), and takes long to work it out. Shown in the board page's table of tools, in the line of `smem`.",
  ),
  uss: phrase(
    "The libraries it shares with others are not in it. Shown in the board page's table of tools, in the line of `smem`.",
  ),
  heap: phrase(
    "A block that nobody has written to takes no page yet; a page in which one small block is left is not given back. Massif's figures are of the heap, RSS is of pages. Shown in the flame view and in the hover of a run under massif.",
  ),
  anonymous: phrase(
    "They can be moved to swap, not dropped. Shown in the ledger as *Heap and other anonymous memory*.",
  ),
  filePages: phrase("Several processes share one copy. Shown in the ledger as *Python and libraries (file pages)*."),
  shared: phrase(
    "It is in `/dev/shm`; a desktop's buffers are of this kind too. The kernel counts it among the page cache, but cannot drop it. Shown in the ledger, of the run and outside the run.",
  ),
  memTotal: phrase(
    "The first line of `/proc/meminfo`. Shown in the ledger as *All of the RAM*, which its rows add up to.",
  ),
  memFree: phrase(
    "A line of `/proc/meminfo`. Little of it is no cause for alarm: the kernel fills free RAM with page cache. Shown in the ledger as *Free*.",
  ),
  memAvailable: phrase(
    "Free memory and most of the page cache. A line of `/proc/meminfo`. Shown in **Watch Memory**, in the status bar and in the ledger.",
  ),
  boardInUse: phrase(
    "MemTotal − MemAvailable. Other programs and the kernel are in it, so a figure by line is of the whole board, not of your script. Shown beside the lines where you switch to *board*, in the hover (column *Board in use*) and by `--metric system`.",
  ),
  pageCache: phrase(
    "So a board with little free memory may have much available. Shown in the ledger as *Page cache that no program has mapped*.",
  ),
  swap: phrase(
    "Only anonymous memory goes there; memory of the GPU cannot be swapped. Shown in the board page, in **Watch Memory** and by **Check Board**.",
  ),
  zram: phrase(
    "It makes room by packing pages, but the packed ones still take RAM. Shown in the ledger as *Compressed swap in RAM (zram)*.",
  ),
  nvmap: phrase(
    "That memory is pages of the one RAM, and is not in PSS either. How much there is stands in `/proc/meminfo` on JetPack 4 (`NvMapMemUsed`), whose it is stands in a table for root only. Shown in the ledger's group *GPU*; where it cannot be read, the row says so and has no size.",
  ),
  cma: phrase("It is a view of pages that are counted elsewhere, so the ledger has no row for it."),
  lfb: phrase(
    "Free memory in small pieces can be too little for the GPU although the sum would do. This is one form of [fragmentation](#fragmentation).",
  ),
  oomKiller: phrase(
    "Out of memory killer; the process gets SIGKILL. The shell prints `Killed`, Python prints nothing. Shown as **Why Was It Killed?** on the run, and as a mark on the line that was being executed.",
  ),
  ledger: phrase(
    "It is made of one moment. Shown in the board page and by `jetson-memprof ledger` ([ledger.md](ledger.md)).",
  ),
  moment: phrase("The ledger and the tools' figures are made of one moment. Kept in `moments.jsonl`."),
  baseline: phrase(
    "Which of the two is meant is said where it is used. On the board page it is the moment before the script; *Change* counts from it. In `jetson-memprof check --baseline` it is the earlier run.",
  ),
  allocated: phrase(
    "`torch.cuda.memory_allocated()`. Shown beside the lines where you switch to *CUDA*, and in the hover (column *CUDA allocated*).",
  ),
  reserved: phrase(
    "`torch.cuda.memory_reserved()`. It holds what is allocated, so the two must not be added. Programs like tegrastats see what is reserved. Shown in the hover (column *CUDA reserved*) and in the ledger as two rows, tensors and PyTorch's reserve.",
  ),
  cudaContext: phrase(
    "PyTorch's figures do not have it. Shown in the ledger's group *GPU* and, as what is outside the allocator, in the table of phases; both are worked out, not counted.",
  ),
  activations: phrase("They grow with the batch. Shown by layer in the [model account](model.md)."),
  optimizerState: phrase("It comes into being at the first `step()`. Shown by layer in the [model account](model.md)."),
  phase: phrase(
    "The others are moving the model, the backward pass, the optimizer step and the steady state. Shown as a table below the lines in a terminal, on the board page and in an exported report.",
  ),
  allocatorSnapshot: phrase(
    "It is opened with **Open Allocator Snapshot…** ([snapshots.md](snapshots.md)). Massif's snapshots are something else: see [Massif snapshot](#massif-snapshot).",
  ),
  segment: phrase(
    "A segment goes back to CUDA only when all of its blocks are free. All segments together are what is [reserved](#reserved). Shown on the snapshot page, as *Allocator state*.",
  ),
  fragmentation: phrase(
    "In PyTorch's allocator it is the free part of segments that are in use. Shown on the snapshot page.",
  ),
  hits: phrase("Shown in the hover and in the tooltips of **Memory Runs**."),
  net: phrase(
    "Memory that was taken and given back within the line is not in it. It is the figure beside the line; in the hover *Net, with everything it called*.",
  ),
  self: phrase(
    "The selves of all lines of a process add up to the process's change while it was measured. In the hover *Net of this line alone*.",
  ),
  increment: phrase(
    "*Largest increment of one hit* in the hover is the most that a single execution kept. memory_profiler's column *Increment* is something else ([engines.md](engines.md#memory_profiler)).",
  ),
  netChange: phrase("In a comparison of two runs, *Change* is the later run's net less the earlier one's."),
  peakAboveEntry: phrase(
    "A line that takes 1 GiB and gives it back has net 0 and a peak of 1 GiB. Where the kernel does not allow its high-water mark to be reset, the peak is unknown, and `–` is shown.",
  ),
  peak: phrase(
    "Of a run: the highest RSS of its main process. Of the board page: the moment at which the run held the most, GPU memory included where that can be read. Of massif: the moment at which the heap was largest, within 1 %.",
  ),
  usage: phrase("In the hover *Usage after*."),
  uncertain: phrase("Absent where nothing is uncertain ([why](faq.md#why-is-a-lines-figure-uncertain))."),
  noise: phrase("Shown in a comparison, beside each change ([compare.md](compare.md))."),
  run: phrase("Shown in **Memory Runs** ([run-folder.md](run-folder.md))."),
  target: phrase(
    "An alias of your SSH configuration or `user@host`, `local` (this computer, or the board that you sit at), or `loopback`.",
  ),
  simulated: phrase(
    "Its name is `loopback`. A folder of files that stands for a board's `/proc` and `/sys` is called simulated too, and so are the figures of both, wherever they are shown.",
  ),
  engine: phrase("Each sees something else and costs something else ([engines.md](engines.md))."),
  helper: phrase("It continues without the connection."),
  massif: phrase(
    "It slows a script down a lot. Here it also knows the lines of Python ([engines.md](engines.md#massif-with-python-lines)). Shown in the flame view.",
  ),
  snapshot: phrase(
    "Shown in the flame view's timeline. PyTorch's are something else: see [Allocator snapshot](#allocator-snapshot).",
  ),
  threshold: phrase(
    "Under massif: stacks that hold less than this percentage of the heap are summed up without their places (default 0.1). For figures beside the lines: lines that moved less than this many MiB are not marked (default 0.1).",
  ),
};

export const GLOSSARY_TEXTS: ReadonlyMap<string, Phrase> = new Map(Object.entries(TEXTS));
