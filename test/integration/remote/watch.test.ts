import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { WatchEvent, WatchHandle } from "../../../src/protocol/run/run.ts";
import { parseTarget } from "../../../src/remote/address.ts";
import { watchBoard } from "../../../src/remote/watch.ts";
import { type SimulatedBoard, simulatedBoard } from "../../board/simulatedBoard.ts";
import { killAll, processesNaming } from "../../support/processes.ts";
import { removeFolder } from "../../support/removeFolder.mjs";
import { requirement } from "../../support/requirement.ts";
import { HELPER, prompter } from "../../support/scene.ts";
import { makeTestHome, SSHD, type Sshd, startSshd, type TestHome } from "../../support/sshd.ts";
import { startTestServer, type TestServer } from "../../support/testServer.ts";
import { AT_ONCE, turnsTo } from "../../support/turns.ts";

const ROOT_VARIABLE = "JETSON_MEMPROF_SYSTEM_ROOT";
const INTERVAL_MS = 250;

interface Watching {
  readonly handle: WatchHandle;
  readonly events: WatchEvent[];
  /** Resolves with the first event that fits, of those after `after` events. */
  waitFor(fits: (event: WatchEvent) => boolean, after?: number): Promise<WatchEvent>;
}

type Numbers = Readonly<Record<string, number>>;

