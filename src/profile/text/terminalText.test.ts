import { describe, expect, it } from "vitest";
import { createTerminalText } from "./terminalText.ts";

const shown = (...pieces: readonly string[]): string => {
  const text = createTerminalText();
  return pieces.map((piece) => text.take(piece)).join("");
};

describe("what a script prints, in a terminal", () => {
  it.each([
    ["text of any language", "epoch 1 日本 👩‍💻 é\r\n\tdone\n"],
    ["colors and attributes", "\x1b[1;38;5;200mloss\x1b[0m \x1b[38:2::1:2:3mx\x1b[m"],
    ["a progress bar", "\r 50%|█████     | 5/10\x1b[K\x1b[A\x1b[2B\b\b"],
    ["erasing what is shown", "\x1b[2J\x1b[H\x1b[1;1Hx\x1b[J"],
    ["the cursor hidden, shown, saved and put back", "\x1b[?25l\x1b7\x1b8\x1b[s\x1b[u\x1b[?25h"],
    ["the bell", "done\x07"],
  ])("passes on %s", (_, text) => expect(shown(text)).toBe(text));

  it.each([
    ["a title", "a\x1b]0;you are root\x07b"],
    ["the clipboard being written", "a\x1b]52;c;cm0gLXJmIH4=\x1b\\b"],
    ["the clipboard being read into the script's input", "a\x1b]52;c;?\x07b"],
    ["a link's address", "\x1b]8;;file:///etc/passwd\x1b\\ab\x1b]8;;\x1b\\"],
    ["questions that the terminal answers", "a\x1b[6n\x1b[c\x1b[>0c\x1b[5n\x1b[18t\x1b]11;?\x07\x05\x1bZb"],
    ["commands to the editor's own terminal", "a\x1b]633;E;rm -rf ~\x07\x1b]1337;File=:AAAA\x07b"],
    ["device control, pictures and private messages", "a\x1bPq#0\x1b\\\x1b_G\x1b\\\x1b^p\x1b\\\x1bXs\x1b\\b"],
    ["modes of keys, mouse, paste and screen", "a\x1b[?1049h\x1b[?1000h\x1b[?2004h\x1b[4h\x1b=b"],
    ["the scroll region and the lines that scrolled away", "a\x1b[2;5r\x1b[3J\x1b[0;3Jb"],
    ["a reset and other character sets", "a\x1bc\x1b(0\x1b)0\x1b[!p\x0eb"],
    ["control characters of one byte", "a\0\x01\v\x7f\x84b"],
  ])("leaves out %s", (_, text) => expect(shown(text)).toBe("ab"));

  it("shows the text after a command that never ends, from the next line on", () => {
    expect(shown("a\x1b]0;title without an end\nb\n")).toBe("a\nb\n");
    expect(shown("a\x1b]0;x\x1b[31mred")).toBe("a\x1b[31mred");
  });

  it("says the same wherever the pieces are cut", () => {
    const text = "a\x1b]52;c;cm0=\x1b\\b\x1b[31mc\x1b[6nd\x1b]0;t\x07e\x1b[?1049hf\x1b(0g\x1b]8;;x\x07h\r\n";
    const whole = "ab\x1b[31mcdefgh\r\n";
    for (let cut = 0; cut <= text.length; cut++) {
      expect(shown(text.slice(0, cut), text.slice(cut))).toBe(whole);
    }
    expect(shown(...text)).toBe(whole);
  });

  it("keeps nothing of a sequence that does not end, and goes on in time with the text", () => {
    const text = createTerminalText();
    for (let piece = 0; piece < 2_000; piece++) text.take(`\x1b[${"1;".repeat(500)}`);
    for (let piece = 0; piece < 2_000; piece++) text.take(`\x1b]52;c;${"A".repeat(5_000)}`);
    expect(text.take("\x07x")).toBe("x");
  });
});
