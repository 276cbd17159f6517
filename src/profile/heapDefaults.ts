/** Bounds of how seldom native stacks are sampled: the bytes allocated between two samples, on average. */
export const HEAP_DEFAULTS = { sampleKiB: 512, leastKiB: 4, mostKiB: 8192 } as const;
