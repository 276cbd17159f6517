import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { leastCpuMs } from "../../../src/profile/testingTime.ts";
import type { Leaving } from "../../../src/protocol/run/leaving.ts";
import type { RunEvent } from "../../../src/protocol/run/run.ts";
import { parseTarget } from "../../../src/remote/address.ts";
import { type BoardSession, connectBoard, prepareBoard } from "../../../src/remote/session/session.ts";
import { projectSlug, syncProject } from "../../../src/remote/sync/syncProject.ts";
import { emptyMemory } from "../../../src/remote/transport/transport.ts";
import { removeFolder } from "../../support/removeFolder.mjs";
import { requirement } from "../../support/requirement.ts";
import { filesBelow, HELPER } from "../../support/scene.ts";
import { makeTestHome, type TestHome } from "../../support/sshd.ts";
import { startTestServer, type TestServer } from "../../support/testServer.ts";

const signal = new AbortController().signal;

async function reachBoard(address: string, boardFolder: string, python?: string): Promise<BoardSession> {
  const deps = {
    prompter: undefined,
    helperFolder: HELPER,
    memory: emptyMemory(),
    onNoise: () => {},
    onReplaced: () => {},
  };
  const target = parseTarget(address);
  const connection = await connectBoard(target, deps, signal);
  return prepareBoard(connection, { target, python, boardFolder }, deps, signal);
}

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("sync to a simulated board", () => {
  let top: string;
  let project: string;
  let session: BoardSession;
  let events: RunEvent[];

  let asked: Leaving[];
  let answer: boolean;
  const maySend = async (leaving: Leaving): Promise<boolean> => {
    asked.push(leaving);
    return answer;
  };

  beforeEach(async () => {
    asked = [];
    answer = true;
    top = mkdtempSync(join(tmpdir(), "jmp-sync-"));
    project = join(top, "project");
    mkdirSync(project);
    events = [];
    session = await reach("loopback");
  });
  afterEach(async () => {
    session.connection.close();
    // A helper whose connection was cut may still be tidying up.
    await removeFolder(top);
  });

  const reach = (target: string): Promise<BoardSession> => reachBoard(target, join(top, "board"), "/usr/bin/python3");
  const put = (files: Readonly<Record<string, string | Buffer>>): void => {
    for (const [name, data] of Object.entries(files)) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), data);
    }
  };
  const sync = (required?: string, excludes: readonly string[] = [], way = session): Promise<string | undefined> => {
    events.length = 0;
    const request = { projectFolder: project, excludes, required };
    return syncProject(way, request, (event) => events.push(event), signal, maySend);
  };
  const there = (): string => join(top, "board", "projects", projectSlug(project));
  const sent = (): number => Math.max(0, ...events.map((event) => (event.kind === "sync" ? event.sentFiles : 0)));

  it("brings awkward names, contents and modes over unchanged", async () => {
    const files: Record<string, string | Buffer> = {
      "a b.py": "spaces",
      'it\'s "quoted".py': "quotes",
      "line\nbreak.py": "newline",
      "-rf": "dash",
      "雪/ü.txt": "unicode",
      "$HOME `id`": "shell",
      "back\\slash": "backslash",
      empty: "",
      "deep/er/run.sh": "#!/bin/sh\n",
      "big.bin": Buffer.alloc(3 * 1024 * 1024 + 17, 7),
    };
    put(files);
    chmodSync(join(project, "deep/er/run.sh"), 0o755);
    symlinkSync("a b.py", join(project, "link.py"));
    await sync("a b.py");
    expect(filesBelow(there())).toEqual([...Object.keys(files), "link.py"].sort());
    for (const [name, data] of Object.entries(files)) {
      expect(readFileSync(join(there(), name)).equals(Buffer.from(data))).toBe(true);
    }
    expect(readFileSync(join(there(), "link.py"), "utf8")).toBe("spaces");
    expect(statSync(join(there(), "deep/er/run.sh")).mode & 0o100).toBe(0o100);
    expect(statSync(join(there(), "a b.py")).mode & 0o100).toBe(0);
    expect(events.at(-1)).toMatchObject({ kind: "sync", sentFiles: 11, totalFiles: 11 });
  });

  it("sends only what changed, by content where only the time differs", async () => {
    put({ "a.py": "a", "b.py": "b", "c.py": "c" });
    await sync();
    expect(sent()).toBe(3);
    await sync();
    expect(sent()).toBe(0);
    utimesSync(join(project, "a.py"), 1_000_000, 1_000_000);
    put({ "b.py": "B" });
    utimesSync(join(project, "b.py"), 1_000_000, 1_000_000);
    await sync();
    expect(sent()).toBe(1);
    expect(readFileSync(join(there(), "b.py"), "utf8")).toBe("B");
    await sync();
    expect(sent()).toBe(0);
  });

  it("takes away what is gone here and keeps what was made or changed on the board", async () => {
    put({ "gone.py": "gone", "changed.py": "mine", "stays.py": "stays" });
    await sync();
    writeFileSync(join(there(), "made-there.txt"), "precious");
    writeFileSync(join(there(), "changed.py"), "edited on the board");
    rmSync(join(project, "gone.py"));
    put({ "changed.py": "new here" });
    await sync();
    expect(filesBelow(there())).toEqual(["changed.py", "made-there.txt", "stays.py"]);
    expect(readFileSync(join(there(), "changed.py"), "utf8")).toBe("new here");
    expect(readFileSync(join(there(), "made-there.txt"), "utf8")).toBe("precious");
    const kept = events.find((event) => event.kind === "warning" && event.code === "board-file-kept");
    expect(kept).toBeDefined();
    const copies = filesBelow(join(top, "board", "kept")).map((name) => join(top, "board", "kept", name));
    expect(copies.map((file) => readFileSync(file, "utf8"))).toContain("edited on the board");
  });

  it("asks before the first time, tells what goes and stays, and sends nothing after a no", async () => {
    put({ "a.py": "abc", "data/x.bin": "x".repeat(1000), ".env": "TOKEN=1" });
    answer = false;
    expect(await sync("a.py")).toBeUndefined();
    expect(asked).toMatchObject([{ files: 2, bytes: 1003, projectFolder: project, heaviest: [{ path: "data/" }, {}] }]);
    expect(asked[0]?.stays.get("credential")).toEqual([".env"]);
    expect(filesBelow(there())).toEqual([]);
    answer = true;
    expect(await sync("a.py")).toBe(projectSlug(project));
    expect(filesBelow(there())).toEqual(["a.py", "data/x.bin"]);
    put({ "b.py": "b" });
    await sync("a.py");
    expect(asked).toHaveLength(2);
    expect(filesBelow(there())).toEqual(["a.py", "b.py", "data/x.bin"]);
  });

  it("asks again before very much is sent at once", async () => {
    put({ "a.py": "a", "data/huge.bin": "" });
    await sync();
    truncateSync(join(project, "data/huge.bin"), 513 * 1024 * 1024);
    answer = false;
    expect(await sync()).toBeUndefined();
    expect(asked[1]).toMatchObject({ files: 1, bytes: 513 * 1024 * 1024, heaviest: [{ path: "data/" }] });
    expect(statSync(join(there(), "data/huge.bin")).size).toBe(0);
  });

  it("asks once where a file changes after the answer", async () => {
    put({ "a.py": "a" });
    const request = { projectFolder: project, excludes: [], required: undefined };
    const replaced = async (leaving: Leaving): Promise<boolean> => {
      writeFileSync(join(project, "a.new"), "another");
      renameSync(join(project, "a.new"), join(project, "a.py"));
      return maySend(leaving);
    };
    await syncProject(session, request, () => undefined, signal, replaced);
    expect(asked).toHaveLength(1);
    expect(readFileSync(join(there(), "a.py"), "utf8")).toBe("another");
  });

  it("does not write through a link that leads out of the project on the board", async () => {
    put({ "data/x.txt": "one" });
    await sync();
    rmSync(join(there(), "data"), { recursive: true });
    mkdirSync(join(top, "outside"));
    symlinkSync(join(top, "outside"), join(there(), "data"));
    put({ "data/x.txt": "two!" });
    await sync().catch(() => {});
    expect(existsSync(join(top, "outside", "x.txt"))).toBe(false);
  });

  it("says when the script itself is excluded", async () => {
    put({ "train.py": "x", ".gitignore": "train.py\n" });
    await expect(sync("train.py")).rejects.toMatchObject({ code: "script-excluded" });
    await expect(sync("gone.py")).rejects.toMatchObject({ code: "script-excluded" });
    put({ ".gitignore": "" });
    await expect(sync("train.py", ["*.py"])).rejects.toMatchObject({ code: "script-excluded" });
  });

  it("notices a file that changes while it is sent, tries once more, and leaves nothing half-written", async () => {
    const size = 8 * 1024 * 1024;
    put({ "log.bin": Buffer.alloc(size) });
    let version = 0;
    const change = (): void => {
      const file = openSync(join(project, "log.bin"), "r+");
      writeSync(file, Buffer.of(++version), 0, 1, size - 1);
      closeSync(file);
    };
    const onEvent = (times: number) => {
      let left = times;
      return (event: RunEvent): void => {
        events.push(event);
        if (event.kind === "sync" && event.sentBytes > 0 && event.sentFiles === 0 && left-- > 0) change();
      };
    };
    const request = { projectFolder: project, excludes: [], required: undefined };
    const run = (times: number) => syncProject(session, request, onEvent(times), signal, maySend);
    await expect(run(100)).rejects.toMatchObject({ code: "file-changed" });
    expect(filesBelow(there())).toEqual([]);
    await run(1);
    expect(readFileSync(join(there(), "log.bin")).equals(readFileSync(join(project, "log.bin")))).toBe(true);
  });

  it("stops when it is cancelled, leaving nothing half-written", async () => {
    put({ "a.py": "a", "big.bin": Buffer.alloc(32 * 1024 * 1024, 5) });
    const controller = new AbortController();
    const request = { projectFolder: project, excludes: [], required: undefined };
    const onEvent = (event: RunEvent): void => {
      if (event.kind === "sync" && event.sentBytes > 1024 * 1024) controller.abort(new Error("enough"));
    };
    const run = syncProject(session, request, onEvent, controller.signal, maySend);
    await expect(run).rejects.toThrow("enough");
    expect(filesBelow(there()).filter((name) => name === "big.bin")).toEqual([]);
    await sync();
    expect(filesBelow(there())).toEqual(["a.py", "big.bin"]);
  });

  it("keeps both projects whole when two syncs run at once", async () => {
    put({ "a.py": "a".repeat(1000), "b.bin": Buffer.alloc(2 * 1024 * 1024, 9) });
    const other = await reach("loopback");
    await Promise.all([sync(undefined, []), sync(undefined, [], other)]);
    other.connection.close();
    expect(filesBelow(there())).toEqual(["a.py", "b.bin"]);
    expect(statSync(join(there(), "b.bin")).size).toBe(2 * 1024 * 1024);
  });
});

