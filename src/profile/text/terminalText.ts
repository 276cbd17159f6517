/** What a program on a board prints, as a terminal here may be given it. docs/security.md says why. */

export interface TerminalText {
  /** The next piece, without what could do more than show text. */
  take(text: string): string;
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
/** Text, line ends, tabs, backspace and the bell. */
const PLAIN = /[^\0-\x06\v\f\x0e-\x1f\x7f-\x9f]+/y;
/** Colors and attributes, the cursor's moves, erasing and moving what is shown: what progress bars are made of. */
const HARMLESS = /^\x1b(?:[78]|\[(?:[\d;:]*[A-HKLMPSTX@dfm]|[0-2]?J|[su]|\?25[hl]))$/;
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])/y;
/** An escape sequence that goes on in the next piece, as far as it came. */
const BEGUN = /\x1b(?:\[[0-?]*[ -/]*|[ -/]*)$/y;
/** Commands to the terminal with a text of any length: titles, links, the clipboard, pictures. */
const STRING = /\x1b[\]P_^X]/y;
const STRING_END = /[\x07\x18\x1a\x1b\x9c\n]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above
/** Longer ones are none. */
const LONGEST = 64;

/**
 * For one stream. Left out are the sequences that make a terminal answer (into the script's input), read or write the
 * clipboard, set its title or modes, link text to somewhere, or erase what has scrolled away.
 */
export function createTerminalText(): TerminalText {
  let held = "";
  let inString = false;

  function at(pattern: RegExp, text: string, from: number): string | undefined {
    pattern.lastIndex = from;
    return pattern.exec(text)?.[0];
  }

  /** Where the command's text ends; a line end ends it too, so that one that never ends hides no more than a line. */
  function afterString(text: string, from: number): number {
    STRING_END.lastIndex = from;
    const end = STRING_END.exec(text);
    if (end === null) return text.length;
    if (end[0] === "\x1b" && end.index + 1 === text.length) {
      held = "\x1b";
      return text.length;
    }
    inString = false;
    if (end[0] === "\n") return end.index;
    if (end[0] !== "\x1b") return end.index + 1;
    return text[end.index + 1] === "\\" ? end.index + 2 : end.index;
  }

  return {
    take(piece) {
      const text = held + piece;
      held = "";
      let shown = "";
      for (let from = 0; from < text.length; ) {
        if (inString) {
          from = afterString(text, from);
          continue;
        }
        const plain = at(PLAIN, text, from);
        if (plain !== undefined) {
          shown += plain;
          from += plain.length;
          continue;
        }
        const begun = at(BEGUN, text, from);
        if (begun !== undefined && begun.length < LONGEST) {
          held = begun;
          break;
        }
        const string = at(STRING, text, from);
        inString = string !== undefined;
        const sequence = string ?? at(SEQUENCE, text, from);
        if (sequence !== undefined && sequence.length < LONGEST && HARMLESS.test(sequence)) shown += sequence;
        from += sequence?.length ?? 1;
      }
      return shown;
    },
  };
}
