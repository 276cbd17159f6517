// Of the language server protocol's libraries, the features that our server has not: their mixins in the server, their
// conversions in the client, and the names of both that nobody mentions then.
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { programOf, replaced, unusedOf, unusedStatements, walk } from "./prunedSource.mjs";
import { slim, withoutFeatures } from "./slimLibraries.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const CLIENT = "node_modules/vscode-languageclient/lib";
const SERVER = "node_modules/vscode-languageserver/lib";
const PROTOCOL = "node_modules/vscode-languageserver-protocol/lib";

/** Mixins of the server; each only adds to what it is given. */
const SERVER_FEATURES =
  /^(callHierarchy|diagnostic|fileOperations|foldingRange|inlineCompletion|inlineValue|linkedEditingRange|moniker|semanticTokens|showDocument|textDocumentContent|typeHierarchy)\.js$/;

function withoutMixin(text) {
  const [, name] = /^const (\w+Feature) = \(Base\) => \{$/m.exec(text) ?? [];
  if (name === undefined) throw new Error("vscode-languageserver has its features in another way.");
  return `exports.${name} = (Base) => Base;`;
}

/** Files below the folders, with their text. */
function* sources(...folders) {
  for (const folder of folders) {
    for (const name of fs.readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }))
      if (/\.(js|ts)$/.test(name) && !/\.(d|test)\.ts$/.test(name))
        yield [path.basename(name), fs.readFileSync(path.join(root, folder, name), "utf8")];
  }
}

const CONVERTER = /^(code|protocol)Converter\.js$/;

/** What of the client is left by slimLanguageClient, but for the conversions themselves. */
const clientText = once(() => {
  const client = fs.readFileSync(path.join(root, CLIENT, "common/client.js"), "utf8");
  const left = withoutFeatures(client);
  const isLeft = (name) =>
    left.includes(`require("./${name.slice(0, -3)}")`) || !client.includes(`new ${name.slice(0, -3)}_1.`);
  const texts = [...sources(CLIENT)].flatMap(([name, text]) => {
    if (name === "client.js") return [left];
    return CONVERTER.test(name) || name === "diagnostic.js" || !isLeft(name) ? [] : [text];
  });
  return texts.join("\n");
});

const converterTexts = once(() =>
  [...sources(CLIENT)].filter(([name]) => CONVERTER.test(name)).map(([, text]) => withoutConversions(text)),
);

const serverText = once(() =>
  [...sources(SERVER)].map(([name, text]) => (SERVER_FEATURES.test(name) ? "" : text)).join("\n"),
);

const ownText = once(() =>
  [...sources("src/server", "src/editor/link", "src/protocol")].map(([, text]) => text).join("\n"),
);

function once(make) {
  let made;
  return () => (made ??= make());
}

/** A conversion is asked for by its name behind a point. */
function withoutConversions(text) {
  const asked = new Set(
    [...`${clientText()}\n${ownText()}`.matchAll(/\.((?:as|create)\w+)\b/g)].map(([, name]) => name),
  );
  const maker = programOf(text).body.find(
    ({ type, id }) => type === "FunctionDeclaration" && id.name === "createConverter",
  );
  if (maker === undefined) throw new Error("vscode-languageclient has its conversions in another way.");
  return replaced(
    text,
    unusedOf(text, maker, (name) => asked.has(name)),
  );
}

const words = (text) => new Set(text.match(/\b[A-Za-z_$][\w$]*/g) ?? []);

const mentioned = once(() => words([clientText(), ...converterTexts(), serverText(), ownText()].join("\n")));

/** All of the protocol's own modules but the one that lists everything. */
const protocolText = once(() =>
  [...sources(PROTOCOL)].map(([name, text]) => (name === "protocol.js" ? "" : text)).join("\n"),
);

/** `exports.A = exports.B = void 0;` and getters of other modules' names, which nobody mentions. */
function withoutNames(text) {
  const program = programOf(text);
  const isMentioned = (name) => mentioned().has(name);
  const parts = [];
  const roots = [];
  for (const statement of program.body) {
    const { expression } = statement;
    if (
      expression?.type === "AssignmentExpression" &&
      /^exports\.\w+ = (exports\.\w+ = )+void 0;/.test(text.slice(statement.start, statement.end))
    )
      parts.push([statement.start, statement.end]);
    const [, name] =
      /^Object\.defineProperty\(exports, "(\w+)", \{ enumerable/.exec(text.slice(statement.start, statement.end)) ?? [];
    if (name !== undefined && !isMentioned(name)) parts.push([statement.start, statement.end]);
    else if (name !== undefined) roots.push(statement);
  }
  const dropped = new Set(parts.map(([start]) => start));
  const kept = program.body.filter(({ start }) => !dropped.has(start));
  return replaced(text, [...parts, ...unmentioned(kept, roots, isMentioned)]);
}

/** Declarations that are neither mentioned elsewhere nor needed by what is. */
function unmentioned(statements, roots, isMentioned) {
  const named = [];
  walk(statements, (node) => {
    if (node.type === "VariableDeclaration") {
      for (const { id } of node.declarations) if (isMentioned(id.name)) named.push(id);
    }
    return /Program|Export|VariableDeclaration/.test(node.type);
  });
  return unusedStatements(statements, [...roots, ...named]).map(({ start, end }) => [start, end]);
}

function withoutTypes(text) {
  const names = words(protocolText());
  return replaced(
    text,
    unmentioned(programOf(text).body, [], (name) => mentioned().has(name) || names.has(name)),
  );
}

export const slimProtocol = slim("slim-protocol", [
  [/vscode-languageclient[/\\]lib[/\\]common[/\\](code|protocol)Converter\.js$/, withoutConversions],
  [new RegExp(`vscode-languageserver[/\\\\]lib[/\\\\]common[/\\\\]${SERVER_FEATURES.source.slice(1)}`), withoutMixin],
  [/vscode-languageserver-protocol[/\\]lib[/\\]common[/\\]protocol\.js$/, withoutNames],
  [/vscode-languageserver-types[/\\]lib[/\\]esm[/\\]main\.js$/, withoutTypes],
]);
