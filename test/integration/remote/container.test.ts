/** Runs in containers of a real engine; python-helper/tests/test_board_container.py has more, with a stand-in for one. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProfileRequest, RunOutcome } from "../../../src/protocol/run/run.ts";
import { parseInside } from "../../../src/remote/container/place.ts";
import { profileRun } from "../../../src/remote/run/profileRun.ts";
import { resumeRun } from "../../../src/remote/run/resumeRun.ts";
import { containerEngine } from "../../support/containers.ts";
import { makeScene, runRecord, type Scene } from "../../support/scene.ts";

const SCRIPT = `import os, sys
kept = bytearray(40 << 20)
parts = [bytearray(4096) for _ in range(8000)]
with open(sys.argv[1] if len(sys.argv) > 1 else "/dev/null", "w") as file:
    file.write("made")
print(open("beside.txt").read(), os.getpid(), flush=True)
sys.stdin.readline()
`;
const ENDLESS = `import time
kept = bytearray(30 << 20)
print("up", flush=True)
while True:
    time.sleep(0.05)
`;
const HUNGRY = `kept = []
print("up", flush=True)
while True:
    kept.append(bytearray(1 << 20))
`;
const LIMIT = 128 << 20;
const engine = containerEngine();

function folderOf(outcome: RunOutcome): string {
  if (outcome.kind === "failed") throw outcome.error;
  if (outcome.folder === undefined) throw new Error("the run has no folder");
  return outcome.folder;
}

/** Bytes that each line of a file kept, by its number. */
function nets(folder: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  if (!existsSync(join(folder, "lines.jsonl"))) return found;
  for (const line of readFileSync(join(folder, "lines.jsonl"), "utf8").trim().split("\n")) {
    const record: { record: string; rows?: readonly (readonly number[])[] } = JSON.parse(line);
    if (record.record !== "rows") continue;
    for (const [, at, , net] of record.rows ?? []) found.set(at ?? 0, net ?? Number.NaN);
  }
  return found;
}

interface MomentLine {
  readonly run?: readonly number[];
  readonly p?: readonly (readonly unknown[])[];
  readonly container?: readonly [used: number, limit: number | null];
}

