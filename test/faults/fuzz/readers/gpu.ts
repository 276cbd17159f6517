/** gpu.<pid>.json: what a process's own calls took of the GPU. */
import { gpuOfLine, pastPytorch, readGpuProcess } from "../../../../src/profile/gpu/gpuMemory.ts";
import { gpuRecord } from "../../../../src/profile/gpu/testing.ts";
import { demand, demandFinite, demandInside, demandPrintable, type FuzzReader } from "../reader.ts";

export const readers: readonly FuzzReader[] = [
  {
    name: "gpu.<pid>.json",
    short: 4_000,
    samples: [
      JSON.stringify(gpuRecord(4242)),
      JSON.stringify({ ...gpuRecord(1), rows: gpuRecord(1).rows.slice(0, 1) }),
    ],
    pieces: ['"file":"../x"', '"live":null', '"peak":-1', '"pytorch":true', '"kind":"context"', "1e308", "null"],
    read(input) {
      const process = readGpuProcess(Buffer.from(input).toString("utf8"));
      if (process === undefined) return "refused";
      demandFinite(process);
      const all = pastPytorch(process);
      demandFinite(all);
      for (const { name } of all?.askers ?? []) demandPrintable(name, "who asked");
      for (const { path, line } of process.rows) {
        if (path === undefined) continue;
        demandInside(path, "a file");
        if (line === undefined) continue;
        const [share] = gpuOfLine([process], path, line);
        demand((share?.asked?.peak ?? 0) <= (all?.asked?.peak ?? Number.POSITIVE_INFINITY), "a line has more than all");
      }
      return "read";
    },
  },
];
