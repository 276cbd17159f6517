/** Snapshots for tests and benchmarks, shaped like those of a training loop. Nothing here comes from a real run. */
import { seeded } from "../../../test/faults/support/random.ts";
import { Fresh, type Picklable, Tuple } from "../pickle/testing.ts";

export interface TrainingOptions {
  readonly seed: number;
  readonly events: number;
  /** Of a stack. */
  readonly frames: number;
  /** Places in the program that allocate. */
  readonly places: number;
}

interface SimulatedBlock {
  readonly address: number;
  readonly size: number;
  requested: number;
  state: "active_allocated" | "inactive";
  stack: readonly Picklable[];
}

interface SimulatedSegment {
  readonly address: number;
  readonly size: number;
  readonly blocks: SimulatedBlock[];
  used: number;
}

type Dict = { readonly [key: string]: Picklable };

const SEGMENT = 20 * 1024 * 1024;
export const START_US = 1_700_000_000_000_000;

/** What torch.cuda.memory._snapshot() of torch 2.5 would give; the events come from a generator. */
export function trainingSnapshot(options: TrainingOptions): Dict {
  const stacks = stacksOf(options);
  const last = simulate(options, stacks);
  while (last.next().done !== true);
  return {
    segments: last.segments().map(segmentDict),
    device_traces: [simulate(options, stacks)],
    allocator_settings: { PYTORCH_CUDA_ALLOC_CONF: "", max_split_size: -1, expandable_segments: false },
  };
}

interface Simulation extends Generator<Dict, undefined> {
  segments(): readonly SimulatedSegment[];
}

/** An allocator that reuses blocks of the same size and cuts new ones from segments. */
function simulate({ seed, events }: TrainingOptions, stacks: readonly (readonly Dict[])[]): Simulation {
  const next = seeded(seed).next;
  const segments: SimulatedSegment[] = [];
  const free = new Map<number, SimulatedBlock[]>();
  const live: SimulatedBlock[] = [];
  let made = 0;

  function event(
    action: string,
    block: { readonly address: number },
    size: number,
    frames: readonly Picklable[],
  ): Dict {
    return {
      action,
      addr: block.address,
      size,
      stream: 0,
      time_us: START_US + 10 * made++,
      compile_context: new Fresh("N/A"),
      user_metadata: "",
      frames,
    };
  }

  function* allocation(): Generator<Dict> {
    const place = Math.floor(next() ** 2 * stacks.length);
    const requested = 256 * (1 + Math.floor(place * place * 0.7));
    const size = Math.ceil(requested / 512) * 512;
    // Most stacks are read from the program anew each time.
    const stack = stacks[place] ?? [];
    const frames = next() < 0.1 ? stack : [...stack];
    let block = free.get(size)?.pop();
    if (block === undefined) {
      let segment = segments.at(-1);
      if (segment === undefined || segment.used + size > segment.size) {
        const bytes = Math.max(SEGMENT, Math.ceil(size / SEGMENT) * SEGMENT);
        segment = { address: 0x7f0000000000 + segments.length * 2 ** 30, size: bytes, blocks: [], used: 0 };
        segments.push(segment);
        yield event("segment_alloc", segment, segment.size, frames);
      }
      block = { address: segment.address + segment.used, size, requested, state: "inactive", stack: [] };
      segment.used += size;
      segment.blocks.push(block);
    }
    block.requested = requested;
    block.state = "active_allocated";
    block.stack = frames;
    live.push(block);
    yield event("alloc", block, requested, frames);
  }

  function* release(): Generator<Dict> {
    const [block] = live.splice(Math.max(0, live.length - 1 - Math.floor(next() ** 3 * 500)), 1);
    if (block === undefined) return;
    block.state = "inactive";
    const same = free.get(block.size);
    if (same === undefined) free.set(block.size, [block]);
    else same.push(block);
    const frames = block.stack;
    yield event("free_requested", block, block.requested, frames);
    yield event("free_completed", block, block.requested, frames);
  }

  function* run(): Generator<Dict, undefined> {
    while (made < events) {
      // Forward, backward: what is live grows and shrinks.
      const phase = (made % 20_000) / 20_000;
      yield* next() < (phase < 0.6 ? 0.62 : 0.3) ? allocation() : release();
    }
    return undefined;
  }

  return Object.assign(run(), { segments: () => segments });
}

function stacksOf({ seed, frames, places }: TrainingOptions): Dict[][] {
  const next = seeded(seed + 1).next;
  const shared = Array.from({ length: 300 }, (_, at): Dict => {
    const python = at % 3 === 0;
    return {
      name: python ? `forward_${at}` : `at::native::operation_${at}(c10::ArrayRef<long>, c10::TensorOptions const&)`,
      filename: python ? `/home/nano/project/model_${at % 20}.py` : "??",
      line: python ? 1 + at : 0,
    };
  });
  return Array.from({ length: places }, () =>
    Array.from({ length: frames }, () => shared[Math.floor(next() * shared.length)] as Dict),
  );
}

