/** What `--help` prints: of all commands, or of one, in lines that fit a terminal. */

import { displayWidth, padEnd } from "../../../profile/text/table.ts";
import { type Phrase, phrase, say, t } from "../../../words/t.ts";
import { COMMAND_GROUPS, COMMANDS } from "./commands.ts";
import type { CommandDescription, Fact, OptionDescription } from "./model.ts";
import { EXIT } from "./shared.ts";

const PROGRAM = "jetson-memprof";
const WIDEST = 80;
const NARROWEST = 24;
/** Where explanations begin; in a narrow terminal they stand below what they explain. */
const COLUMN = 24;
const NARROW = 60;

export const WITH_PROFILE = phrase("Every option of profile may be given too.");

/**
 * @param topic a command's name; undefined: all of them
 * @param columns of the terminal
 */
export function helpText(topic: string | undefined, columns: number): string {
  const width = Math.max(NARROWEST, Math.min(WIDEST, columns));
  const command = COMMANDS.find(({ name }) => name === topic);
  const lines = command === undefined ? overview(width) : ofCommand(command, width);
  return `${lines.join("\n")}\n`;
}

function overview(width: number): string[] {
  return [
    ...wrapped(t("Which source line took the memory, on a Jetson board or on this computer."), width, 0),
    "",
    t("Usage:"),
    ...wrapped(t("{0} COMMAND [options]", PROGRAM), width, 2),
    ...wrapped(`${PROGRAM} help COMMAND`, width, 2),
    ...COMMAND_GROUPS.flatMap(({ title, commands }) => [
      "",
      t("{0}:", say(title)),
      ...table(
        commands.map(({ name, summary }) => [name, summary]),
        width,
      ),
    ]),
    "",
    ...wrapped(
      t(
        '"{0} COMMAND --help" has a command\'s options, examples and exit status. "{0} --version" tells the version. ' +
          "docs/command-line.md has all of it on one page.",
        PROGRAM,
      ),
      width,
      0,
    ),
  ];
}

function ofCommand(command: CommandDescription, width: number): string[] {
  const { name, summary, synopses, about = [], words = [], examples, exit = [], environment = [], json } = command;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", ...wrapped(t("{0}:", title), width, 0), ...lines];
  return [
    ...wrapped(t("{0}: {1}.", name, say(summary)), width, 0),
    "",
    t("Usage:"),
    ...synopses.flatMap((synopsis) => wrapped(`${PROGRAM} ${name} ${synopsis}`, width, 2, 6)),
    ...about.flatMap((paragraph) => ["", ...wrapped(say(paragraph), width, 0)]),
    ...section(
      t("Words"),
      table(
        words.map((word) => [word.name, word.says]),
        width,
      ),
    ),
    ...optionGroups(command).flatMap(({ title, options }) => section(say(title), table(options, width))),
    ...(command.withProfile ? ["", ...wrapped(say(WITH_PROFILE), width, 0)] : []),
    ...section(
      t("Examples"),
      examples.flatMap(([line, does]) => [
        ...wrapped(`${PROGRAM} ${line}`, width, 2, 6),
        ...wrapped(say(does), width, 6),
      ]),
    ),
    ...section(t("Exit status"), table(exitOf(exit), width)),
    ...section(t("Environment"), table(environment, width)),
    ...(json === undefined ? [] : ["", ...wrapped(t("What --json prints: docs/{0}", json), width, 0)]),
  ];
}

/** A command's own meaning of a number goes before the general one. */
export function exitOf(own: readonly Fact[]): readonly Fact[] {
  const done = own.length > 0;
  return [...own, ...EXIT.filter(([status]) => !(done && status === "0"))];
}

/** Those without a heading of their own. */
export const OPTIONS = phrase("Options");

/** As help and reference list them, by their headings. */
export function optionGroups(command: CommandDescription): { title: Phrase; options: Fact[] }[] {
  const groups = new Map<Phrase, Fact[]>([[OPTIONS, []]]);
  for (const [name, option] of Object.entries<OptionDescription>(command.options)) {
    const title = option.group ?? OPTIONS;
    groups.set(title, [...(groups.get(title) ?? []), [typed(name, option), meaning(option)]]);
  }
  groups.get(OPTIONS)?.push(["-h, --help", phrase("print this")]);
  return [...groups].map(([title, options]) => ({ title, options }));
}

function typed(name: string, option: OptionDescription): string {
  if (option.kind === "flag") return `--${name}`;
  return option.kind === "optional" ? `--${name}[=${option.value}]` : `--${name} ${option.value}`;
}

function meaning({ says, default: usual }: OptionDescription): Phrase {
  if (usual === undefined) return says;
  return phrase("{0} (default: {1})", says, usual);
}

function table(rows: readonly Fact[], width: number): string[] {
  if (width < NARROW) {
    return rows.flatMap(([name, says]) => [...wrapped(name, width, 2), ...wrapped(say(says), width, 6)]);
  }
  return rows.flatMap(([name, says]) => {
    const [first = "", ...more] = wrapped(say(says), width, COLUMN);
    const head = `  ${name}`;
    return head.length > COLUMN - 2 ? [head, first, ...more] : [padEnd(head, COLUMN) + first.trimStart(), ...more];
  });
}

/** What is not torn apart: a word with the blanks behind it, a Chinese character with the signs around it. */
const PIECE = /[（【“]*\p{Script=Han}[，。；：？！）】”、]*|[^\s\p{Script=Han}]+\s*|\s+/gu;

/** @param next the indent of all lines but the first */
function wrapped(text: string, width: number, indent: number, next = indent): string[] {
  const lines: string[] = [];
  let line = " ".repeat(indent);
  let isEmpty = true;
  for (const piece of text.match(PIECE) ?? []) {
    if (!isEmpty && displayWidth(line) + displayWidth(piece.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = " ".repeat(next);
    }
    line += piece;
    isEmpty = false;
  }
  return [...lines, line.trimEnd()];
}