/** The figures of each moment by meminfo's names, in kB. */
function moments(events: readonly WatchEvent[]): Numbers[] {
  let names: readonly string[] = [];
  return events.flatMap((event) => {
    if (event.kind !== "record") return [];
    const record = JSON.parse(event.line);
    if (record.record === "header") names = record.meminfo;
    return Array.isArray(record.m) ? [Object.fromEntries(names.map((name, at) => [name, record.m[at]]))] : [];
  });
}
const isHeader = (event: WatchEvent): boolean => event.kind === "record" && event.line.includes('"header"');
const isMoment = (event: WatchEvent): boolean => event.kind === "record" && event.line.includes('"m":');

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("watching a board", () => {
  let home: TestHome;
  let server: TestServer;
  let sshd: Sshd | undefined;
  let board: SimulatedBoard;
  let folder: string;
  let watches: Watching[];
  const hasSshd = requirement("sshd (package openssh-server)", SSHD);
  beforeAll(async () => {
    home = makeTestHome();
    board = simulatedBoard("nano");
    process.env[ROOT_VARIABLE] = board.root;
    server = await startTestServer();
    const key = home.key("user");
    sshd = hasSshd ? await startSshd(home, "board", [key], { env: { [ROOT_VARIABLE]: board.root } }) : undefined;
    const known = [`[127.0.0.1]:${server.port} ${server.hostKey}`];
    if (sshd !== undefined) known.push(`[127.0.0.1]:${sshd.port} ${sshd.hostKey}`);
    writeFileSync(home.path("known_hosts"), `${known.join("\n")}\n`);
    home.configure(`Host 127.0.0.1\n  IdentityFile ${key}\n  IdentitiesOnly yes`);
  });
  afterAll(async () => {
    delete process.env[ROOT_VARIABLE];
    await sshd?.stop();
    await server?.close();
    await home?.remove();
    await board?.remove();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "jmp-watch-"));
    watches = [];
  });
  afterEach(async () => {
    server.accepting(true);
    for (const { handle } of watches) {
      handle.stop();
      await handle.done;
    }
    await removeFolder(folder);
  });

  function watch(target: string, helperFolder = HELPER): Watching {
    const events: WatchEvent[] = [];
    const waiting = new Set<() => void>();
    const handle = watchBoard(
      { target: parseTarget(target), boardFolder: join(folder, "board"), intervalMs: INTERVAL_MS },
      {
        prompter: prompter(),
        helperFolder,
        onEvent(event) {
          events.push(event);
          for (const look of waiting) look();
        },
      },
    );
    const watching: Watching = {
      handle,
      events,
      waitFor: (fits, after = 0) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            const found = events.slice(after).find(fits);
            if (found === undefined) return;
            waiting.delete(look);
            resolve(found);
          };
          waiting.add(look);
          look();
          void handle.done.then((error) => reject(error ?? new Error("the watch was stopped")));
        }),
    };
    watches.push(watching);
    return watching;
  }
  const dropping = (): string => `ssh://nano@127.0.0.1:${server.port}`;

  it.each(["local", "loopback", ...(hasSshd ? ["sshd"] : [])])(
    "over %s tells what the board is and its memory as it moves, and ends at once",
    async (name) => {
      const target = name === "sshd" ? `ssh://127.0.0.1:${sshd?.port}` : name;
      const { handle, events, waitFor } = watch(target);
      await waitFor(isMoment);
      expect(events[0]).toMatchObject({
        kind: "connected",
        board: { simulated: "Jetson Nano", model: "NVIDIA Jetson Nano Developer Kit" },
      });
      expect(events.find(isHeader)).toMatchObject({ line: expect.stringContaining('"simulated":"Jetson Nano"') });
      const before = board.meminfo("MemAvailable");
      board.take(500, "gnome-shell");
      try {
        await waitFor((event) => isMoment(event) && moments(events).at(-1)?.["MemAvailable"] === before - 500 * 1024);
      } finally {
        board.take(-500, "gnome-shell");
      }
      await waitFor((event) => event.kind === "record" && event.line.includes('"tegrastats":"RAM '));
      handle.stop();
      const turns = await turnsTo(handle.done);
      // Another process has a part in the end of what runs over sshd.
      if (name !== "sshd") expect(turns).toBeLessThan(AT_ONCE);
      expect(await handle.done).toBeUndefined();
      expect(events.filter(({ kind }) => kind === "reconnecting")).toEqual([]);
      await vi.waitFor(() => {
        expect(processesNaming(join(folder, "board"))).toEqual([]);
        expect(processesNaming(join(board.root, "usr/bin/tegrastats"))).toEqual([]);
      }, 20_000);
    },
  );

  it("takes a broken connection up again without asking, with a new header", async () => {
    const { events, waitFor } = watch(dropping());
    await waitFor(isMoment);
    const before = events.length;
    server.drop();
    expect(await waitFor((event) => event.kind === "reconnecting", before)).toMatchObject({
      attempt: 1,
      delayMs: 1_000,
      reason: expect.stringContaining("127.0.0.1"),
    });
    await waitFor(isHeader, before);
    await waitFor(isMoment, before);
    expect(events.filter(({ kind }) => kind === "connected")).toHaveLength(1);
  });

  it("waits longer each time, and ends at once when stopped meanwhile", async () => {
    const { handle, events, waitFor } = watch(dropping());
    await waitFor(isMoment);
    server.accepting(false);
    server.drop();
    await waitFor((event) => event.kind === "reconnecting" && event.attempt === 2);
    const delays = events.flatMap((event) => (event.kind === "reconnecting" ? [event.delayMs] : []));
    expect(delays).toEqual([1_000, 2_000]);
    handle.stop();
    expect(await turnsTo(handle.done)).toBeLessThan(AT_ONCE);
    expect(await handle.done).toBeUndefined();
    expect(events.filter(({ kind }) => kind === "reconnecting")).toHaveLength(2);
  });

  it("says that what reads the memory ended, and starts it again", async () => {
    const { events, waitFor } = watch("local");
    await waitFor(isMoment);
    const before = events.length;
    killAll(processesNaming(join(folder, "board")));
    expect(await waitFor((event) => event.kind === "reconnecting", before)).toMatchObject({
      reason: "The memory reader on this machine ended by itself.",
    });
    await waitFor(isMoment, before);
  });

  describe("a board that does not keep to the protocol", () => {
    /** A helper whose `watch` is this Python code. */
    function helperThat(watchCode: string): string {
      const copy = join(folder, "helper");
      cpSync(HELPER, copy, { recursive: true, filter: (path) => !/tests$|__pycache__/.test(path) });
      writeFileSync(join(copy, "jetson_memprof/board/commands/watch.py"), `def watch(request):\n    ${watchCode}\n`);
      return copy;
    }

    it("passes an error in the helper's words on", async () => {
      const code =
        "from ..errors import BoardError; raise BoardError('no-meminfo', 'There is no meminfo.', 'Mount /proc.')";
      expect(await watch("local", helperThat(code)).handle.done).toMatchObject({
        code: "no-meminfo",
        message: "There is no meminfo.",
        hint: "Mount /proc.",
      });
    });

    it("refuses a record without end", async () => {
      const code = "import sys; sys.stdout.write('x' * 2000000); sys.stdout.flush(); sys.stdin.read()";
      expect(await watch("local", helperThat(code)).handle.done).toMatchObject({ code: "bad-reply" });
    });

    it("gives the reason that the helper printed where it fails", async () => {
      const { waitFor } = watch("local", helperThat("import os, sys; os.write(2, b'out of memory\\n'); os._exit(3)"));
      expect(await waitFor((event) => event.kind === "reconnecting")).toMatchObject({
        reason: "The memory reader on this machine ended by itself; it said: out of memory",
      });
    });
  });
});
