import { describe, expect, it } from "vitest";
import { consentFor } from "./doctorConsent.ts";

const DESKTOP = {
  command: "sudo systemctl set-default multi-user.target",
  effect: "The board starts without the desktop from now on.",
  undo: "sudo systemctl set-default graphical.target",
  board: "nano@192.168.1.20",
};

describe("what is shown before a command runs on a board", () => {
  it("is the exact command, what it does, how to undo it, and that it runs as root", () => {
    expect(consentFor(DESKTOP)).toEqual({
      kind: "ask",
      message: "Run this command on nano@192.168.1.20?",
      detail: [
        "sudo systemctl set-default multi-user.target",
        "The board starts without the desktop from now on.",
        "To undo it: sudo systemctl set-default graphical.target",
        "It runs as root. You may be asked for your password on the board.",
      ].join("\n\n"),
    });
  });

  it("says nothing of root or of undoing where there is neither", () => {
    const { detail } = consentFor({ command: "python3 -m pip install psutil", effect: "Installs it.", board: "nano" });
    expect(detail).toBe("python3 -m pip install psutil\n\nInstalls it.");
  });

  it("refuses a simulated board's, which would change the computer that plays it", () => {
    const { kind, detail } = consentFor({ ...DESKTOP, simulated: "Jetson Nano" });
    expect(kind).toBe("refuse");
    expect(detail).toContain(DESKTOP.command);
    expect(detail).toContain("Jetson Nano is simulated: the command would change the computer that plays it.");
  });

  it("shows names that stand between backticks in quotes: a message box knows no code", () => {
    expect(consentFor({ ...DESKTOP, effect: "Ends `gdm`." }).detail).toContain('Ends "gdm".');
  });

  it("keeps the lines of a command of several lines", () => {
    const command = "sudo fallocate -l 4G /swap\nsudo mkswap /swap";
    expect(consentFor({ ...DESKTOP, command }).detail.startsWith(`${command}\n\n`)).toBe(true);
  });

  it.each(["rm -rf ~\u202e", "true\rrm x", "true\t; rm x", "a\u0000b", `echo ${"x".repeat(3_000)}`])(
    "refuses a command that cannot be shown as it is: %j",
    (command) => {
      expect(() => consentFor({ ...DESKTOP, command })).toThrow(/not run/);
    },
  );
});
