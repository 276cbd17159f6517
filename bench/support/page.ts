/** docs/benchmarks.md from the results: one table on top, then each family with its picture and all contestants. */
import { formatCount } from "../../src/profile/text/format.ts";
import { chart, panelsOf } from "./chart.ts";
import { formatFigure, formatGoal, formatGrowth, formatNumber, formatVerdict, spreadOf, withUnit } from "./figures.ts";
import { bestPeer, figureOf, growthOf, type Judged, judge, oursOf } from "./judge.ts";
import { families, familyOf, inOrder } from "./programs.ts";
import { fileOf, isQuiet, type Measured, type Result } from "./result.ts";
import type { Contestant, Row } from "./row.ts";

/** Texts that are written by hand: `head`, `tail` and one for each family that needs it. */
export type Texts = (name: string) => string | undefined;

export interface Page {
  readonly markdown: string;
  /** By their names below docs/benchmarks/. */
  readonly pictures: ReadonlyMap<string, string>;
}

export function page(results: readonly Result[], texts: Texts): Page {
  const sorted = inOrder(results, ({ row }) => row.row);
  const byFamily = new Map<string, Result[]>();
  for (const result of sorted) {
    const family = familyOf(result.row.row);
    byFamily.set(family, [...(byFamily.get(family) ?? []), result]);
  }
  const pictures = new Map(
    [...byFamily].map(([family, rows]) => [
      `${family}.svg`,
      chart(panelsOf(rows.map(({ row }) => row)), titleOf(family)),
    ]),
  );
  const sections = [
    "<!-- Drawn by npm run bench -- --page from docs/benchmarks/. Texts are changed in docs/benchmarks/text/. -->\n# Benchmarks",
    texts("head"),
    ...where(sorted),
    ...overview(byFamily),
    ...[...byFamily].flatMap(([family, rows]) => [
      `## ${titleOf(family)}`,
      `![${titleOf(family)}: ${rows.map(({ row }) => row.title).join("; ")}](benchmarks/${family}.svg)`,
      texts(family),
      ...rows.map(section),
    ]),
    texts("tail"),
  ];
  const markdown = sections.flatMap((part) => (part === undefined ? [] : [part.trim()])).join("\n\n");
  return { markdown: `${markdown}\n`, pictures };
}

function titleOf(family: string): string {
  return families[family] ?? family;
}

/** Rows measured at one time on one machine are told together. */
function where(results: readonly Result[]): readonly string[] {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const key = machineOf(result.measured);
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  const loud = results.filter(({ measured }) => !isQuiet(measured));
  return [
    [...groups]
      .map(([machine, rows]) => `Measured on ${machine}${groups.size > 1 ? `: ${rows.length} rows` : ""}.`)
      .join("\n\n"),
    ...(loud.length === 0
      ? []
      : [
          `**The machine had other work** when these rows were measured (load average above 0.5 at the start): ${loud.length === results.length ? "all" : loud.map(({ row }) => row.row).join(", ")}. Their clock times are longer than they need be; the contestants of a row were slowed down alike.`,
        ]),
  ];
}

function machineOf({ machine }: Measured): string {
  return `${machine.cpu}, ${machine.cores} cores, ${formatNumber(machine.memoryMiB / 1024)} GiB of memory, ${machine.kernel}`;
}

const OVERVIEW = "All rows";

/** Rows of two families may have the same title: each stands below its family's. */
function overview(byFamily: ReadonlyMap<string, readonly Result[]>): readonly string[] {
  const rows = [...byFamily.values()].flat().map(({ row }) => row);
  const missed = rows.filter((row) => judge(row).some(({ verdict }) => verdict.kind === "missed"));
  const judged = rows.filter(({ goals }) => goals.length > 0);
  const anchors = anchorsOf([
    OVERVIEW,
    ...[...byFamily].flatMap(([family, results]) => [titleOf(family), ...results.map(({ row }) => row.title)]),
  ]);
  let heading = 1;
  const cells = [...byFamily].flatMap(([family, results]) => [
    [link(`**${titleOf(family)}**`, anchors[heading++]), "", "", "", "", ""],
    ...results.map(({ row }) => line(row, link(row.title, anchors[heading++]))),
  ]);
  return [
    `## ${OVERVIEW}`,
    `${judged.length} rows have a goal; ${missed.length === 0 ? "none is missed" : `${missed.length} of them miss it`}.`,
    table(["row", "ours", "best peer", "goal", "kept?", "growth of ours"], cells),
  ];
}

