// Of the Model Context Protocol's SDK, what a server over standard input and output that has nothing but tools needs: no
// HTTP and its OAuth, no prompts, resources, tasks and sampling, no check of JSON schemas (ours are read by valibot). Both
// revisions of the protocol stay. A new version of the SDK that is not as expected stops the build or a test.
import { programOf, property, replaced, unusedOf, walk } from "./prunedSource.mjs";
import { slim } from "./slimLibraries.mjs";

/** Methods of what our server has not; their names alone decide, in tables of schemas and elsewhere. */
const FOREIGN =
  /^(notifications\/)?(resources|prompts|completion|tasks|sampling|roots|logging|message)(\/|$)|^notifications\/elicitation/;

function withoutForeignMethods(text) {
  const parts = [];
  walk(programOf(text), (node) => {
    const isForeign =
      node.type === "ObjectProperty" && node.key.type === "StringLiteral" && FOREIGN.test(node.key.value);
    if (isForeign) parts.push(property(text, node));
    return !isForeign;
  });
  if (parts.length < 50) throw new Error(`The SDK of MCP has its methods in another way (${parts.length} found).`);
  return replaced(text, parts);
}

/** What is checked of results: ours of a tool, and a client's of what it is asked. */
const CHECKED_RESULT = /^(tools\/call|elicitation\/create)$/;

function withoutOtherResults(text) {
  const parts = [];
  walk(programOf(text), ({ type, id, key, init, value }) => {
    const name = type === "VariableDeclarator" ? id.name : type === "ObjectProperty" ? key.name : undefined;
    const table = /^(dispatchR|r)esultSchemas$/.test(name ?? "") ? (init ?? value) : undefined;
    for (const one of table?.type === "ObjectExpression" ? table.properties : [])
      if (!CHECKED_RESULT.test(one.key.value ?? one.key.name)) parts.push(property(text, one));
  });
  if (parts.length < 5) throw new Error(`The SDK of MCP checks results in another way (${parts.length} found).`);
  return replaced(text, parts);
}

/** Each revision has a function that makes all of its schemas; what nobody asks for of these is not made. */
function withoutUnusedSchemas(text) {
  const asked = new Set([...text.matchAll(/\b(?:s|buildSchemas\d+\(\))\.(\w+)/g)].map(([, name]) => name));
  const makers = programOf(text).body.filter(
    (node) => node.type === "FunctionDeclaration" && /^build(\$\d)?$/.test(node.id.name),
  );
  if (makers.length !== 2) throw new Error(`The SDK of MCP makes its schemas in another way (${makers.length} found).`);
  return replaced(
    text,
    makers.flatMap((maker) => unusedOf(text, maker, (name) => asked.has(name))),
  );
}

/** What a module makes while it loads does nothing else: esbuild leaves it out where nobody uses it. */
function pure(text) {
  const parts = programOf(text).body.flatMap((node) => {
    const { type, declarations = [] } = node.declaration ?? node;
    if (type !== "VariableDeclaration") return [];
    return declarations
      .filter(({ init }) => /^(Call|New|Class|Array|Object)Expression$/.test(init?.type ?? ""))
      .flatMap(({ init }) => [
        [init.start, init.start, "/* @__PURE__ */ (() => ("],
        [init.end, init.end, "))()"],
      ]);
  });
  return replaced(text, parts);
}

/** Methods of the server for what it never asks a client. */
const NEVER_ASKED =
  /^(createMessage|listRoots|createElicitationCompletionNotifier|sendLoggingMessage|sendResourceUpdated|sendResourceListChanged|sendPromptListChanged)$/;

function withoutMethods(text) {
  const parts = [];
  walk(programOf(text), (node) => {
    if (node.type === "ClassMethod" && NEVER_ASKED.test(node.key.name)) parts.push([node.start, node.end]);
  });
  return replaced(text, parts);
}

/** @param {[what: string | RegExp, instead: string][]} changes */
const changed =
  (...changes) =>
  (text) =>
    changes.reduce((before, [what, instead]) => {
      const after = before.replace(what, () => instead);
      if (after === before) throw new Error(`The SDK of MCP has another text: ${what} is not there.`);
      return after;
    }, text);

