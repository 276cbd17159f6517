import { describe, expect, it } from "vitest";
import { createLineDiscipline } from "./lineDiscipline.ts";

function terminal() {
  const seen = { screen: "", sent: [] as string[], ended: 0, interrupted: 0 };
  const discipline = createLineDiscipline({
    echo: (text) => {
      seen.screen += text;
    },
    send: (text) => seen.sent.push(text),
    end: () => {
      seen.ended += 1;
    },
    interrupt: () => {
      seen.interrupted += 1;
    },
  });
  return { ...discipline, seen };
}

describe("line discipline", () => {
  it("echoes what is typed and sends a whole line at Enter", () => {
    const { keys, seen } = terminal();
    for (const key of "yes") keys(key);
    expect(seen.sent).toEqual([]);
    keys("\r");
    expect(seen.sent).toEqual(["yes\n"]);
    expect(seen.screen).toBe("yes\r\n");
  });

  it("takes back characters as a terminal does, never past the line's beginning", () => {
    const { keys, seen } = terminal();
    keys("ab\x7f\x7f\x7fc\r");
    expect(seen.sent).toEqual(["c\n"]);
    expect(seen.screen).toBe("ab\b \b\b \bc\r\n");
  });

  it("takes back a wide character and an emoji of several code points at once", () => {
    const { keys, seen } = terminal();
    keys("日");
    keys("\x7f");
    keys("👩‍💻");
    keys("\x7f");
    keys("e\u0301");
    keys("\x7f\r");
    expect(seen.sent).toEqual(["\n"]);
    expect(seen.screen).toBe("日\b \b\b \b👩‍💻\b \b\b \be\u0301\b \b\r\n");
  });

  it("clears the line with Ctrl-U and the last word with Ctrl-W", () => {
    const { keys, seen } = terminal();
    keys("one two  \x17three\r");
    keys("gone\x15kept\r");
    expect(seen.sent).toEqual(["one three\n", "kept\n"]);
  });

  it("ends the input with Ctrl-D on an empty line and passes the text on otherwise", () => {
    const { keys, seen } = terminal();
    keys("half\x04");
    expect(seen).toMatchObject({ sent: ["half"], ended: 0 });
    keys("\x04");
    expect(seen.ended).toBe(1);
    keys("late\r");
    expect(seen.sent).toEqual(["half"]);
  });

  it("stops the script with Ctrl-C, also after the end of input", () => {
    const { keys, seen } = terminal();
    keys("ab\x03");
    expect(seen).toMatchObject({ interrupted: 1, sent: [] });
    keys("\x04\x03");
    expect(seen.interrupted).toBe(2);
  });

  it("sends each line of a paste and ignores cursor keys", () => {
    const { keys, seen } = terminal();
    keys("1\r2\r\n3\n");
    keys("\x1b[A\x1b[1;5Cx\x1bOP\r");
    expect(seen.sent).toEqual(["1\n", "2\n", "3\n", "x\n"]);
  });
});
