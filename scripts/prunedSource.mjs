// Parts of a library's source that nobody asks for, cut out by its syntax: for scripts/slim*.mjs.
import { parse } from "@babel/parser";

/** @param {string} text */
export const programOf = (text) => parse(text, { sourceType: "unambiguous" }).program;

/** @param visit false: nothing below */
export function walk(node, visit) {
  if (node === null || typeof node !== "object") return;
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit);
    return;
  }
  if (typeof node.type === "string" && visit(node) === false) return;
  for (const [name, value] of Object.entries(node)) if (name !== "loc") walk(value, visit);
}

/** @param {string} text @param {[start: number, end: number, instead?: string][]} parts */
export function replaced(text, parts) {
  let made = "";
  let at = 0;
  for (const [start, end, instead = ""] of [...parts].sort(([a], [b]) => a - b)) {
    made += text.slice(at, start) + instead;
    at = end;
  }
  return made + text.slice(at);
}

/** Of an object's property, with the comma behind it. @returns {[number, number]} */
export function property(text, { start, end }) {
  const comma = /^\s*,/.exec(text.slice(end, end + 80));
  return [start, end + (comma?.[0].length ?? 0)];
}

/**
 * Of a function that declares much and returns it as an object: what is not asked for, nor needed by what is.
 *
 * @param {string} text
 * @param maker the function
 * @param {(name: string) => boolean} isAsked
 */
export function unusedOf(text, maker, isAsked) {
  const statements = maker.body.body.slice(0, -1);
  const { properties } = maker.body.body.at(-1).argument;
  const asked = properties.filter(({ key }) => isAsked(key.name));
  const unused = unusedStatements(
    statements,
    asked.map(({ value }) => value),
  );
  return [
    ...unused.map(({ start, end }) => [start, end]),
    ...properties.filter((one) => !asked.includes(one)).map((one) => property(text, one)),
  ];
}

/** Those statements that declare what neither `roots`, nor what these need, names; others are roots themselves. */
export function unusedStatements(statements, roots) {
  const declared = new Map();
  for (const one of statements)
    for (const name of declaredBy(one)) declared.set(name, [...(declared.get(name) ?? []), one]);
  const used = new Set();
  const use = (node) =>
    walk(node, ({ type, name }) => {
      for (const one of type === "Identifier" ? (declared.get(name) ?? []) : []) {
        if (used.has(one)) continue;
        used.add(one);
        use(one);
      }
    });
  for (const one of [...roots, ...statements.filter((each) => declaredBy(each).length === 0)]) use(one);
  return statements.filter((one) => declaredBy(one).length > 0 && !used.has(one));
}

/** Names that a statement declares and does nothing beside: functions, variables, TypeScript's namespaces. */
function declaredBy(statement) {
  const inner = statement.declaration ?? statement;
  if (inner.type === "FunctionDeclaration" || inner.type === "ClassDeclaration") return [inner.id.name];
  if (inner.type === "VariableDeclaration") return inner.declarations.flatMap(({ id }) => id.name ?? []);
  const called = inner.type === "ExpressionStatement" ? inner.expression : undefined;
  // (function (X) { … })(X || (X = {}))
  const isNamespace = called?.type === "CallExpression" && called.callee.type === "FunctionExpression";
  const [given] = isNamespace ? called.arguments : [];
  return given?.type === "LogicalExpression" && given.left.type === "Identifier" ? [given.left.name] : [];
}
