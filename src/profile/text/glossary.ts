/** The words of memory that the product shows, each explained in one sentence. Their longer texts: glossaryTexts.ts. */
import { language, type Phrase, phrase, say, t } from "../../words/t.ts";

/** In the language of this program. */
export interface Term {
  readonly name: string;
  readonly englishName: string;
  /** Other words for it in English headings, in tables and in tools. */
  readonly aliases: readonly string[];
  /** Plain text; stands in hovers and cards, and begins the longer text. */
  readonly sentence: string;
}

interface Words {
  readonly name: Phrase;
  readonly aliases: readonly string[];
  readonly sentence: Phrase;
}

/** Its words are said when they are asked for: the language is not known while this loads. */
const term = ({ name, aliases, sentence }: Words): Term => ({
  get name() {
    return say(name);
  },
  englishName: name.text,
  aliases,
  get sentence() {
    return say(sentence);
  },
});

/** By id, in the order and the groups of the document. */
export const GLOSSARY = {
  "The memory of a process": {
    rss: term({
      name: phrase("RSS"),
      aliases: ["resident set size", "resident memory"],
      sentence: phrase("Resident set size: the pages of RAM that a process has mapped just now."),
    }),
    pss: term({
      name: phrase("PSS"),
      aliases: ["proportional set size"],
      sentence: phrase("Proportional set size: as RSS, but a page that n processes map counts as 1/n in each."),
    }),
    uss: term({
      name: phrase("USS"),
      aliases: ["unique set size"],
      sentence: phrase("Unique set size: what a process maps alone, so what would come free if it ended."),
    }),
    heap: term({
      name: phrase("Heap"),
      aliases: ["malloc"],
      sentence: phrase("What a program asked malloc for, counted in blocks, not in the pages that the kernel gave it."),
    }),
    anonymous: term({
      name: phrase("Anonymous memory"),
      aliases: ["anonymous pages"],
      sentence: phrase("Pages that come from no file: the heap, stacks, tensors on the CPU."),
    }),
    filePages: term({
      name: phrase("File pages"),
      aliases: ["mapped files"],
      sentence: phrase("Pages of a file that a process has mapped: Python itself, libraries, memory-mapped data."),
    }),
    shared: term({
      name: phrase("Shared memory"),
      aliases: ["shm", "/dev/shm"],
      sentence: phrase(
        "Memory that several processes use together, such as the tensors on their way from a DataLoader's workers.",
      ),
    }),
  },
  "The memory of the board": {
    memTotal: term({
      name: phrase("MemTotal"),
      aliases: ["all of the RAM"],
      sentence: phrase("The RAM that the kernel manages, somewhat less than what is printed on the box."),
    }),
    memFree: term({
      name: phrase("MemFree"),
      aliases: ["free memory"],
      sentence: phrase("The RAM that nobody uses at all."),
    }),
    memAvailable: term({
      name: phrase("MemAvailable"),
      aliases: ["available"],
      sentence: phrase("The kernel's estimate of what programs could still get without swapping."),
    }),
    boardInUse: term({
      name: phrase("Board in use"),
      aliases: ["memory in use", "system"],
      sentence: phrase("All of the board's RAM that could not be had without swapping, whoever took it."),
    }),
    pageCache: term({
      name: phrase("Page cache"),
      aliases: ["buff/cache", "cached"],
      sentence: phrase(
        "Copies of files in RAM that the kernel keeps while there is room and gives back when programs need it.",
      ),
    }),
    swap: term({
      name: phrase("Swap"),
      aliases: ["swap file", "swapping"],
      sentence: phrase("Disk space to which the kernel moves memory when RAM runs short; much slower than RAM."),
    }),
    zram: term({
      name: phrase("zram"),
      aliases: ["compressed swap"],
      sentence: phrase("Swap in RAM, compressed."),
    }),
    nvmap: term({
      name: phrase("NvMap"),
      aliases: ["GPU buffers", "NvMapMemUsed"],
      sentence: phrase(
        "The driver that gives memory to the GPU on Jetson boards up to Orin; its memory is in no process's RSS.",
      ),
    }),
    cma: term({
      name: phrase("CMA"),
      aliases: ["contiguous memory"],
      sentence: phrase("Memory that the kernel keeps in one piece for devices and lends to programs meanwhile."),
    }),
    lfb: term({
      name: phrase("lfb"),
      aliases: ["largest free block"],
      sentence: phrase(
        "The largest free block in what tegrastats prints: how many free pieces of the largest size there are.",
      ),
    }),
    oomKiller: term({
      name: phrase("OOM killer"),
      aliases: ["out of memory", "killed"],
      sentence: phrase("Where RAM and swap are used up, the kernel ends one process at once, most often the largest."),
    }),
    ledger: term({
      name: phrase("Ledger"),
      aliases: [],
      sentence: phrase(
        "Our table that divides the board's RAM into rows that do not overlap and add up to it exactly.",
      ),
    }),
    moment: term({
      name: phrase("Moment"),
      aliases: [],
      sentence: phrase("One record of the board's whole memory, about once a second during a run."),
    }),
    baseline: term({
      name: phrase("Baseline"),
      aliases: [],
      sentence: phrase(
        "What a run is compared with: the moment right before the script was started, or an earlier run.",
      ),
    }),
  },
  "PyTorch and CUDA": {
    allocated: term({
      name: phrase("Allocated"),
      aliases: ["CUDA allocated"],
      sentence: phrase("Bytes of live tensors that PyTorch's CUDA allocator has handed out."),
    }),
    reserved: term({
      name: phrase("Reserved"),
      aliases: ["CUDA reserved"],
      sentence: phrase(
        "What PyTorch's allocator took from CUDA and keeps, in use or not; allocated is inside reserved.",
      ),
    }),
    cudaContext: term({
      name: phrase("CUDA context"),
      aliases: ["outside the allocator"],
      sentence: phrase("What CUDA and its libraries take for themselves in a process, before there is any tensor."),
    }),
    activations: term({
      name: phrase("Activations"),
      aliases: ["saved activations"],
      sentence: phrase("Results of layers that are kept during the forward pass because the backward pass needs them."),
    }),
    optimizerState: term({
      name: phrase("Optimizer state"),
      aliases: [],
      sentence: phrase(
        "What an optimizer keeps for each parameter: nothing (plain SGD), one value (momentum), two (Adam).",
      ),
    }),
    phase: term({
      name: phrase("Phase"),
      aliases: [],
      sentence: phrase(
        "A part of a process's life, such as importing PyTorch, starting CUDA or the first forward pass.",
      ),
    }),
    allocatorSnapshot: term({
      name: phrase("Allocator snapshot"),
      aliases: [],
      sentence: phrase(
        "A file in which PyTorch writes what its CUDA allocator holds, with the stack of each allocation.",
      ),
    }),
    segment: term({
      name: phrase("Segment"),
      aliases: [],
      sentence: phrase(
        "A piece of memory that PyTorch's allocator took from CUDA in one go and cuts into blocks for tensors.",
      ),
    }),
    fragmentation: term({
      name: phrase("Fragmentation"),
      aliases: [],
      sentence: phrase("Free memory that is in pieces too small for what is asked for."),
    }),
  },
  "Figures of a line": {
    hits: term({
      name: phrase("Hits"),
      aliases: [],
      sentence: phrase("How often the statement was begun."),
    }),
    net: term({
      name: phrase("Net"),
      aliases: ["delta"],
      sentence: phrase(
        "Memory right after the line less memory right before it, with everything it called, over all hits.",
      ),
    }),
    self: term({
      name: phrase("Self"),
      aliases: ["this line alone"],
      sentence: phrase("The part of net that no other measured line accounts for."),
    }),
    increment: term({
      name: phrase("Increment"),
      aliases: ["largest increment"],
      sentence: phrase("The net of one execution of the line."),
    }),
    netChange: term({
      name: phrase("Net change"),
      aliases: [],
      sentence: phrase("Another word for net: after less before, over a line, a function or a run."),
    }),
    peakAboveEntry: term({
      name: phrase("Peak above entry"),
      aliases: [],
      sentence: phrase("The most that one execution held at any moment above what there was when it began."),
    }),
    peak: term({
      name: phrase("Peak"),
      aliases: ["high-water mark"],
      sentence: phrase("The most that was held at any one moment."),
    }),
    usage: term({
      name: phrase("Usage after"),
      aliases: [],
      sentence: phrase(
        "The highest memory seen right after the line: how full the process was, not what the line took.",
      ),
    }),
    uncertain: term({
      name: phrase("Uncertain"),
      aliases: ["uncertainty"],
      sentence: phrase(
        "By how much a line's net or peak may be off: by what a neighboring line or another thread took, or the kernel rounded.",
      ),
    }),
    noise: term({
      name: phrase("Noise"),
      aliases: [],
      sentence: phrase("How far apart repeats of the same run lie; a smaller difference is not called a change."),
    }),
  },
  Runs: {
    run: term({
      name: phrase("Run, run folder"),
      aliases: [],
      sentence: phrase("One execution of a script that was measured, and the folder that holds all of it."),
    }),
    target: term({
      name: phrase("Target"),
      aliases: ["host", "board"],
      sentence: phrase("Where a script runs: a board over SSH, this computer, or the simulated board."),
    }),
    simulated: term({
      name: phrase("Simulated board"),
      aliases: ["loopback"],
      sentence: phrase("This computer in place of a board, reached through a real SSH connection."),
    }),
    engine: term({
      name: phrase("Engine"),
      aliases: ["line engine"],
      sentence: phrase("What measures a run: our line engine, memory_profiler or massif."),
    }),
    helper: term({
      name: phrase("Helper"),
      aliases: [],
      sentence: phrase(
        "The Python program that the extension puts on the board; it starts the script and records beside it.",
      ),
    }),
    massif: term({
      name: phrase("Massif"),
      aliases: ["valgrind"],
      sentence: phrase("Valgrind's heap profiler: it sees each block that native code allocates, with its stack."),
    }),
    snapshot: term({
      name: phrase("Massif snapshot"),
      aliases: ["snapshot of the heap"],
      sentence: phrase(
        "In massif's file: the size of the heap at one moment, with the stacks that hold it where they were kept.",
      ),
    }),
    threshold: term({
      name: phrase("Threshold"),
      aliases: [],
      sentence: phrase("What is smaller than this is not shown by itself."),
    }),
  },
} as const;

