/** Text that would do something wherever it is taken for more than text, and data with it in every place for text. */

/** Terminals, Markdown, HTML, links to commands and files, GitHub's log commands, spreadsheets, mentions. */
export const PLANTED =
  "<img src=x onerror=window.hit=1></script><script>window.hit=1</script>" +
  "![p](http://evil.test/p.png)[t](command:evil.run?%22x%22)[f](file:///etc/passwd)<javascript:hit>" +
  "\u001b]52;c;cm0gLXJm\u0007\u001b]8;;http://evil.test\u0007\u001b[2J\u009b31m\r\n\u202e\u2066\u2028" +
  "::error file=x::hit%0A @everyone `|$(evil)$" +
  "{evil}\"'&=cmd()";

/** The same in the name of a file, which has no empty parts. */
const PLANTED_NAME = PLANTED.replace(/\/+/g, "/");

/** Fields whose texts are words of the format: anything else in them makes a record unreadable, which is tested elsewhere. */
const WORDS = new Set([
  "record", "kind", "state", "started", "sha256", "source", "signal", "implementation", "phase", "noticed_by", "peaks",
  "metrics", "meminfo", "schema", "run", "id", "t",
]); // biome-ignore format: a table

/** The same value with the text in every place for text, but in those that `keep` names. */
export function planted<Value>(value: Value, keep: ReadonlySet<string> = WORDS): Value {
  const within = (one: unknown, key: string): unknown => {
    if (typeof one === "string" && keep.has(key)) return one;
    if (typeof one === "string") return `${one}${key === "path" ? PLANTED_NAME : PLANTED}`;
    if (Array.isArray(one)) return one.map((item) => within(item, key));
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, item]) => [name, within(item, name)]));
  };
  return within(value, "") as Value;
}

/**
 * The same for a message: texts stay where one of their name is a word that `read` knows, as without it there would be no
 * message.
 */
export function plantedMessage<Message extends object>(message: Message, read: (message: unknown) => unknown): Message {
  const names = new Set<string>();
  JSON.stringify(message, (name, value: unknown) => {
    if (name !== "") names.add(name);
    return value;
  });
  const understood = (keep: ReadonlySet<string>): boolean => read(planted(message, keep)) !== undefined;
  const keep = new Set(
    [...names].filter((name) => {
      const others = new Set(names);
      others.delete(name);
      return !understood(others);
    }),
  );
  return planted(message, keep);
}

/** Each line of a file of JSON records; `name`, the name of a file, stays. */
export function plantedLines(text: string, name: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : JSON.stringify(planted(JSON.parse(line)))))
    .join("\n")
    .replaceAll(JSON.stringify(`${name}${PLANTED_NAME}`), JSON.stringify(name));
}
