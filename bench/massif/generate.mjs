/** Writes a massif.out file of a given size, the same bytes for the same seed: deep stacks of a Python program. */

// As measured on a PyTorch run with --threshold=0.01 --depth=100: 28,000 nodes and 1,000 labels a tree, depth 30.
const LABELS = 1_000;
const SNAPSHOTS_PER_TREE = 2;
const ALLOCATORS = 45;
const NODES_PER_ALLOCATOR = 620;
const DEPTHS = [5, 60];
const LIBRARIES = [
  "libtorch_cpu.so",
  "libtorch_python.so",
  "libc10.so",
  "libpython3.8.so.1.0",
  "libcudart.so.10.2.300",
];

/** Mulberry32: numbers in [0, 1). */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Yields the file's text in pieces. @param size bytes that it has at least */
export function* massifOut(size, seed = 1) {
  const random = randomNumbers(seed);
  const labels = Array.from({ length: LABELS }, (_, number) => label(number, random));
  let written = 0;
  const header = "desc: --threshold=0.01 --depth=100\ncmd: python3 train.py --epochs 2\ntime_unit: i\n";
  yield header;
  written += header.length;
  let peak = false;
  for (let number = 0; written < size; number++) {
    const heap = 100_000_000 + Math.floor(random() * 900_000_000);
    const hasTree = number % SNAPSHOTS_PER_TREE === 0;
    const isPeak = hasTree && !peak && written > size / 2;
    peak ||= isPeak;
    const kind = isPeak ? "peak" : hasTree ? "detailed" : "empty";
    const figures = `time=${number * 1_000_003}\nmem_heap_B=${heap}\nmem_heap_extra_B=${heap >> 7}\nmem_stacks_B=0`;
    const text = `#-----------\nsnapshot=${number}\n#-----------\n${figures}\nheap_tree=${kind}\n`;
    yield text;
    written += text.length;
    if (!hasTree) continue;
    const lines = tree(heap, labels, random);
    yield lines;
    written += lines.length;
  }
}

function label(number, random) {
  const address = (0x4000000 + number * 0x1370).toString(16).toUpperCase();
  const kind = random();
  if (kind < 0.2) return `0x${address}: ??? (in /usr/lib/${LIBRARIES[number % LIBRARIES.length]})`;
  if (kind < 0.4) return `0x${address}: py_${String(number).padStart(5, "0")} (in /tmp/frames.so)`;
  if (kind < 0.9) return `0x${address}: _PyObject_Vectorcall${number} (abstract.h:${number % 900})`;
  return `0x${address}: at::native::empty${number}(c10::ArrayRef<long>, c10::optional<c10::Device>) (in /usr/lib/${LIBRARIES[0]})`;
}

/** Stacks that share their beginnings; the children of each node add up to it. */
function tree(heap, labels, random) {
  const lines = [`n${ALLOCATORS}: ${heap} (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n`];
  let left = heap;
  for (let allocator = 1; allocator <= ALLOCATORS; allocator++) {
    const bytes = allocator === ALLOCATORS ? left : Math.floor(left * 0.15 * random());
    left -= bytes;
    stacks(bytes, labels, random, lines);
  }
  return lines.join("");
}

function stacks(bytes, labels, random, lines) {
  const [least, most] = DEPTHS;
  const deepest = least + Math.floor(random() * (most - least));
  const waiting = [{ depth: 1, bytes, label: pick(labels, random) }];
  let planned = 1;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const ends = node.depth >= deepest || planned >= NODES_PER_ALLOCATOR || node.label.startsWith("in ");
    const count = ends ? 0 : random() < 0.9 ? 1 : 2 + Math.floor(random() * 2);
    planned += count;
    lines.push(`${" ".repeat(node.depth)}n${count}: ${node.bytes} ${node.label}\n`);
    let left = node.bytes;
    const children = [];
    for (let child = 1; child <= count; child++) {
      const size = child === count ? left : Math.floor(left * random());
      left -= size;
      const isRest = count > 2 && child === count;
      const label = isRest
        ? `in ${2 + (size % 90)} places, all below massif's threshold (0.01%)`
        : pick(labels, random);
      children.push({ depth: node.depth + 1, bytes: size, label });
    }
    waiting.push(...children.reverse());
  }
}

function pick(labels, random) {
  return labels[Math.floor(random() * labels.length)];
}