function line(row: Row, name: string): readonly string[] {
  const judged = judge(row);
  const at = judged[0]?.size ?? 0;
  const peer = bestPeer(row, at);
  const ours = oursOf(row);
  // Where a goal is judged stands with it.
  const work = judged.length === 0 && row.work.sizes.length > 1 ? ` at ${sizeOf(row, at)}` : "";
  return [
    name,
    `${formatFigure(figureOf(row, ours, at), row.unit)}${work}`,
    peer === undefined ? "" : `${formatFigure(figureOf(row, peer, at), row.unit)} (${peer.name})`,
    lines(judged, (each) => formatGoal(each, row.unit, row.work.unit)),
    judged.length === 0 ? "for information" : lines(judged, formatVerdict),
    formatGrowth(growthOf(row, ours)),
  ];
}

function sizeOf({ work }: Row, size: number): string {
  return `${formatCount(work.sizes[size] ?? 0)} ${work.unit}`;
}

function lines(judged: readonly Judged[], word: (each: Judged) => string): string {
  return judged.map(word).join("<br>");
}

function link(words: string, anchor: string | undefined): string {
  return `[${words}](#${anchor})`;
}

/** As GitHub makes them of the headings of a page, in their order: the second `hot-loop` is `hot-loop-1`. */
function anchorsOf(headings: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const words = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "");
    const anchor = words.replaceAll(" ", "-");
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

function section({ row, measured }: Result): string {
  const judged = judge(row);
  const { sizes, unit } = row.work;
  const several = sizes.length > 1;
  const reference = row.reference === undefined ? [] : [row.reference];
  return [
    `### ${row.title}`,
    `${sentence(capitalized(row.measures))} ${row.better === "less" ? "Less" : "More"} is better.${row.python === undefined ? "" : ` Python ${row.python}.`}`,
    ...judged.map((each) => `Goal: ${formatGoal(each, row.unit, unit)}: ${formatVerdict(each)}.`),
    table(
      [
        "",
        "version",
        ...sizes.flatMap((_, size) => [several ? sizeOf(row, size) : "median", "spread"]),
        ...(several ? ["growth"] : []),
      ],
      [
        ...row.contestants.map((each) =>
          entry(row, each, each.name === row.ours ? `**${plain(each.name)}**` : plain(each.name)),
        ),
        ...reference.map((each) => entry({ ...row, reference: undefined }, each, `${plain(each.name)}, as a whole`)),
      ],
    ),
    ...(row.absent.length === 0
      ? []
      : [row.absent.map(({ name, why }) => `- ${name} is not compared: ${plain(why)}`).join("\n")]),
    ...row.notes.map(sentence),
    ...(row.table === undefined ? [] : [folded(row.table)]),
    details(row, measured),
  ].join("\n\n");
}

function entry(row: Row, contestant: Contestant, name: string): readonly string[] {
  const cells = row.work.sizes.flatMap((_, size) => {
    const figure = figureOf(row, contestant, size);
    return [formatFigure(figure, row.unit), spreadOf(figure, row.unit)];
  });
  return [
    name,
    contestant.version,
    ...cells,
    ...(row.work.sizes.length > 1 ? [formatGrowth(growthOf(row, contestant))] : []),
  ];
}

function details(row: Row, measured: Measured): string {
  const rounds = Math.max(...row.contestants.flatMap(({ runs }) => runs.map((each) => each.length)));
  const commands = row.contestants.filter(({ command, notes }) => command !== "" || notes.length > 0);
  return [
    `<details><summary>Commands and notes; ${rounds === 1 ? "one round" : `${rounds} rounds`}, ${measured.date.slice(0, 10)}, commit ${measured.commit}, <a href="benchmarks/${fileOf(row.row)}">all figures</a></summary>`,
    commands
      .map(
        ({ name, command, notes }) =>
          `- ${plain(name)}${command === "" ? "" : `: \`${command.replaceAll("`", "'")}\``}${notes.map((note) => `. ${sentence(note)}`).join("")}`,
      )
      .join("\n"),
    `Measured in ${withUnit(measured.seconds, "s")} with the other rows of its program; load average ${measured.load.before.toFixed(2)} before, ${measured.load.after.toFixed(2)} after.`,
    "</details>",
  ].join("\n\n");
}

/** The row's own table, to be opened. */
function folded({ title, head, rows }: NonNullable<Row["table"]>): string {
  const cells = rows.map((each) => each.map(plain));
  return [`<details><summary>${plain(title)}</summary>`, table(head.map(plain), cells), "</details>"].join("\n\n");
}

function capitalized(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** Ends with a full stop. */
function sentence(words: string): string {
  const trimmed = plain(words.trim());
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Programs' texts are words, not markup. */
function plain(words: string): string {
  return words.replaceAll("<", "&lt;").replaceAll("|", "\\|").replaceAll("\n", " ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
