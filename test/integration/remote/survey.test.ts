/** Check Board over the real transports: what a board answers, and commands that are run on it. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { diagnoseBoard } from "../../../src/board/doctor/diagnose.ts";
import { parseTarget } from "../../../src/remote/address.ts";
import { runCommand } from "../../../src/remote/session/runCommand.ts";
import { surveyBoard } from "../../../src/remote/session/survey.ts";
import { removeFolder } from "../../support/removeFolder.mjs";
import { requirement } from "../../support/requirement.ts";
import { HELPER, prompter, type RecordingPrompter } from "../../support/scene.ts";
import { makeTestHome, SSHD, type Sshd, startSshd, type TestHome } from "../../support/sshd.ts";
import { TARGETS_IN_TURN } from "../../support/targets.ts";

const never = new AbortController().signal;

let top: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "jmp-survey-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await removeFolder(top);
});

function write(path: string, text: string): string {
  const file = join(top, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function survey(target: string) {
  return surveyBoard(
    { target: parseTarget(target), boardFolder: join(top, "board") },
    { prompter: prompter(), helperFolder: HELPER },
    never,
  );
}

describe.each(TARGETS_IN_TURN)("a board over %s", (target) => {
  it("answers what it is, with its processes and Pythons", async () => {
    const answer = await survey(target);
    expect(answer.simulated).toBeUndefined();
    expect(answer.processes.length).toBeGreaterThan(0);
    expect(answer.pythons.filter(({ used }) => used)).toHaveLength(1);
    expect(answer.user?.uid).toBe(process.getuid?.());
    const { lines } = diagnoseBoard(answer);
    expect(lines.find(({ id }) => id === "ram")?.found).toMatch(/^\d+\.\d [GM]iB in all, /);
    expect(lines.find(({ id }) => id === "python")?.status).toBe("ok");
  });

  it("that is simulated answers for the board it stands for, and says so", async () => {
    write("root/SIMULATED", "Jetson Nano\n");
    write("root/proc/device-tree/model", "NVIDIA Jetson Nano Developer Kit\0");
    write("root/proc/device-tree/compatible", "nvidia,p3448-0000\0nvidia,tegra210\0");
    write("root/proc/meminfo", "MemTotal: 4059240 kB\nMemFree: 300000 kB\nMemAvailable: 2000000 kB\n");
    write("root/etc/nv_tegra_release", "# R32 (release), REVISION: 7.1, GCID: 1, BOARD: t210ref\n");
    vi.stubEnv("JETSON_MEMPROF_SYSTEM_ROOT", join(top, "root"));
    const report = diagnoseBoard(await survey(target));
    expect(report.simulated).toBe("Jetson Nano");
    expect(report.title).toBe("NVIDIA Jetson Nano Developer Kit, JetPack 4.6.1 (L4T 32.7.1)");
    expect(report.lines.find(({ id }) => id === "ram")?.found).toContain("3964.1 MiB in all");
  });
});

/** Asks as sudo does with -S and -p; notes its command line, and what its command had to read. */
const SUDO = `#!/bin/sh
printf '%s\\n' "$*" >> "$JMP_SUDO_LOG"
while [ $# -gt 0 ]; do
  case $1 in
    -p) prompt=$2; shift 2 ;;
    -k | -S) shift ;;
    *) break ;;
  esac
done
if [ -n "$JMP_SUDO_PASSWORD" ]; then
  tries=0
  while :; do
    printf %s "$prompt" | sed 's/%p/nano/' >&2
    IFS= read -r line || { echo 'sudo: no password was provided' >&2; exit 1; }
    [ "$line" = "$JMP_SUDO_PASSWORD" ] && break
    echo 'Sorry, try again.' >&2
    tries=$((tries + 1))
    [ $tries -lt 3 ] || exit 1
  done
fi
exec "$@"
`;

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | undefined;
}

async function run(target: string, command: string, who: RecordingPrompter = prompter()): Promise<Ran> {
  const output = { stdout: "", stderr: "" };
  const onOutput = (stream: "stdout" | "stderr", data: Uint8Array): void => {
    output[stream] += Buffer.from(data).toString("utf8");
  };
  const { code } = await runCommand({ target: parseTarget(target), command }, { prompter: who, onOutput }, never);
  return { ...output, code };
}

