// The tables of docs/settings.md, made of package.json: the words stand there once, where VS Code shows them.

const row = (...cells) => `| ${cells.join(" | ")} |`;
const table = (head, rows) => [row(...head), row(...head.map(() => "---")), ...rows].join("\n");

/** In a document a link to another setting is its name. */
const plain = (text) => text.replaceAll(/`#([\w.]+)#`/g, "`$1`").replaceAll("|", "\\|");

function defaultText(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return ["", "[]", "{}"].includes(text) ? "empty" : `\`${text}\``;
}

function settingRow([name, setting]) {
  const [what, example] = setting.markdownDescription.replace(/ Default: `[^`]*`\./, "").split(" Example: ");
  const choices = (setting.enum ?? []).map((choice, i) => ` \`${choice}\`: ${setting.markdownEnumDescriptions[i]}`);
  return row(`\`${name}\``, defaultText(setting.default), plain(what + choices.join("")), plain(example.slice(0, -1)));
}

/** What a marker begins, by its name: `<!-- NAME -->` to `<!-- end of NAME -->`. */
function between(text, name, content) {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The document has no place for its ${name}.`);
  return `${text.slice(0, from + start.length)}${content}\n${text.slice(to)}`;
}

/** The document with its tables as `manifest` has them. */
export function withSettingsTables(text, { contributes: { configuration, colors } }) {
  const settings = configuration.map(({ title, properties }) => {
    const rows = Object.entries(properties).map(settingRow);
    return `## ${title}\n${table(["setting", "default", "what it does", "example"], rows)}`;
  });
  const colorRows = colors.map(({ id, description }) => row(`\`${id}\``, description));
  return between(between(text, "settings", settings.join("\n\n")), "colors", table(["color", "what it is"], colorRows));
}
