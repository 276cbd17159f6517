import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ProfileRequest } from "../../../src/protocol/run/run.ts";
import type { OpenTarget } from "../../../src/remote/transport/openTarget.ts";
import { makeScene } from "../../support/scene.ts";
import {
  asUser,
  boardWithin,
  environment,
  expectRefused,
  homeOf,
  otherUsers,
  ownMounts,
  soundRuns,
  strictRun,
  withMounts,
  withUmask,
} from "./support/strictBoard.ts";

const scene = makeScene();
afterAll(() => scene.remove());

let made = 0;
/** A home folder that no other test has been in. */
function newHome(): string {
  const home = join(scene.board, "..", `home-${made++}`);
  mkdirSync(home, { mode: 0o700 });
  return home;
}

async function soundRun(fault: string, open: OpenTarget, changes: Partial<ProfileRequest> = {}): Promise<void> {
  const run = await soundRuns(scene, fault, open, { boardFolder: "~/.jetson-memprof", ...changes });
  expect(run.warnings).toEqual([]);
}

/** Whatever lies there that anybody else could read or write; the projects' own files are the program's. */
function openToOthers(folder: string): readonly string[] {
  // A supervisor that has told its end may still be tidying up.
  const open = (path: string): boolean => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
  return [folder, ...readdirSync(folder).map((name) => join(folder, name))].filter(open);
}

describe("a home folder", () => {
  it.runIf(ownMounts)(
    "that is read-only: it is said where nothing could be written, and which setting helps",
    async () => {
      const home = newHome();
      const mounts = await withMounts(`mount -t tmpfs -o ro none '${home}'`);
      try {
        const open = boardWithin(mounts.prefix, environment(`HOME=${home}`));
        const outcome = await strictRun(scene, open, { boardFolder: "~/.jetson-memprof" });
        const words = [`${home}/.jetson-memprof`, "Read-only", "jetsonMemprof.boardFolder"];
        expectRefused("home folder read-only", outcome, "cannot-install", ...words);
        await soundRun("home folder read-only, another board folder named", open, { boardFolder: newHome() });
      } finally {
        await mounts.end();
      }
    },
  );

  it.runIf(ownMounts)("that became read-only after the helper was installed: the run is refused in words", async () => {
    const home = newHome();
    await soundRun("home folder writable", boardWithin(environment(`HOME=${home}`)));
    const mounts = await withMounts(`mount --bind '${home}' '${home}'; mount -o remount,ro,bind '${home}'`);
    try {
      const open = boardWithin(mounts.prefix, environment(`HOME=${home}`));
      const outcome = await strictRun(scene, open, { boardFolder: "~/.jetson-memprof" });
      expectRefused("home folder became read-only", outcome, "read-only", home, "jetsonMemprof.boardFolder");
    } finally {
      await mounts.end();
    }
  });

  it("of which the board does not say where it is: the account's own is taken", async () => {
    await soundRun("HOME not set", boardWithin(environment("-u", "HOME")), { boardFolder: newHome() });
    await soundRun("HOME empty", boardWithin(environment("HOME=")), { boardFolder: newHome() });
  });

  it.runIf(otherUsers)(
    "of an account that is not listed anywhere: it is said that a folder must be named",
    async () => {
      const open = boardWithin(environment("-u", "HOME"), asUser(61_234));
      const outcome = await strictRun(scene, open, { boardFolder: "~/.jetson-memprof" });
      expectRefused("no home folder", outcome, "no-home", "~/.jetson-memprof", "61234", "jetsonMemprof.boardFolder");
    },
  );

  it.runIf(otherUsers)("that is not there and cannot be made: it is said where", async () => {
    const open = boardWithin(environment("HOME=/nowhere"), asUser(61_234));
    const outcome = await strictRun(scene, open, { boardFolder: "~/.jetson-memprof" });
    expectRefused(
      "HOME names no folder",
      outcome,
      "cannot-install",
      "/nowhere/.jetson-memprof",
      "jetsonMemprof.boardFolder",
    );
  });

  it("with a long path: everything fits, or the name that does not is said", async () => {
    const long = join(newHome(), "d".repeat(200), "e".repeat(200), "f".repeat(200));
    await soundRun("board folder of 600 characters", boardWithin(), { boardFolder: long });
    const tooLong = join(newHome(), "x".repeat(300));
    const outcome = await strictRun(scene, boardWithin(), { boardFolder: tooLong });
    expectRefused("board folder's name too long", outcome, "cannot-install", tooLong, "too long");
  });

  it("that holds modules with the names of Python's own: none of them is imported", async () => {
    const home = newHome();
    const trace = join(home, "was here");
    for (const name of ["json", "hashlib", "tarfile", "select", "sitecustomize", "usercustomize"])
      writeFileSync(join(home, `${name}.py`), `open(${JSON.stringify(trace)}, "a").close()\n`);
    const start = ["sh", "-c", 'cd "$HOME" && exec "$@"', "sh"];
    await soundRun("home folder holds modules named as Python's own", boardWithin(environment(`HOME=${home}`), start));
    expect(existsSync(trace)).toBe(false);
  });

  it("behind a link of one's own, on another disk", async () => {
    const home = newHome();
    mkdirSync(join(home, "ssd"));
    symlinkSync(join(home, "ssd"), join(home, ".jetson-memprof"));
    await soundRun("board folder behind a link", boardWithin(environment(`HOME=${home}`)));
  });
});

describe("settings of the account", () => {
  it("a locale that knows ASCII only: names and output in UTF-8 come home as they are", async () => {
    const home = newHome();
    const open = boardWithin(environment(`HOME=${home}`, "LC_ALL=C", "PYTHONUTF8=0", "PYTHONCOERCECLOCALE=0"));
    await soundRun("locale without UTF-8", open, { boardFolder: join(home, "Größe") });
  });

  it.each(["077", "000"])("umask %s: nothing of the runs can be read or written by others", async (mask) => {
    const home = newHome();
    await soundRun(`umask ${mask}`, boardWithin(withUmask(mask), environment(`HOME=${home}`)));
    expect(openToOthers(join(home, ".jetson-memprof"))).toEqual([]);
    expect(openToOthers(join(home, ".jetson-memprof/runs"))).toEqual([]);
    const [run = ""] = readdirSync(join(home, ".jetson-memprof/runs"));
    expect(openToOthers(join(home, ".jetson-memprof/runs", run))).toEqual([]);
  });

  it.runIf(otherUsers)("in a namespace where the machine's root has no number, as in a Flatpak", async () => {
    const home = homeOf(61_001);
    try {
      const open = boardWithin(environment(`HOME=${home.path}`), asUser(61_001), [
        "unshare",
        "--map-current-user",
        "--",
      ]);
      await soundRun("user namespace without root", open);
    } finally {
      await home.remove();
    }
  });

  it.runIf(otherUsers)("of an ordinary user all is as for root", async () => {
    const home = homeOf(61_001);
    try {
      await soundRun("ordinary user", boardWithin(environment(`HOME=${home.path}`), asUser(61_001)));
    } finally {
      await home.remove();
    }
  });
});