type Groups = typeof GLOSSARY;
export type TermId = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups] & string;

/** All terms by id, in the document's order. */
export const TERMS: ReadonlyMap<string, Term> = new Map(
  Object.values(GLOSSARY).flatMap((group) => Object.entries<Term>(group)),
);

/** As a line of a tooltip. */
export const explained = ({ name, sentence }: Term): string => t("{0}: {1}", name, sentence);

/**
 * What a heading calls a term: its name, or an alias that has the name in it, such as `CUDA allocated`. In other
 * languages than English there are names alone.
 */
function headingsOf({ name, aliases }: Term): readonly string[] {
  if (language() !== "en") return [name.toLowerCase()];
  return [name, ...aliases].map((word) => word.toLowerCase()).filter((word) => word.includes(name.toLowerCase()));
}

/** A single character of Chinese is a word only where it stands alone: in others it is a part of one. */
const within = (word: string): string =>
  /^\p{Script=Han}$/u.test(word) ? `(?<!\\p{Script=Han})${word}(?!\\p{Script=Han})` : word;

interface Headings {
  readonly language: string;
  readonly ids: ReadonlyMap<string, string>;
  readonly pattern: RegExp;
}

let made: Headings | undefined;

/** The words that headings have for terms in the language of this program. */
function headings(): Headings {
  if (made?.language === language()) return made;
  const words = [...TERMS].flatMap(([id, term]) => headingsOf(term).map((word) => [word, id] as const));
  // Where two terms are called alike, the first has the word.
  const ids = new Map(words.reverse());
  // The longest first: `Peak above entry` is one term, not *Peak* and two words.
  const longestFirst = [...ids.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<!\\w)(${longestFirst.map(within).join("|")})(?!\\w)`, "giu");
  made = { language: language(), ids, pattern };
  return made;
}

/** A piece of a text; with an `id` where it is the name of a term. */
export interface TextPart {
  readonly text: string;
  readonly id?: string;
}

/** A heading cut into names of terms and what stands between; joined again, the pieces are the heading. */
export function termParts(heading: string): readonly TextPart[] {
  const { ids, pattern } = headings();
  // With a group in the pattern, every second piece is what the group took.
  return heading
    .split(pattern)
    .map((text, i): TextPart => {
      const id = i % 2 === 0 ? undefined : ids.get(text.toLowerCase());
      return id === undefined ? { text } : { text, id };
    })
    .filter(({ text }) => text !== "");
}
