// Which modules import each other in a circle, by value: types are gone before a program runs, and may.
import * as fs from "node:fs";
import * as path from "node:path";
import { parse } from "@babel/parser";

/**
 * What a module needs when it is loaded. What it loads on need, by `import()`, comes when the circle is long closed.
 *
 * @param {string} source
 * @returns {string[]} the relative modules, as they are written
 */
export function neededBy(source) {
  const { body } = parse(source, { sourceType: "module", plugins: ["typescript"] }).program;
  return body.flatMap((statement) => {
    if (statement.source?.value === undefined || !statement.source.value.startsWith(".")) return [];
    if (statement.importKind === "type" || statement.exportKind === "type") return [];
    const names = statement.specifiers ?? [];
    const onlyTypes =
      names.length > 0 && names.every((name) => name.importKind === "type" || name.exportKind === "type");
    return onlyTypes ? [] : [statement.source.value];
  });
}

/**
 * @param {string} source
 * @returns {string[]} all that a module imports or passes on, types and what it loads on need too, as it is written
 */
export function importedBy(source) {
  const { body } = parse(source, { sourceType: "module", plugins: ["typescript"] }).program;
  const stated = body.flatMap(({ source: from }) => (from?.value === undefined ? [] : [from.value]));
  const inside = [...source.matchAll(/\bimport\(\s*"([^"]+)"/g)].flatMap(([, name]) => name ?? []);
  return [...stated, ...inside];
}

/** @param {string} folder @returns {Map<string, string[]>} of each TypeScript file below it the files it needs */
export function importsBelow(folder) {
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .map((name) => path.join(folder, name));
  return new Map(
    files.map((file) => [
      file,
      neededBy(fs.readFileSync(file, "utf8")).map((name) => path.resolve(path.dirname(file), name)),
    ]),
  );
}

/**
 * @param {ReadonlyMap<string, readonly string[]>} imports
 * @returns {string[][]} the files of each circle that a walk finds first, in the order of their imports
 */
export function circlesIn(imports) {
  const done = new Set();
  const circles = [];
  const walk = (file, above) => {
    if (done.has(file)) return;
    const from = above.indexOf(file);
    if (from >= 0) {
      circles.push(above.slice(from));
      return;
    }
    for (const next of imports.get(file) ?? []) walk(next, [...above, file]);
    done.add(file);
  };
  for (const file of imports.keys()) walk(file, []);
  return circles;
}
