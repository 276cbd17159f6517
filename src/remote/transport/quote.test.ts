import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { quote, remoteCommand } from "./quote.ts";

const AWKWARD = [
  "",
  "plain",
  "two words",
  "it's",
  'say "hi"',
  "$HOME `id` $(id)",
  "line\nbreak\n",
  "back\\slash \\n \\0101",
  "-rf",
  "~",
  "*?[a]",
  "naïve 雪 🚀",
  "!bang!",
  "a;b&c|d<e>f#g",
  "tab\tcr\r",
  "%s %d",
  "\u0001\u007f",
];
const PRINT = 'import sys; sys.stdout.write("\\0".join(sys.argv[1:]))';

describe("quote", () => {
  it("passes every awkward argument through a real sh", () => {
    const out = execFileSync("sh", ["-c", `printf '%s\\0' ${AWKWARD.map(quote).join(" ")}`], { encoding: "utf8" });
    expect(out.split("\0").slice(0, -1)).toEqual(AWKWARD);
  });

  it("refuses a NUL byte", () => {
    expect(() => quote("a\0b")).toThrow(RangeError);
  });
});

describe("remoteCommand", () => {
  const shells = ["sh", "bash", "dash", "zsh", "fish", "csh", "tcsh", "ksh"].filter(
    (shell) => spawnSync(shell, ["-c", "exit 0"]).status === 0,
  );

  it.each(shells)("reaches the program unchanged where the login shell is %s", (shell) => {
    const argv = ["python3", "-c", PRINT, ...AWKWARD];
    const out = execFileSync(shell, ["-c", remoteCommand(argv, "mark-1")], { encoding: "utf8" });
    expect(out).toBe(`\nmark-1\n${AWKWARD.join("\0")}`);
  });

  it("keeps the exit status of the program", () => {
    expect(spawnSync("sh", ["-c", remoteCommand(["sh", "-c", "exit 7"], "m")]).status).toBe(7);
  });
});
