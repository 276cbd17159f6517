/** The tables of docs/commands.md and docs/settings.md. */
import { COLORS } from "../colors.ts";
import { COMMAND_GROUPS } from "../commands.ts";
import type { Command, CommandGroup, Setting } from "../model.ts";
import { SETTING_CATEGORIES } from "../settings.ts";
import { declaredValue, defaultText, saidIn } from "./texts.ts";

const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly string[]): string =>
  [row(...head), row(...head.map(() => "---")), ...rows].join("\n");
const code = (text: string): string => `\`${text}\``;
const idOf = (name: string): string => code(`jetsonMemprof.${name}`);

export function withCommandTables(document: string): string {
  const parts = COMMAND_GROUPS.map((group: CommandGroup) => {
    const rows = Object.entries(group.commands).flatMap(([name, command]) => commandRow(name, command, group));
    return `## ${group.title}\n${table(["command", "id", "what it does"], rows)}`;
  });
  return between(document, "commands", parts.join("\n\n"));
}

function commandRow(name: string, command: Command, { commands }: CommandGroup): readonly string[] {
  if (!("says" in command)) return [];
  const beside = Object.entries(commands).filter(([, other]) => "toldWith" in other && other.toldWith === name);
  const told = [[name, command] as const, ...beside];
  const titles = told.map(([, { title }]) => `**${title.en}**`);
  return [row(titles.join(", "), told.map(([each]) => idOf(each)).join(", "), command.says)];
}

export function withSettingTables(document: string): string {
  const settings = SETTING_CATEGORIES.map(({ title, settings }) => {
    const rows = Object.entries<Setting>(settings).map(([name, setting]) => settingRow(name, setting));
    return `## ${title.en}\n${table(["setting", "default", "what it does", "example"], rows)}`;
  });
  const colors = Object.entries(COLORS).map(([name, { says }]) => row(idOf(name), says.en));
  return between(
    between(document, "settings", settings.join("\n\n")),
    "colors",
    table(["color", "what it is"], colors),
  );
}

function settingRow(name: string, { says, choices = {}, example }: Setting): string {
  const value = defaultText(declaredValue(name));
  const described = Object.entries(choices).map(([choice, it]) => ` ${code(choice)}: ${it.says.en}`);
  return row(
    idOf(name),
    value === undefined ? "empty" : code(value),
    plain(says.en + described.join("")),
    plain(saidIn(example, "en")),
  );
}

/** In a document a link to another setting is its name. */
const plain = (text: string): string => text.replaceAll(/`#([\w.]+)#`/g, "`$1`").replaceAll("|", "\\|");

/** What a marker begins, by its name: `<!-- NAME -->` to `<!-- end of NAME -->`. */
function between(document: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The document has no place for its ${name}.`);
  return `${document.slice(0, from + start.length)}${content}\n${document.slice(to)}`;
}