/** Formats of strings, such as `email()`: of these the protocol has addresses only. */
function withoutFormats(text) {
  const start = text.indexOf("export const ZodString =");
  const end = text.indexOf("\n});", start);
  const formats =
    /^ {4}(?!url\b)\w+\(params\) \{\n {8}return this\.check\(core\._\w+\(Zod\w+, params\)\);\n {4}\},?\n/gm;
  const kept = text.slice(start, end).replace(formats, "");
  if (start < 0 || kept.length > (end - start) / 2) throw new Error("zod has its formats in another way.");
  return text.slice(0, start) + kept + text.slice(end);
}

const steps =
  (...each) =>
  (text) =>
    each.reduce((made, step) => step(made), text);

const LEFT_OUT = `throw new Error("Left out of the bundle.")`;

export const slimMcp = slim("slim-mcp", [
  [
    /@modelcontextprotocol[/\\]server[/\\]dist[/\\]ajvProvider-[\w-]+\.mjs$/,
    `export class n { constructor() { ${LEFT_OUT}; } }`,
  ],
  [
    /@modelcontextprotocol[/\\]server[/\\]dist[/\\]src-[\w-]+\.mjs$/,
    steps(
      changed(
        // Checks of every type of the protocol, for others to use.
        [
          /^\/\/#region \S*types\/specTypeSchema\.ts\n[\s\S]*?^\/\/#endregion$/m,
          "const isSpecType = {}, specTypeSchemas = {};",
        ],
        // Our tools have no schemas of what they answer.
        ["outputSchema: wrapOutputSchemaForLegacy(t.outputSchema)", "outputSchema: t.outputSchema"],
        // Of what a client of the newer revision reads.
        [/wireResultSchemasMemo = \{[\s\S]*?\n\t\};/, "wireResultSchemasMemo = {};"],
        [/samplingResultVariant: \(\(hasTools[\s\S]*?\n\t\}\),/, "samplingResultVariant: () => NOT_IN_ERA$1,"],
      ),
      withoutForeignMethods,
      withoutOtherResults,
      withoutUnusedSchemas,
      pure,
    ),
  ],
  [
    /@modelcontextprotocol[/\\]server[/\\]dist[/\\]mcp-[\w-]+\.mjs$/,
    steps(
      changed([
        "transport instanceof PerRequestHTTPServerTransport ? readClassification(transport) : void 0",
        "void 0",
      ]),
      withoutMethods,
      pure,
    ),
  ],
  [
    /@modelcontextprotocol[/\\]server[/\\]dist[/\\]stdio\.mjs$/,
    changed(["product instanceof McpServer ? product.server : product", "product"]),
  ],
  [/@modelcontextprotocol[/\\]core[/\\]dist[/\\](schemas|auth)-[\w-]+\.mjs$/, pure],
  // An issue says what was expected, and where, beside its sentence.
  [/zod[/\\]v4[/\\]locales[/\\]en\.js$/, "export default () => ({ localeError: () => undefined });"],
  [/zod[/\\]v4[/\\]core[/\\]json-schema-processors\.js$/, "module.exports = { aggregateChecks: () => ({}) };"],
  [
    /zod[/\\]v4[/\\]core[/\\]to-json-schema\.js$/,
    `exports.createToJSONSchemaMethod = exports.createStandardJSONSchemaMethod = () => undefined;
    exports.toJSONSchema = () => { ${LEFT_OUT}; };`,
  ],
  [/zod[/\\]v4[/\\](core[/\\]json-schema-generator|classic[/\\]from-json-schema)\.js$/, "module.exports = {};"],
  [
    /zod[/\\]v4[/\\]classic[/\\]schemas\.js$/,
    steps(
      changed(
        ['import { util } from "../core/index.js";', 'import * as util from "../core/util.js";'],
        ["core.util.constantCatch", "util.constantCatch"],
        [/^ {4}inst\._zod\.processJSONSchema = .*\n/gm, ""],
        // Checks of objects would be compiled from text; for messages of this size they need not be.
        [/\bcore\.\$ZodObjectJIT\b/g, "core.$ZodObject"],
        // For values that hold themselves, which JSON cannot.
        [/^ {4}_ensureDefaultMemoizer\(\);\n/gm, ""],
      ),
      withoutFormats,
    ),
  ],
]);
