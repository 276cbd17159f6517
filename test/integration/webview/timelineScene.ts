/** A run over its time. */
import type { Sample, Timeline } from "../../../src/protocol/timeline.ts";

const MIB = 1024 * 1024;

/** 60 samples: a climb to 500 MiB at 8 s, a stretch where nothing could be read, and a lower end. */
export const samples: Sample[] = Array.from({ length: 60 }, (_, i) => {
  const t = i * 200;
  if (i > 45 && i < 50) return { t };
  const rss = (i <= 40 ? 20 + i * 12 : 140) * MIB;
  return { t, rss, memAvailable: 3_000 * MIB - rss, at: { path: "net/train.py", line: 10 + i } };
});
export const timeline: Timeline = {
  kind: "timeline",
  title: "train.py",
  finished: true,
  memTotal: 3_956 * MIB,
  samples,
};