describe.each(TARGETS_IN_TURN)("a command over %s", (target) => {
  it("streams what it prints, and has its exit status", async () => {
    expect(await run(target, "echo out; echo err >&2; exit 3")).toEqual({ stdout: "out\n", stderr: "err\n", code: 3 });
  });

  it("has nothing to read, and does not wait for it", async () => {
    expect(await run(target, "cat; echo done")).toMatchObject({ stdout: "done\n", code: 0 });
  });

  it("is cancelled with the reason", async () => {
    const cancel = new AbortController();
    const why = new Error("changed my mind");
    const end = runCommand(
      { target: parseTarget(target), command: "echo begun; exec sleep 600" },
      { prompter: prompter(), onOutput: () => cancel.abort(why) },
      cancel.signal,
    );
    await expect(end).rejects.toBe(why);
  });

  it("that does not end is given up", async () => {
    const deps = { prompter: prompter(), onOutput: () => {}, limit: 50 };
    const end = runCommand({ target: parseTarget(target), command: "exec sleep 600" }, deps, never);
    await expect(end).rejects.toMatchObject({ code: "command-timeout" });
  });

  describe("with sudo", () => {
    const log = () => readFileSync(join(top, "sudo.log"), "utf8");

    beforeEach(() => {
      chmodSync(write("bin/sudo", SUDO), 0o755);
      vi.stubEnv("PATH", `${join(top, "bin")}:${process.env["PATH"]}`);
      vi.stubEnv("JMP_SUDO_LOG", join(top, "sudo.log"));
      vi.stubEnv("JMP_SUDO_PASSWORD", "");
    });

    it("that wants no password runs without a question", async () => {
      const who = prompter();
      expect(await run(target, `sudo echo "two  words" $((1 + 1))`, who)).toEqual({
        stdout: "two  words 2\n",
        stderr: "",
        code: 0,
      });
      expect(who.secretQuestions).toEqual([]);
    });

    it("asks for the password, which the command itself does not get to read", async () => {
      vi.stubEnv("JMP_SUDO_PASSWORD", "s3cret 'word'");
      const who = prompter({ secrets: ["s3cret 'word'"] });
      expect(await run(target, "sudo sh -c 'echo warned >&2; cat; echo ran'", who)).toEqual({
        stdout: "ran\n",
        stderr: "warned\n",
        code: 0,
      });
      expect(who.secretQuestions).toMatchObject([{ kind: "sudo", user: "nano", attempt: 1 }]);
      expect(log()).not.toContain("s3cret");
    });

    it("asks again where the password was wrong, and runs the command once", async () => {
      vi.stubEnv("JMP_SUDO_PASSWORD", "right");
      const who = prompter({ secrets: ["wrong", "right"] });
      const ran = await run(target, `sudo sh -c 'echo x >> ${top}/ran; exit 4'`, who);
      expect(ran).toEqual({ stdout: "", stderr: "Sorry, try again.\n", code: 4 });
      expect(who.secretQuestions.map(({ attempt }) => attempt)).toEqual([1, 2]);
      expect(readFileSync(join(top, "ran"), "utf8")).toBe("x\n");
    });

    it.each([
      ["nobody gives a password", [undefined]],
      ["no password is right", ["a", "b", "c"]],
    ])("runs nothing where %s", async (_, secrets) => {
      vi.stubEnv("JMP_SUDO_PASSWORD", "right");
      const who = prompter({ secrets });
      const end = run(target, `sudo touch ${top}/ran`, who);
      await expect(end).rejects.toMatchObject({ code: "sudo-password" });
      expect(who.secretQuestions).toHaveLength(secrets.length);
      expect(() => readFileSync(join(top, "ran"))).toThrow();
    });
  });
});

describe.skipIf(!requirement("sshd (package openssh-server)", SSHD))("a board over a real OpenSSH server", () => {
  let home: TestHome;
  let board: Sshd;

  beforeAll(async () => {
    home = makeTestHome();
    const key = home.key("plain");
    board = await startSshd(home, "board", [key]);
    home.configure(
      [
        "Host board",
        "  HostName 127.0.0.1",
        `  Port ${board.port}`,
        `  IdentityFile ${key}`,
        "  IdentitiesOnly yes",
        "  IdentityAgent none",
      ].join("\n"),
    );
    writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${board.port} ${board.hostKey}\n`);
  });
  afterAll(async () => {
    await board?.stop();
    await home?.remove();
  });

  it("answers what it is", async () => {
    const { lines } = diagnoseBoard(await survey("board"));
    expect(lines.find(({ id }) => id === "python")?.status).toBe("ok");
  });

  it("runs a command, with its exit status", async () => {
    expect(await run("board", "printf 'a b'; cat; echo err >&2; exit 5")).toEqual({
      stdout: "a b",
      stderr: "err\n",
      code: 5,
    });
  });

  it("is done with a command that is cancelled", async () => {
    const cancel = new AbortController();
    const why = new Error("changed my mind");
    const end = runCommand(
      { target: parseTarget("board"), command: "echo begun; exec sleep 600" },
      { prompter: prompter(), onOutput: () => cancel.abort(why) },
      cancel.signal,
    );
    await expect(end).rejects.toBe(why);
  });
});
