/** Runs for the rules' tests: a board and release, a source whose lines have figures, moments, and an ending. */
import { defined } from "../../profile/defined.ts";
import { atOnce } from "../../profile/files/inTurns.ts";
import type { LineLoad } from "../../profile/loads/lineLoads.ts";
import type { CudaFigures, Exit, LineRow } from "../../profile/model.ts";
import { parseCudaOom } from "../../torch/oomMessage.ts";
import { tightest } from "../ending/lastMoments.ts";
import type { EndingKind, EndingReport } from "../ending/model.ts";
import { identifyBoard } from "../identity/identify.ts";
import { makeLedger } from "../ledger/ledger.ts";
import type { Moment } from "../moments/model.ts";
import { boardMoment, finishedRun, type Load, MIB, type TestBoard } from "../testing.ts";
import { advise } from "./advise.ts";
import type { AdviceInput } from "./facts.ts";
import type { Advice } from "./model.ts";

const RELEASES = {
  "JetPack 4.6": { board: "nano", l4t: "32.6.1", compatible: "nvidia,tegra210", cuda: "10.2", torch: "1.10.0" },
  "JetPack 5": { board: "orin", l4t: "35.4.1", compatible: "nvidia,tegra194", cuda: "11.4", torch: "2.1.0a0+nv23.06" },
  "JetPack 6": { board: "orin", l4t: "36.4.7", compatible: "nvidia,tegra234", cuda: "12.6", torch: "2.5.0a0+nv24.08" },
  PC: { board: "pc", cuda: "12.1", torch: "2.3.1+cu121" },
} as const satisfies Record<
  string,
  { board: TestBoard; l4t?: string; compatible?: string; cuda: string; torch: string }
>;

export type Release = keyof typeof RELEASES;
export const ALL = Object.keys(RELEASES) as Release[];
export const JETSONS = ALL.filter((release) => release !== "PC");

export interface TestRun {
  readonly release?: Release;
  /** The text of train.py. */
  readonly source?: string;
  /** Of its lines, in MiB but the hits; `cuda` is what came to CUDA's allocator and stayed. */
  readonly rows?: Readonly<Record<number, Partial<Record<"hits" | "net" | "self" | "max" | "peak" | "cuda", number>>>>;
  readonly loads?: readonly Load[];
  /** What lines of train.py loaded. */
  readonly loaded?: readonly LineLoad[];
  /** Changes of each moment. */
  readonly change?: (moment: Moment) => Moment;
  readonly ended?: EndingKind;
  readonly report?: Partial<EndingReport>;
  readonly stderr?: string;
  readonly exit?: Exit;
  readonly environment?: Readonly<Record<string, string>>;
  readonly versions?: Readonly<Record<string, string>>;
}

/** A run that has memory to spare. */
export const ROOMY: readonly Load[] = [
  { t: -14, baseline: true },
  { t: 1000, run: { anon: 300, file: 200, shmem: 10 } },
];

/** The board's memory is used up, and CUDA in use. */
export const FULL: readonly Load[] = [
  { t: -14, baseline: true },
  { t: 1000, run: { anon: 16_000, file: 200, shmem: 10 }, cuda: { allocated: 500, reserved: 560, context: 300 } },
];

export function advised(run: TestRun): readonly Advice[] {
  return atOnce(advise(inputOf(run)));
}

/** The advice of one rule; undefined where it is not given. */
export function advisedBy(rule: string, run: TestRun): Advice | undefined {
  return advised(run).find((one) => one.rule === rule);
}

export function inputOf(test: TestRun): AdviceInput {
  const { release = "JetPack 4.6", loads = ROOMY, change = (moment) => moment, ended } = test;
  const facts = RELEASES[release];
  const { board, cuda, torch, ...release_ } = facts;
  const moments = loads.map((load) => change(boardMoment(board, load)));
  const memTotal = boardMoment(board).meminfo["MemTotal"] ?? 0;
  const run = finishedRun({
    exit: test.exit ?? { kind: "exited", code: ended === undefined ? 0 : 1 },
    environment: test.environment ?? {},
    board: { ...release_, memTotal, machine: board === "pc" ? "x86_64" : "aarch64" },
    versions: test.versions ?? { cuda, torch },
  });
  const baseline = moments.find((moment) => moment.baseline);
  const least = tightest(moments.filter((moment) => moment.run.length > 0));
  const source = (test.source ?? "").split("\n");
  return {
    run,
    board: identifyBoard(run.board),
    stderr: test.stderr ?? "",
    files: [{ path: "train.py", sha256: "", lines: rowsOf(test.rows ?? {}), functions: [] }],
    loads: test.loaded ?? [],
    moments: { size: moments.length, moment: (index) => moments[index] ?? boardMoment(board) },
    ...(baseline === undefined ? {} : { baseline, ledgerBefore: makeLedger(baseline) }),
    ...defined({ tightest: least }),
    source: (path) => (path === "train.py" ? source : undefined),
    ...defined({ report: ended === undefined ? undefined : reportOf(ended, test.report) }),
  };
}

function rowsOf(rows: NonNullable<TestRun["rows"]>): LineRow[] {
  return Object.entries(rows).map(([line, row]) => {
    const { hits = 1, net = 0, self = net, max = net, peak = net, cuda } = row;
    const size = (mib: number) => mib * MIB;
    return {
      line: Number(line),
      hits,
      net: size(net),
      self: size(self),
      maxIncrement: size(max),
      peak: size(peak),
      usage: size(900),
      uncertain: 0,
      ...defined({ cuda: cuda === undefined ? undefined : cudaFigures(size(cuda)) }),
    };
  });
}

function cudaFigures(bytes: number): CudaFigures {
  return {
    net: bytes,
    self: bytes,
    maxIncrement: bytes,
    peak: bytes,
    peakMost: bytes,
    reservedNet: bytes,
    reservedSelf: bytes,
    reservedPeak: bytes,
    uncertain: 0,
  };
}

function reportOf(kind: EndingKind, changes: Partial<EndingReport> = {}): EndingReport {
  const allocator = parseCudaOom(changes.message ?? "");
  return {
    kind,
    headline: "",
    meaning: "",
    sureness: "exact",
    place: { path: "train.py", line: 1 },
    stack: [],
    stackSource: "traceback",
    kernelLog: [],
    last: [],
    ...defined({ allocator }),
    ...changes,
  };
}