function segmentDict({ address, size, used, blocks }: SimulatedSegment): Dict {
  const active = blocks.filter(({ state }) => state === "active_allocated");
  const held = active.reduce((sum, block) => sum + block.size, 0);
  const rest = size - used;
  return {
    device: 0,
    address,
    total_size: size,
    allocated_size: held,
    active_size: held,
    requested_size: active.reduce((sum, block) => sum + block.requested, 0),
    stream: 0,
    segment_type: "large",
    segment_pool_id: new Tuple(0, 0),
    is_expandable: false,
    frames: [],
    blocks: [
      ...blocks.map(blockDict),
      ...(rest > 0
        ? [blockDict({ address: address + used, size: rest, requested: rest, state: "inactive", stack: [] })]
        : []),
    ],
  };
}

function blockDict({ address, size, requested, state, stack }: SimulatedBlock): Dict {
  return { address, size, requested_size: requested, state, frames: state === "inactive" ? [] : stack };
}

const MIB = 1024 * 1024;
const frame = (name: string, filename: string, line: number): Dict => ({ name, filename, line });
const [EMPTY, FORWARD, MAIN, MODULE] = [
  frame("at::empty(c10::ArrayRef<long>)", "??", 0),
  frame("forward", "/home/nano/project/net.py", 12),
  frame("<module>", "/home/nano/project/train.py", 33),
  frame("_call_impl", "/usr/lib/python3/dist-packages/torch/nn/modules/module.py", 1501),
] as const;
/** `forward` allocates through torch's own Python code; `<module>` directly. */
export const STACKS = { forward: [EMPTY, MODULE, FORWARD, MODULE, MAIN], script: [EMPTY, MAIN] } as const;
export const BASE = 0x7f0000000000;

/**
 * What torch 2.7 and newer add to a snapshot for `record_function`, here to the small one: `step` begins before the first
 * event and has not ended, `forward` is around the second event, of `before` only the end is left.
 */
export function annotations(): Dict[] {
  const annotation = (name: string, stage: string, us: number): Dict => {
    return { stage, name, device: 0, time_us: START_US + us };
  };
  return [
    annotation("step", "START", 500),
    annotation("forward", "START", 1500),
    annotation("forward", "END", 2500),
    annotation("before", "END", 2600),
  ];
}

/**
 * A small story, sizes in MiB: two allocations are live before the first event (8, which is freed at the end of the
 * events, and 4, which stays), then 6 and 2 are allocated, 6 is freed, 16 do not fit, 1 is allocated.
 */
export function smallSnapshot(): { segments: Dict[]; device_traces: Dict[][]; allocator_settings: Dict } {
  let time = START_US;
  const event = (action: string, offset: number, size: number, frames: readonly Dict[], more: Dict = {}): Dict => {
    time += 1000;
    return { action, addr: BASE + offset * MIB, size: size * MIB, stream: 0, time_us: time, frames, ...more };
  };
  const block = (offset: number, size: number, state: string, frames: readonly Dict[]): Dict => {
    return { address: BASE + offset * MIB, size: size * MIB, requested_size: size * MIB, state, frames };
  };
  return {
    segments: [
      {
        device: 0,
        address: BASE,
        total_size: 20 * MIB,
        allocated_size: 6 * MIB,
        active_size: 6 * MIB,
        stream: 0,
        segment_type: "large",
        segment_pool_id: new Tuple(0, 0),
        is_expandable: false,
        blocks: [
          block(0, 8, "inactive", []),
          block(8, 4, "active_allocated", STACKS.script),
          block(12, 6, "inactive", []),
          block(18, 2, "active_allocated", STACKS.forward),
        ],
      },
      {
        device: 0,
        address: BASE + 64 * MIB,
        total_size: 2 * MIB,
        allocated_size: MIB,
        active_size: MIB,
        stream: 0,
        segment_type: "small",
        segment_pool_id: new Tuple(0, 7),
        is_expandable: false,
        blocks: [block(64, 1, "active_allocated", STACKS.script), block(65, 1, "inactive", [])],
      },
    ],
    device_traces: [
      [
        event("alloc", 12, 6, STACKS.forward),
        event("alloc", 18, 2, STACKS.forward),
        event("free_requested", 12, 6, STACKS.script),
        event("free_completed", 12, 6, STACKS.script),
        { action: "oom", size: 16 * MIB, stream: 0, time_us: time + 1, frames: STACKS.forward, device_free: 3 * MIB },
        event("segment_alloc", 64, 2, STACKS.script),
        event("alloc", 64, 1, STACKS.script),
        event("free_requested", 0, 8, STACKS.script),
        event("free_completed", 0, 8, STACKS.script),
      ],
    ],
    allocator_settings: { expandable_segments: false, roundup: { "1": 0, "2": 4 } },
  };
}
