/** A board whose helper was replaced by a program that lies: every word of it is refused, bounded, or only text. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { profileRun } from "../../../src/remote/run/profileRun.ts";
import { requirement } from "../../support/requirement.ts";
import { HELPER, makeScene, prompter, type Scene } from "../../support/scene.ts";

/** A helper that behaves until a run is attached, and then sends what a test wants. */
const BOARD = `import json, sys

def answer(command, request):
    if command == "probe":
        return {"board": {"machine": "x", "mem_total": None}, "versions": {"python": "3"}, "packages": {}, "runs": []}
    if command == "sync-plan":
        return PLAN
    return {"id": request["id"], "folder": "/x", "pid": 1} if command == "start" else {}

def serve(stream):
    for line in stream:
        order = json.loads(line.decode())
        print(json.dumps(answer(order["command"], order["request"])), flush=True)
    return 0

if __name__ == "__main__":
    request = json.loads(sys.stdin.readline())
    if sys.argv[1] == "attach":
        sys.stdout.buffer.write(FRAMES)
    else:
        print(json.dumps(answer(sys.argv[1], request)))
`;
const PLAN = '{"folder": "/x", "send": [], "hash": [], "gone": 0}';

describe.skipIf(!requirement("python3", "/usr/bin/python3"))("a board that cannot be believed", () => {
  let scene: Scene;
  beforeEach(() => {
    scene = makeScene();
    scene.write({ "train.py": "pass\n" });
  });
  afterEach(() => scene.remove());

  function helper(frames: string, plan = PLAN): string {
    const folder = join(scene.project, "..", "helper");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "bootstrap.py"), readFileSync(join(HELPER, "bootstrap.py")));
    const encoded = `bytes.fromhex("${Buffer.from(frames).toString("hex")}")`;
    writeFileSync(join(folder, "board.py"), BOARD.replace("FRAMES", encoded).replace("PLAN", plan));
    return folder;
  }
  const run = (folder: string) => profileRun(scene.request("loopback", "train.py"), scene.deps(prompter(), folder));

  it.each([
    ["a name that leads out of the folder", '{"frame":"replace","file":"sources/../../../evil","length":1}\nx'],
    ["an unknown frame", '{"frame":"execute","command":"id"}\n'],
    ["a line without an end", "x".repeat(200_000)],
  ])("is refused for %s", async (_, frames) => {
    const outcome = await run(helper(frames)).done;
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "bad-reply" } });
    expect(existsSync(join(scene.runs, "..", "evil"))).toBe(false);
    expect(existsSync("/tmp/evil")).toBe(false);
    expect(outcome.folder !== undefined && readFileSync(join(outcome.folder, "origin.json"), "utf8")).toContain(
      "loopback",
    );
  });

  it("is asked again when its frames break off, on from what came", async () => {
    const handle = run(helper('{"frame":"append","file":"stdout.log","offset":0,"length":10}\nabc'));
    await scene.waitFor((event) => event.kind === "reconnecting");
    expect(scene.output()).toBe("abc");
    // This board sends the same again, which does not go on from there.
    expect(await handle.done).toMatchObject({
      kind: "failed",
      error: { code: "bad-reply", message: expect.stringContaining("3 bytes are here") },
    });
  });

  it("is not given a file it was not offered", async () => {
    for (const wanted of ['"send": ["../../etc/passwd"]', '"send": ["train.py", "train.py"]']) {
      const outcome = await run(helper("", PLAN.replace('"send": []', wanted))).done;
      expect(outcome).toMatchObject({ kind: "failed", error: { code: "bad-reply" } });
    }
  });

  it("cannot steer a terminal with the names it gives", async () => {
    const outcome = await run(
      helper(
        '{"frame":"replace","file":"sources/a\\u001b[2J.py","length":1}\nx{"frame":"append","file":"sources/a\\u001b[2J.py","offset":1,"length":1}\ny',
      ),
    ).done;
    expect(outcome).toMatchObject({
      kind: "failed",
      error: { code: "bad-reply", message: expect.stringContaining("sources/a?[2J.py does not grow") },
    });
  });

  it("cannot pass its refusal off as a wrong command line", async () => {
    const outcome = await run(helper('{"error":{"code":"usage","message":"no","hint":null}}\n')).done;
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "board-error", message: "no" } });
  });

  it("is named in its own words where it refuses, without their control characters", async () => {
    const frames = '{"error":{"code":"no-space","message":"disk \\u001b[2Jfull","hint":"free some"}}\n';
    const outcome = await run(helper(frames)).done;
    expect(outcome).toMatchObject({
      kind: "failed",
      error: { code: "no-space", message: "disk ?[2Jfull", hint: "free some" },
    });
  });
});
