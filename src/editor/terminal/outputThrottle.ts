/**
 * Keeps a script that prints without end from drowning the terminal: so much is shown a second, the rest is counted. What
 * it prints can color and move its text, but nothing else.
 */
import { StringDecoder } from "node:string_decoder";
import { formatBytes } from "../../profile/text/format.ts";
import { createTerminalText } from "../../profile/text/terminalText.ts";
import { t } from "../../words/t.ts";

export type OutputStream = "stdout" | "stderr";

export interface OutputThrottle {
  push(stream: OutputStream, data: Uint8Array): void;
  /** Says what is still unsaid; nothing is shown afterwards. */
  end(): void;
}

const WINDOW_MS = 1000;
const NEWLINE = 10;

/**
 * @param bytesPerSecond shown at most, both streams together
 * @param show takes text for a terminal, its line ends as CR LF
 */
export function createOutputThrottle(bytesPerSecond: number, show: (text: string) => void): OutputThrottle {
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  const harmless = { stdout: createTerminalText(), stderr: createTerminalText() };
  const skipped = { stdout: 0, stderr: 0 };
  let shown = 0;
  let full = false;
  let window: NodeJS.Timeout | undefined;

  const write = (stream: OutputStream, data: Uint8Array): void => {
    const text = harmless[stream].take(decoders[stream].write(data as Buffer));
    if (text !== "") show(text.replace(/\r?\n/g, "\r\n"));
  };
  const closeWindow = (): void => {
    clearTimeout(window);
    window = undefined;
    shown = 0;
    full = false;
    for (const stream of ["stdout", "stderr"] as const) {
      if (skipped[stream] === 0) continue;
      // A color or mode that began in what was left out must not color what follows.
      show(
        t(
          "\u001b[0m\r\n… {0} of {1} came too fast to show here; the run folder's {1}.log has it …\r\n",
          formatBytes(skipped[stream]),
          stream,
        ),
      );
      skipped[stream] = 0;
      decoders[stream] = new StringDecoder("utf8");
      harmless[stream] = createTerminalText();
    }
  };

  return {
    push(stream, data) {
      window ??= setTimeout(closeWindow, WINDOW_MS);
      if (full) {
        skipped[stream] += data.length;
        return;
      }
      const room = bytesPerSecond - shown;
      if (data.length <= room) {
        shown += data.length;
        write(stream, data);
        return;
      }
      const lineEnd = room > 0 ? data.lastIndexOf(NEWLINE, room - 1) + 1 : 0;
      const cut = lineEnd > 0 ? lineEnd : room;
      write(stream, data.subarray(0, cut));
      skipped[stream] += data.length - cut;
      full = true;
    },
    end() {
      closeWindow();
      for (const stream of ["stdout", "stderr"] as const) {
        const rest = harmless[stream].take(decoders[stream].end());
        if (rest !== "") show(rest);
      }
    },
  };
}
