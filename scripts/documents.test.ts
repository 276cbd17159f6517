/** The documents and what they speak of: links, commands and settings are there. */
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../src/server/standalone/commands.ts";
import { manifestIn } from "./manifestTexts.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string): string => fs.readFileSync(path.join(root, file), "utf8");
const markdownIn = (folder: string): readonly string[] =>
  fs
    .readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.posix.join(folder, name));
const DOCUMENTS = [...markdownIn("."), ...markdownIn("docs"), "python-helper/README.md", "bench/README.md"];
/** What was is allowed to be gone. */
const OF_NOW = DOCUMENTS.filter((file) => file !== "CHANGELOG.md");

const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```/gms, "").replaceAll(/`[^`\n]*`/g, "``");

/** The anchors of a document's headings, as GitHub and VS Code make them. */
function anchors(text: string): ReadonlySet<string> {
  const made = new Set<string>();
  for (const [, heading = ""] of text.replaceAll(/^```.*?^```/gms, "").matchAll(/^#{1,6} (.*)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(/\s/g, "-");
    let free = anchor;
    for (let again = 1; made.has(free); again++) free = `${anchor}-${again}`;
    made.add(free);
  }
  return made;
}

interface Link {
  readonly file: string;
  readonly anchor: string | undefined;
}

/** Where a document leads to within the project. */
function linksOf(document: string): readonly Link[] {
  const targets = [...withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = "", anchor] = target.split("#");
      return { file: file === "" ? document : path.posix.join(path.posix.dirname(document), file), anchor };
    });
}

const { commands, configuration, colors, menus, views } = manifestIn("en").contributes;
const texts = OF_NOW.map(read).join("\n");
/** Commands of rows and links only are not asked for by name. */
const hidden = new Set(menus.commandPalette.filter(({ when }) => when === "false").map(({ command }) => command));

describe("the documents", () => {
  it.each(DOCUMENTS)("%s leads to files and headings that are there", (document) => {
    for (const { file, anchor } of linksOf(document)) {
      const target = path.join(root, file);
      expect(fs.existsSync(target), `${document} → ${file}`).toBe(true);
      if (anchor !== undefined && file.endsWith(".md"))
        expect(anchors(read(file)), `${document} → ${file}`).toContain(anchor);
    }
  });

  it("name only commands, settings, colors and views that there are", () => {
    const known = new Set<string>([
      ...COMMANDS,
      ...commands.map(({ command }) => command),
      ...configuration.flatMap(({ properties }) => Object.keys(properties)),
      ...colors.map(({ id }) => id),
      ...Object.values(views)
        .flat()
        .map(({ id }) => id),
    ]);
    const named = new Set([...texts.matchAll(/\bjetsonMemprof\.[\w.]*\w/g)].map(([name]) => name));
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
  });

  it("describe every command by its title and id", () => {
    const reference = read("docs/commands.md");
    for (const { command, title } of commands.filter(({ command }) => !hidden.has(command))) {
      expect(reference).toContain(`**${title}**`);
      expect(reference).toContain(`\`${command}\``);
    }
  });

  it("call a command by its title", () => {
    const titles = new Set(commands.map(({ title }) => title));
    const called = [...texts.matchAll(/\*\*Jetson: ([^*]+)\*\*/g)].map(([, title = ""]) => title);
    expect(called.filter((title) => !titles.has(title))).toEqual([]);
    // What ends so asks something: a command, or a button. The keyboard's document has a test of its own.
    const asked = OF_NOW.filter((file) => file !== "docs/keyboard.md")
      .map(read)
      .join("\n");
    const asking = new Set(
      [...withoutCode(asked).matchAll(/\*\*(?:Jetson: )?([^*\n]+…)\*\*/g)].map(([, name = ""]) => name),
    );
    const sources = ["src", "webview"].flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
        .map((name) => read(path.join(folder, name))),
    );
    expect([...asking].filter((name) => !titles.has(name) && !sources.some((text) => text.includes(name)))).toEqual([]);
  });

  it("name in the grid of features what is there, on its floor", () => {
    const [, section = ""] = read("docs/architecture.md").split("## Floors and features");
    const [grid = ""] = section.split("\n## ");
    const [headings = [], , ...rows] = (grid.match(/^\|.*\|$/gm) ?? []).map((row) => row.slice(1, -1).split("|"));
    const named = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    const places = rows.flatMap((cells) =>
      cells.flatMap((cell, column) => {
        const [floor = ""] = named(headings[column] ?? "");
        const on = floor === "jetson_memprof/" ? `python-helper/${floor}` : floor;
        return named(cell).map((name) => (name.startsWith("src/") ? name : on + name));
      }),
    );
    expect(places.length).toBeGreaterThan(60);
    expect(places.filter((place) => !fs.existsSync(path.join(root, place)))).toEqual([]);
  });

  it("are all in the index", () => {
    const index = new Set(linksOf("docs/README.md").map(({ file }) => file));
    expect(DOCUMENTS.filter((file) => file !== "docs/README.md" && !index.has(file))).toEqual([]);
  });
});
