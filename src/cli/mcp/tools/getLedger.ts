/** `get_ledger`: where all of the board's RAM was. */
import * as v from "valibot";
import type { LedgerRow } from "../../../board/ledger/model.ts";
import { defined } from "../../../profile/defined.ts";
import { formatBytes, formatChange, formatDuration } from "../../../profile/text/format.ts";
import { readLedger } from "../../board/memory/ledgerOfRun.ts";
import { fitted, quoted, untrusted } from "../answer.ts";
import { tool } from "../tool.ts";
import { ROWS, RUN, RUN_SAYS, rowsSay } from "./fields.ts";
import { askedRun } from "./ofRun.ts";

const USUAL = 20;
/** What programs of a row say themselves. */
const MOST_SAID = 8;
const A_YEAR_S = 31_536_000;

export const getLedger = tool(
  {
    name: "get_ledger",
    title: "Show where the board's RAM was",
    description:
      "Where all of the board's RAM was at one moment of a run: rows for the run, the GPU, other programs, caches and the kernel that add up to MemTotal, each with how certain it is.",
    takes: {
      run: RUN,
      moment: v.optional(v.picklist(["peak", "baseline"])),
      seconds: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(A_YEAR_S))),
      rows: ROWS,
    },
    says: {
      run: RUN_SAYS,
      moment: "peak: when the run held the most (where it is left out). baseline: right before the run.",
      seconds: "Instead of moment: the moment so many seconds after the run began.",
      rows: rowsSay(USUAL),
    },
  },
  async ({ run, moment = "peak", seconds, rows = USUAL }, workspace) => {
    const { folder, heading, data } = await askedRun(workspace, run);
    const { moment: read, ledger, changes = [] } = await readLedger(folder, seconds ?? moment);
    const known = ledger.rows.filter(({ bytes }) => bytes !== 0);
    const sorted = [...known].sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0));
    const changeOf = (id: string) => changes.find((one) => one.id === id)?.change;
    const sumOf = (rest: readonly LedgerRow[]) => rest.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
    const text = ({ id, label, bytes, sureness, said = [] }: LedgerRow): string[] => {
      const change = changeOf(id);
      const since = change === undefined || change === 0 ? "" : ` (${formatChange(change)} since before the run)`;
      return [
        `  ${bytes === undefined ? "not known" : formatBytes(bytes)}${since}, ${sureness}: ${quoted(label, 80)}`,
        ...said
          .slice(0, MOST_SAID)
          .map(
            (one) =>
              `    It says itself, which nobody checked and no sum has: ${formatBytes(one.bytes)} ${quoted(one.label, 80)}`,
          ),
      ];
    };
    const rowData = ({ id, group, label, bytes, sureness, how, said }: LedgerRow): object =>
      defined({
        id: untrusted(id, 80),
        group,
        label: untrusted(label, 80),
        bytes,
        sureness,
        how: untrusted(how, 160),
        change_bytes: changeOf(id),
        says_itself: said
          ?.slice(0, MOST_SAID)
          .map((one) => ({ label: untrusted(one.label, 80), kind: one.kind, bytes: one.bytes })),
      });
    return fitted(
      (count) => ({
        lines: [
          ...heading,
          read.baseline
            ? "Right before the script was started:"
            : `${formatDuration(read.t)} after the start${seconds === undefined ? `, at its ${moment}` : ""}${read.at === undefined ? "" : `, at line ${quoted(`${read.at.path}:${read.at.line}`)}`}:`,
          `All of the RAM is ${formatBytes(ledger.total)}; the rows add up to it.`,
          ...sorted.slice(0, count).flatMap(text),
          ...(sorted.length > count
            ? [`${sorted.length - count} smaller rows are left out, ${formatBytes(sumOf(sorted.slice(count)))} in all.`]
            : []),
          ...ledger.notes.slice(0, 3).map((note) => `Note: ${quoted(note)}`),
        ],
        data: {
          ...data,
          t_ms: read.t,
          baseline: read.baseline,
          mem_total_bytes: ledger.total,
          rows: sorted.slice(0, count).map(rowData),
          left_out: Math.max(0, sorted.length - count),
          left_out_bytes: sumOf(sorted.slice(count)),
        },
      }),
      Math.min(rows, sorted.length),
      rows > USUAL,
    );
  },
);
