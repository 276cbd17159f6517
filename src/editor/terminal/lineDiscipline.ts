/** What a terminal's line editing does for a script that reads its standard input: echo, backspace, Enter, Ctrl keys. */

export interface LineActions {
  /** Shown in the terminal. */
  echo(text: string): void;
  /** Sent to the script's standard input. */
  send(text: string): void;
  /** The script's standard input ends. */
  end(): void;
  /** The user asked to stop the script. */
  interrupt(): void;
}

export interface LineDiscipline {
  /** Takes what the terminal passes on for keys or a paste. */
  keys(data: string): void;
}

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const CTRL_U = "\x15";
const CTRL_W = "\x17";
// Cursor and function keys: nothing to do for them in a line that is only appended to.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with the escape character
const ESCAPE_SEQUENCE = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^[O])?/su;
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

export function createLineDiscipline(actions: LineActions): LineDiscipline {
  const graphemes = new Intl.Segmenter();
  let line: string[] = [];
  let ended = false;

  const erase = (count: number): void => {
    const gone = line.splice(Math.max(0, line.length - count));
    for (const char of gone.reverse()) actions.echo("\b \b".repeat(WIDE.test(char) ? 2 : 1));
  };
  const wordLength = (): number => {
    const text = line.join("");
    const kept = [...graphemes.segment(text.replace(/\S+\s*$|\s+$/u, ""))].length;
    return line.length - kept;
  };
  const enter = (): void => {
    actions.echo("\r\n");
    actions.send(`${line.join("")}\n`);
    line = [];
  };
  const endOfInput = (): void => {
    // As a terminal does it: with text in the line, Ctrl-D passes the text on; on an empty line it ends the input.
    if (line.length > 0) {
      actions.send(line.join(""));
      line = [];
    } else {
      ended = true;
      actions.end();
    }
  };
  const control: Readonly<Record<string, () => void>> = {
    "\r": enter,
    "\n": enter,
    "\x7f": () => erase(1),
    "\b": () => erase(1),
    [CTRL_U]: () => erase(line.length),
    [CTRL_W]: () => erase(wordLength()),
    [CTRL_D]: endOfInput,
  };
  const interrupt = (): void => {
    line = [];
    actions.echo("^C\r\n");
    actions.interrupt();
  };

  const press = (key: string): void => {
    if (key === CTRL_C) interrupt();
    else if (ended) return;
    else if (key === "\r\n") enter();
    else if (control[key] !== undefined) control[key]();
    else if (key >= " " || key === "\t") {
      line.push(key);
      actions.echo(key);
    }
  };

  return {
    keys(data) {
      let rest = data;
      while (rest !== "") {
        const sequence = ESCAPE_SEQUENCE.exec(rest)?.[0];
        const part = sequence ?? graphemes.segment(rest).containing(0)?.segment ?? rest;
        rest = rest.slice(part.length);
        if (sequence === undefined) press(part);
      }
    },
  };
}
