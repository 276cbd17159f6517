/** The reference of all commands, as Markdown; seen from docs/. */
import { say } from "../../../words/t.ts";
import { COMMAND_GROUPS } from "./commands.ts";
import { exitOf, OPTIONS, optionGroups, WITH_PROFILE } from "./helpText.ts";
import type { CommandDescription, Fact } from "./model.ts";

const BEGIN = "<!-- From here on it is made of src/cli/reference by: npm run docs -->";
const END = "<!-- Made until here. -->";

/**
 * @param document has the two marks; what stands between them is put anew
 * @throws where a mark is missing
 */
export function withReference(document: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`The document lacks "${BEGIN}" or "${END}".`);
  return `${document.slice(0, begin)}${BEGIN}\n${referenceMarkdown()}\n${document.slice(end)}`;
}

function referenceMarkdown(): string {
  return COMMAND_GROUPS.flatMap(({ title, commands }) => [`### ${say(title)}`, ...commands.map(ofCommand)]).join(
    "\n\n",
  );
}

function ofCommand(command: CommandDescription): string {
  const { name, summary, synopses, about = [], words = [], examples, exit = [], environment = [], json } = command;
  const options = optionGroups(command).map(({ title, options: facts }) =>
    table(title === OPTIONS ? "option" : say(title), facts),
  );
  return [
    `#### ${name}`,
    sentence(say(summary)),
    fenced(synopses.map((synopsis) => `jetson-memprof ${name} ${synopsis}`)),
    ...about.map((paragraph) => escaped(say(paragraph))),
    table(
      "word",
      words.map((word) => [word.name, word.says]),
    ),
    ...options,
    command.withProfile ? escaped(say(WITH_PROFILE)) : "",
    fenced(commented(examples)),
    table("exit status", exitOf(exit)),
    table("variable", environment),
    json === undefined ? "" : `What \`--json\` prints: [${json}](${json.replace("command-line.md#", "#")}).`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function table(head: string, rows: readonly Fact[]): string {
  if (rows.length === 0) return "";
  return [
    `| ${head} | meaning |`,
    "|---|---|",
    ...rows.map(([name, says]) => `| \`${name.replaceAll("|", "\\|")}\` | ${escaped(say(says))} |`),
  ].join("\n");
}

function commented(examples: readonly Fact[]): string[] {
  const lines = examples.map(([line, does]) => [`jetson-memprof ${line}`, does] as const);
  const longest = Math.max(...lines.map(([line]) => line.length));
  return lines.map(([line, does]) => `${line.padEnd(longest)}   # ${say(does)}`);
}

const fenced = (lines: readonly string[]): string => ["```sh", ...lines, "```"].join("\n");

const sentence = (text: string): string => escaped(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);

const escaped = (text: string): string => text.replace(/[\\`*_[\]|<]/g, "\\$&");
