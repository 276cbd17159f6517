/** A terminal for one run: the script's output live, and what is typed there goes to the script. */
import * as vscode from "vscode";
import { t } from "../../words/t.ts";
import { createLineDiscipline } from "../terminal/lineDiscipline.ts";
import { createOutputThrottle, type OutputStream } from "../terminal/outputThrottle.ts";

export interface RunTerminal extends vscode.Disposable {
  /** Finished runs' terminals are closed by the next run. */
  readonly finished: boolean;
  output(stream: OutputStream, data: Uint8Array): void;
  /** Words of ours among the script's. */
  note(...lines: readonly string[]): void;
  /** Brings the terminal to the front; false where the user has closed it. */
  show(): boolean;
  /** The run is over: `text` is the last line, and the next key closes the terminal. */
  finish(text: string): void;
}

export interface TerminalActions {
  input(data: Uint8Array): void;
  closeInput(): void;
  interrupt(): void;
  /** The user closed the terminal while the run goes on. */
  closed(): void;
}

/** Shown at most; the rest is in the run folder's logs. */
const BYTES_PER_SECOND = 1024 * 1024;
/** Characters kept for a terminal that is not open yet. */
const MOST_WAITING = 1024 * 1024;

export function createRunTerminal(name: string, actions: TerminalActions): RunTerminal {
  const written = new vscode.EventEmitter<string>();
  const closing = new vscode.EventEmitter<void>();
  let open = false;
  let finished = false;
  let closed = false;
  let waiting = "";

  const write = (text: string): void => {
    if (open) written.fire(text);
    else waiting = (waiting + text).slice(-MOST_WAITING);
  };
  const throttle = createOutputThrottle(BYTES_PER_SECOND, write);
  const discipline = createLineDiscipline({
    echo: write,
    send: (text) => actions.input(Buffer.from(text)),
    end: actions.closeInput,
    interrupt: actions.interrupt,
  });
  const terminal = vscode.window.createTerminal({
    name,
    iconPath: new vscode.ThemeIcon("pulse"),
    isTransient: true,
    pty: {
      onDidWrite: written.event,
      onDidClose: closing.event,
      open() {
        open = true;
        if (waiting !== "") written.fire(waiting);
        waiting = "";
      },
      close() {
        open = false;
        closed = true;
        if (!finished) actions.closed();
      },
      handleInput(data: string) {
        if (finished) closing.fire();
        else discipline.keys(data);
      },
    },
  });
  return {
    get finished() {
      return finished;
    },
    output: throttle.push,
    note: (...lines) => write(`\x1b[0m\r\n\x1b[1m${lines.join("\r\n")}\x1b[0m\r\n`),
    show() {
      if (!closed) terminal.show(true);
      return !closed;
    },
    finish(text) {
      throttle.end();
      finished = true;
      write(t("\u001b[0m\r\n\u001b[1m{0}\u001b[0m Press any key to close this terminal.\r\n", text));
    },
    dispose() {
      finished = true;
      closed = true;
      terminal.dispose();
      written.dispose();
      closing.dispose();
    },
  };
}