function momentsOf(folder: string): readonly MomentLine[] {
  const file = join(folder, "moments.jsonl");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe.skipIf(engine === undefined)("a run in a container", () => {
  if (engine === undefined) return;
  let scene: Scene;
  const names: string[] = [];
  const idle = (...options: readonly string[]): string => {
    const name = engine.idle(options);
    names.push(name);
    return name;
  };
  beforeEach(() => {
    scene = makeScene();
    scene.write({ "script.py": SCRIPT, "endless.py": ENDLESS, "hungry.py": HUNGRY, "beside.txt": "beside" });
  });
  afterEach(async () => {
    for (const name of names.splice(0)) engine.ask("rm", "--force", "--time", "0", name);
    await scene.remove();
  });
  afterAll(() => engine.close());

  const request = (target: string, inside: string, script = "script.py", changes: Partial<ProfileRequest> = {}) =>
    scene.request(target, script, {
      inside: parseInside(inside),
      accelerator: true,
      momentsIntervalMs: 200,
      ...changes,
    });
  const begun = async () => {
    const started = await scene.waitFor((event) => event.kind === "started");
    if (started.kind !== "started") throw new Error("it did not start");
    return started;
  };
  const ended = async (what: ProfileRequest): Promise<RunOutcome> => {
    const handle = profileRun(what, scene.deps());
    handle.closeInput();
    return await handle.done;
  };
  const run = async (...what: Parameters<typeof request>): Promise<string> => folderOf(await ended(request(...what)));
  const refusal = async (...what: Parameters<typeof request>) => {
    const outcome = await ended(request(...what));
    if (outcome.kind !== "failed") throw new Error(`it was ${outcome.kind}`);
    return outcome.error;
  };
  const isUp = () => scene.waitFor((event) => event.kind === "output" && Buffer.from(event.data).includes("up"));
  const containerOf = (folder: string) => {
    const { container } = runRecord(folder);
    if (typeof container !== "object" || container === null) throw new Error("run.json has no container");
    return container as Readonly<Record<string, unknown>>;
  };

  it.each(["local", "loopback"])("has the figures of a run outside (%s)", async (target) => {
    const name = idle("--memory", "1g");
    const bare = { ...scene.request(target, "script.py", { python: "/usr/bin/python3" }), accelerator: true };
    const outside = nets(folderOf(await ended(bare)));
    scene.events.length = 0;
    const handle = profileRun(request(target, `container:${name}`), scene.deps());
    const { folder: live } = await begun();
    await expect.poll(() => momentsOf(live).some(({ run }) => run !== undefined)).toBe(true);
    handle.closeInput();
    const folder = folderOf(await handle.done);
    const inside = nets(folder);
    expect(inside.size).toBe(7);
    for (const [line, net] of inside)
      expect(Math.abs(net - (outside.get(line) ?? Number.NaN)), `line ${line}`).toBeLessThan(262_144);
    expect(inside.get(2)).toBeGreaterThanOrEqual(40 << 20);
    expect(scene.output()).toMatch(/^beside \d+\n$/);

    const container = containerOf(folder);
    expect(container).toMatchObject({ engine: "podman", name, image: engine.image, made: false, limit: 1 << 30 });
    // The board's processes are the host's, so those of the run have their numbers there.
    const [[inner, outer] = []] = container["pids"] as readonly (readonly number[])[];
    expect(String(inner)).toBe(scene.output().trim().split(" ")[1]);
    expect(outer).not.toBe(inner);
    const moments = momentsOf(folder);
    const listed = moments.flatMap(({ p = [] }) => p);
    expect(listed.find(([pid]) => pid === outer)?.[1]).toBe("python3");
    const met = moments.filter(({ run }) => run?.includes(outer ?? 0));
    expect(met.some(({ container: [used, limit] = [0, 0] }) => used > 30 << 20 && limit === 1 << 30)).toBe(true);
    // No run stays in there.
    await expect
      .poll(() => engine.ask("exec", name, "sh", "-c", "echo /tmp/jetson-memprof/runs/*"))
      .toBe("/tmp/jetson-memprof/runs/*");
  });

  it("takes the project where a mount has it", async () => {
    const name = idle("--volume", `${scene.project}:/workspace/here`);
    const folder = await run("local", `container:${name}`, "script.py", { args: ["made.txt"] });
    expect(runRecord(folder)).toMatchObject({ project_root: "/workspace/here", exit: { kind: "exited", code: 0 } });
    expect(readFileSync(join(scene.project, "made.txt"), "utf8")).toBe("made");
    expect(nets(folder).get(2)).toBeGreaterThanOrEqual(40 << 20);
  });

  it("makes a container of an image for the run, in which files keep their owner", async () => {
    const folder = await run("local", `image:${engine.image}`, "script.py", { args: ["made.txt"] });
    expect(containerOf(folder)).toMatchObject({ made: true, image: engine.image });
    expect(runRecord(folder)["project_root"]).toBe(scene.project);
    expect(statSync(join(scene.project, "made.txt")).uid).toBe(process.getuid?.());
    await expect.poll(() => engine.ask("ps", "--all", "--quiet")).toBe("");
    expect(readdirSync(join(scene.board, "containers", "runs"))).toEqual([]);
  });

  it("says that the kernel ended it at the container's limit", async () => {
    const name = idle("--memory", String(LIMIT), "--memory-swap", String(LIMIT));
    const folder = await run("local", `container:${name}`, "hungry.py");
    expect(runRecord(folder)["exit"]).toMatchObject({ kind: "out-of-memory", signal: "SIGKILL" });
    expect(containerOf(folder)["limit"]).toBe(LIMIT);
    expect(nets(folder).get(4)).toBeGreaterThan(LIMIT / 2);
  });

  it("keeps what was recorded where the container ends", async () => {
    const name = idle();
    const handle = profileRun(request("local", `container:${name}`, "endless.py"), scene.deps());
    const { folder: live } = await begun();
    await expect.poll(() => nets(live).get(2) ?? 0).toBeGreaterThan(0);
    engine.ask("kill", name);
    const folder = folderOf(await handle.done);
    expect(runRecord(folder)["exit"]).toEqual({ kind: "lost" });
    expect(JSON.stringify(runRecord(folder)["warnings"])).toContain(`The container ${name} ended during the run`);
    expect(nets(folder).get(2)).toBeGreaterThanOrEqual(30 << 20);
  });

  it("is found again, and cancelled, from the board alone", async () => {
    const name = idle();
    const handle = profileRun(request("local", `container:${name}`, "endless.py"), scene.deps());
    await isUp();
    handle.letGo();
    const released = await handle.done;
    const folder = folderOf(released);
    const place = { boardFolder: scene.board, cancel: true };
    expect((await resumeRun(folder, place, scene.deps()).done).kind).toBe("cancelled");
    expect(engine.ask("exec", name, "sh", "-c", "for one in /proc/[0-9]*/cmdline; do cat $one; done")).not.toContain(
      "endless",
    );
  });

  it("needs no root file system that can be written", async () => {
    const name = idle("--read-only");
    const folder = await run("local", `container:${name}`);
    expect(runRecord(folder)["exit"]).toEqual({ kind: "exited", code: 0 });
  });

  it("says what is missing, and what to do", async () => {
    const bare = engine.idle([], engine.bareImage);
    names.push(bare);
    expect(await refusal("local", `container:${bare}`)).toMatchObject({
      code: "no-python-inside",
      message: `No Python was found on container ${bare} on this machine.`,
    });
    expect(await refusal("local", "container:no-such")).toMatchObject({ code: "no-container" });
    expect(await refusal("local", "image:no-such:1")).toMatchObject({ code: "no-image" });
    engine.ask("stop", "--time", "0", bare);
    expect(await refusal("local", `container:${bare}`)).toMatchObject({
      code: "container-not-running",
      hint: `Start it first: podman start ${bare}`,
    });
    expect(existsSync(scene.runs) ? readdirSync(scene.runs) : []).toEqual([]);
  });
});
