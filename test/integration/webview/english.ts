/** What a page that speaks another language still says in English. Runs inside the page, as its own text. */

/** Words that are the same in Chinese: units, and names of products, fields, formats and keys. */
const NAMES = [
  ..."B KiB MiB GiB ms s min h UTC px".split(" "),
  ..."CPU GPU RAM RSS PSS USS CUDA NvMap PyTorch Python Jetson Nano massif Massif valgrind SSH Linux".split(" "),
  ..."OOM JSON CSV Shift Enter Esc Ctrl Home End jtop htop smem tegrastats zram tmpfs Speedscope Adam".split(" "),
  // Of what the pages show here: types of layers, functions.
  ..."Sequential Conv Linear train float long".split(" "),
];

/** What messages have in these is no text: the page has words of its own for it. */
const CODES = "kind state status topic verdict group rule outcome figure sureness metric strength totals form".split(
  " ",
);

/**
 * English that is no name, of all that is read or spoken: texts, names for screen readers, titles. Not asked
 * for: code, and what the page was told, which comes as it is here (paths, names, sentences made by others).
 */
export const ENGLISH = `(() => {
  const PATHS = /[\\w.@:~-]*\\/[\\w./:*-]+/g;
  // memory_allocated, torch.cuda, at::empty, MemTotal, --option
  const IDENTIFIERS = /(?<!\\w)--?[a-z][\\w-]*|\\b\\w+(?:(?:[._]|::)\\w+)+|\\b[A-Z]+[a-z]+[A-Z]\\w*/g;
  const names = new Set(${JSON.stringify(NAMES)});
  // As other programs print it.
  const QUOTED = /kernel dynamic memory|Mem usage/g;
  const codes = new Set(${JSON.stringify(CODES)});
  const told = new Set();
  const collect = (value) => {
    // As it is, and with a capital where a page lets it begin a line.
    if (typeof value === "string")
      for (const part of [value, value.charAt(0).toUpperCase() + value.slice(1), ...value.split(/[\`\\n]/)])
        told.add(part.trim());
    else if (value !== null && typeof value === "object")
      for (const [key, each] of Object.entries(value)) if (!codes.has(key)) collect(each);
  };
  collect(window.sent);
  const data = [...told].filter((text) => text.length > 1).sort((a, b) => b.length - a.length);
  const found = [];
  const escaped = (text) => text.replace(/[.*+?^$\{}()|[\\]\\\\]/g, "\\\\$&");
  const look = (text, where) => {
    // Whole, before its parts are taken for paths and identifiers: nano@10.0.0.2.
    if (told.has(text.trim())) return;
    let rest = text;
    // What is too long for its place ends in "…".
    const cut = /^(.{3,})…$/s.exec(text.trim())?.[1];
    if (cut !== undefined && data.some((each) => each.startsWith(cut))) return;
    // Not within a word: what was told may be "on". Sentences first, and names when no path is left that holds one.
    const without = (each) => {
      if (rest.includes(each)) rest = rest.replace(new RegExp("(?<![A-Za-z])" + escaped(each) + "(?![A-Za-z])", "g"), " ");
    };
    data.filter((each) => each.includes(" ")).forEach(without);
    for (const none of [PATHS, IDENTIFIERS, QUOTED]) rest = rest.replace(none, " ");
    data.forEach(without);
    // In a Chinese sentence a word alone is a name: of a field, a program, a distribution.
    const isChinese = /[\\p{Script=Han}，。：；（）“”]/u.test(rest);
    const runs = rest.match(/[A-Za-z][A-Za-z'’_-]+(?: [A-Za-z][A-Za-z'’_-]+)*/g) ?? [];
    const unsaid = runs.map((run) => run.split(" ").filter((word) => !names.has(word)));
    if (unsaid.some(({ length }) => length > (isChinese ? 1 : 0))) found.push(where + ": " + text.trim().slice(0, 120));
  };
  look(document.title, "title of the page");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (element.closest("script, style, code, pre, .source, .formula")) continue;
    look(node.textContent, element.tagName.toLowerCase() + (element.id ? "#" + element.id : ""));
  }
  const SAID = ["aria-label", "aria-valuetext", "aria-description", "aria-roledescription", "title", "alt", "placeholder"];
  for (const element of document.querySelectorAll("*"))
    for (const name of SAID) if (element.hasAttribute(name)) look(element.getAttribute(name), name);
  return [...new Set(found)];
})()`;
