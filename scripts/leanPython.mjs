// Python as it goes to boards: without comments and docstrings, which are a fifth of what the extension weighs and memory
// on a board. What is left stays where it was, so that a traceback from a board names the lines of the source.

/** At a place: a comment, the beginning of a string, a word, the joining of two lines, or one other character. */
const PIECE =
  /(?<comment>#[^\n]*)|(?<prefix>[a-zA-Z]{0,2})(?<quote>"""|'''|"|')|(?<word>\w+)|(?<joined>\\\n)|(?<other>.)/sy;
const CLOSING = {
  '"': /(?:\\.|[^"\\\n])*"/sy,
  "'": /(?:\\.|[^'\\\n])*'/sy,
  '"""': /(?:\\.|[^\\])*?"""/sy,
  "'''": /(?:\\.|[^\\])*?'''/sy,
};

/**
 * @typedef {{kind: string, text: string, start: number, end: number}} Token
 * @typedef {{tokens: Token[], indent: number}} Statement one logical line
 */

/**
 * @param {string} source
 * @returns {Token[]} without blanks; a newline within brackets is none
 * @throws {SyntaxError} when a string has no end
 */
function tokensOf(source) {
  const tokens = [];
  let depth = 0;
  for (let at = 0; at < source.length; ) {
    PIECE.lastIndex = at;
    const { comment, prefix, quote, word, joined, other } = PIECE.exec(source).groups;
    const start = at;
    at = quote === undefined ? PIECE.lastIndex : endOfString(source, PIECE.lastIndex, quote);
    if ("([{".includes(other)) depth += 1;
    if (")]}".includes(other)) depth -= 1;
    const kind = kindOf({ comment, prefix, quote, word, other }, depth);
    if (joined === undefined && kind !== "blank") tokens.push({ kind, text: source.slice(start, at), start, end: at });
  }
  return tokens;
}

function kindOf({ comment, prefix, quote, word, other }, depth) {
  if (comment !== undefined) return "comment";
  // What has a prefix of these is computed, or is bytes: no docstring.
  if (quote !== undefined) return /[fb]/i.test(prefix) ? "value" : "string";
  if (word !== undefined) return "word";
  if (other === "\n") return depth === 0 ? "newline" : "blank";
  return /\s/.test(other ?? " ") ? "blank" : "sign";
}

function endOfString(source, at, quote) {
  const closing = CLOSING[quote];
  closing.lastIndex = at;
  if (!closing.test(source)) throw new SyntaxError(`A string has no end: ${source.slice(at - 10, at + 40)}`);
  return closing.lastIndex;
}

/** @returns {Statement[]} */
function statementsOf(source, tokens) {
  const statements = [];
  let held = [];
  for (const token of tokens) {
    if (token.kind === "newline") {
      if (held.length > 0) statements.push(held);
      held = [];
    } else if (token.kind !== "comment") held.push(token);
  }
  if (held.length > 0) statements.push(held);
  return statements.map((of) => ({ tokens: of, indent: of[0].start - 1 - source.lastIndexOf("\n", of[0].start - 1) }));
}

/** Whether a docstring may come next: what is defined has its body in the lines below. */
function opens({ tokens }) {
  const [first, second] = tokens.map(({ text }) => text);
  const defines = first === "def" || first === "class" || (first === "async" && second === "def");
  return defines && tokens.at(-1).text === ":";
}

/**
 * @param {string} source
 * @returns {string} the same program to Python, but for `__doc__`; each statement in its old line and column
 */
export function leanPython(source) {
  const tokens = tokensOf(source);
  const statements = statementsOf(source, tokens);
  const cuts = tokens.filter(({ kind, start, text }) => kind === "comment" && !(start === 0 && text.startsWith("#!")));
  for (const [index, { tokens: own, indent }] of statements.entries()) {
    const above = statements[index - 1];
    if (!own.every(({ kind }) => kind === "string") || !(above === undefined || opens(above))) continue;
    const alone = above !== undefined && (statements[index + 1]?.indent ?? 0) < indent;
    cuts.push({ start: own[0].start, end: own.at(-1).end, instead: alone ? "pass" : "" });
  }
  return without(source, cuts);
}

/** Of what is cut the ends of lines stay. */
function without(source, cuts) {
  let at = 0;
  let left = "";
  for (const { start, end, instead = "" } of cuts.toSorted((a, b) => a.start - b.start)) {
    // Blanks before a cut at a line's end go with it; what stands on a line in its place keeps its column.
    const kept = source.slice(at, start);
    const ends = source.slice(start, end).replace(/[^\n]+/g, "");
    left += (instead === "" ? kept.replace(/[^\S\n]+$/, "") : kept) + instead + ends;
    at = end;
  }
  return left + source.slice(at);
}