describe.skipIf(!requirement("ssh (package openssh-client)", "/usr/bin/ssh"))("sync over a counted connection", () => {
  let home: TestHome;
  let server: TestServer;
  let top: string;
  let onInput: (bytes: number) => void = () => {};
  beforeAll(async () => {
    home = makeTestHome();
    home.configure("");
    server = await startTestServer({ onInput: (bytes) => onInput(bytes) });
    writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${server.port} ${server.hostKey}\n`);
    top = mkdtempSync(join(tmpdir(), "jmp-sync-"));
  });
  afterAll(async () => {
    await server?.close();
    await home?.remove();
    await removeFolder(top);
  });

  const reach = (): Promise<BoardSession> => reachBoard(`nano@127.0.0.1:${server.port}`, join(top, "board"));

  it("costs one exchange, no further program, few bytes and little time here for 2,000 unchanged files", async () => {
    const project = join(top, "many");
    for (let i = 0; i < 2000; i++) {
      const folder = join(project, `package_${i % 40}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `module_${i}.py`), `VALUE = ${i}\n`);
    }
    const session = await reach();
    const request = { projectFolder: project, excludes: [], required: undefined };
    await syncProject(session, request, () => {}, signal, undefined);

    let before = { ...server.traffic(), commands: server.commands.length };
    const took = await leastCpuMs(1000, async () => {
      before = { ...server.traffic(), commands: server.commands.length };
      await syncProject(session, request, () => {}, signal, undefined);
    });
    const after = server.traffic();
    const up = after.received - before.received;
    const down = after.sent - before.sent;
    console.log(`2,000 unchanged files: ${took.toFixed(0)} ms of this thread, ${up} bytes there, ${down} bytes back`);
    // One exchange that hashes nothing on either side: what had to be hashed would be asked for and told.
    expect(server.commands.length - before.commands).toBe(0);
    expect(down).toBeLessThan(4096);
    expect(up).toBeLessThan(2000 * 80);
    expect(took).toBeLessThan(1000);
    session.connection.close();
  });

  it("fails with its reason when the connection drops, and the next sync completes", async () => {
    const project = join(top, "dropped");
    mkdirSync(project);
    writeFileSync(join(project, "first.py"), "x");
    writeFileSync(join(project, "big.bin"), Buffer.alloc(24 * 1024 * 1024, 3));
    const request = { projectFolder: project, excludes: [], required: undefined };
    let seen = 0;
    const session = await reach();
    onInput = (bytes) => {
      seen += bytes;
      if (seen > 6 * 1024 * 1024) server.drop();
    };
    const error = await syncProject(session, request, () => {}, signal, undefined).catch((caught) => caught);
    onInput = () => {};
    expect(error.code).toBe("connection-lost");
    const there = join(top, "board", "projects", projectSlug(project));
    expect(filesBelow(there).filter((name) => name === "big.bin")).toEqual([]);

    const again = await reach();
    await syncProject(again, request, () => {}, signal, undefined);
    expect(filesBelow(there)).toEqual(["big.bin", "first.py"]);
    again.connection.close();
  });
});
