/** What a run's processes took of the GPU by calls of their own: a table for each. */

import { readGpuFiles } from "../../profile/gpu/gpuFiles.ts";
import {
  askerOf,
  type GpuProcess,
  type GpuRow,
  onGpu,
  pastPytorch,
  sumOf,
  tookAny,
} from "../../profile/gpu/gpuMemory.ts";
import type { Paint } from "../../profile/lines/annotate.ts";
import type { RunInfo } from "../../profile/model.ts";
import { processName } from "../../profile/run/processName.ts";
import { formatBytes, formatCount, orUnknown } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { fromHelper } from "../../words/fromHelper.ts";
import { t } from "../../words/t.ts";
import { placeText, type SourceOf, table, textOf } from "./atPeak.ts";

const MOST_ROWS = 15;

const size = (bytes: number | undefined): string => orUnknown(bytes, formatBytes);

/** Nothing where nobody called CUDA, or nobody looked. */
export async function gpuTables(folder: string, run: RunInfo, source: SourceOf, paint: Paint): Promise<string[]> {
  const { processes, problems } = await readGpuFiles(folder);
  const shown = processes.filter(tookAny);
  const tables = await Promise.all(shown.map((process) => processTable(process, run, source, paint)));
  const legend = t(
    "Asked of CUDA by calls such as cudaMalloc, exact. ~: by how much the GPU's free memory fell meanwhile, other programs' changes included.",
  );
  return [...tables, ...problems, ...(tables.length === 0 ? [] : [paint.faint(legend)])];
}

async function processTable(process: GpuProcess, run: RunInfo, source: SourceOf, paint: Paint): Promise<string> {
  const label = processName(run, process.pid);
  const { asked, unsure } = pastPytorch(process) ?? {};
  const past = asked === undefined ? formatBytes(0) : size(asked.peak);
  const title = t(
    "{0}: {1} of GPU memory at its peak, {2} of it past PyTorch",
    label,
    size(process.peak),
    unsure === undefined ? past : `≥ ${past}`,
  );
  const groups = grouped(process.rows);
  const rows = await Promise.all(
    groups.slice(0, MOST_ROWS).map(async ([first, ...others]) => {
      const { live, peak, most } = sumOf([first, ...others]);
      const about = first.measured === "call" ? "" : "~ ";
      const { path, line } = first;
      const place = path === undefined || line === undefined ? undefined : { path, line };
      return [
        ...[peak, live, others.length === 0 ? most : undefined].map(
          (bytes) => `${bytes === undefined ? "" : about}${size(bytes)}`,
        ),
        first.pytorch ? onGpu(t("PyTorch's allocator"), first.gpu) : askerOf(first),
        place === undefined ? "" : placeText(place),
        place === undefined ? "" : await textOf(source, place),
      ];
    }),
  );
  const headings = [t("At peak"), t("At end"), t("Most"), t("Asked for by"), t("Line"), t("Source")];
  const more = groups.length - rows.length;
  return [
    paint.strong(printable(title)),
    ...table([headings, ...rows], 3, paint),
    ...(more > 0 ? [t("and {0} more, which --json lists", formatCount(more))] : []),
    ...process.notes.map((note) => printable(t("Note: {0}", fromHelper(note)))),
  ].join("\n");
}

type Group = readonly [GpuRow, ...GpuRow[]];

/** By who asked on which line, the largest at the peak first. */
function grouped(rows: readonly GpuRow[]): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const key = JSON.stringify([row.measured, row.pytorch, askerOf(row), row.path, row.line]);
    const [first, ...others] = groups.get(key) ?? [];
    groups.set(key, first === undefined ? [row] : [first, ...others, row]);
  }
  const weight = (group: Group): number => sumOf(group).peak ?? 0;
  return [...groups.values()].sort((a, b) => weight(b) - weight(a));
}
