/** Writes a massif.out file of a given size, the same bytes for the same seed: deep stacks of a Python program. */

const LIBRARIES = [
  "libtorch_cpu.so",
  "libtorch_python.so",
  "libc10.so",
  "libpython3.8.so.1.0",
  "libcudart.so.10.2.300",
];
const SNAPSHOTS_PER_TREE = 5;
const NODES_PER_TREE = 40_000;
const MAX_DEPTH = 100;

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
  const labels = Array.from({ length: 12_000 }, (_, number) => label(number, random));
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
  const address = (0x4000000 + number * 0x137).toString(16).toUpperCase();
  const kind = random();
  if (kind < 0.3) return `0x${address}: ??? (in /usr/lib/aarch64-linux-gnu/${LIBRARIES[number % LIBRARIES.length]})`;
  if (kind < 0.5) return `0x${address}: py_${String(number).padStart(5, "0")} (in /tmp/frames.so)`;
  if (kind < 0.8) return `0x${address}: _PyObject_Call${number} (call.c:${number % 900})`;
  const argument = `c10::ArrayRef<long>, std::vector<at::Tensor, std::allocator<at::Tensor> > const&`;
  return `0x${address}: at::native::function${number}(${argument}) (in /usr/lib/${LIBRARIES[number % 3]})`;
}

/** Stacks that share their beginnings; the children of each node add up to it. */
function tree(heap, labels, random) {
  const lines = [];
  const waiting = [{ depth: 0, bytes: heap, label: "(heap allocation functions) malloc/new/new[], --alloc-fns, etc." }];
  let planned = 1;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const ends =
      node.depth >= MAX_DEPTH || node.bytes < 64 || node.label.startsWith("in ") || planned >= NODES_PER_TREE;
    const count = ends ? 0 : node.depth === 0 ? 40 : random() < 0.85 ? 1 : 2 + Math.floor(random() * 3);
    planned += count;
    lines.push(`${" ".repeat(node.depth)}n${count}: ${node.bytes} ${node.label}\n`);
    const children = [];
    let left = node.bytes;
    for (let child = 0; child < count; child++) {
      const isLast = child === count - 1;
      const bytes = isLast ? left : Math.floor((left * (0.3 + 0.5 * random())) / (count > 4 ? 8 : 1));
      left -= bytes;
      const text =
        isLast && count > 2
          ? `in ${2 + (bytes % 90)} places, all below massif's threshold (0.01%)`
          : labels[Math.floor(random() * labels.length)];
      children.push({ depth: node.depth + 1, bytes, label: text });
    }
    waiting.push(...children.reverse());
  }
  return lines.join("");
}
