import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readRunFolder } from "../../../src/profile/run/runFolder.ts";
import type { MassifRequest, RiskQuestion } from "../../../src/protocol/run/run.ts";
import { profileRun } from "../../../src/remote/run/profileRun.ts";
import { resumeRun } from "../../../src/remote/run/resumeRun.ts";
import { inFull } from "../../support/inFull.ts";
import { requirement } from "../../support/requirement.ts";
import { filesBelow, makeScene, runRecord, type Scene } from "../../support/scene.ts";
import { makeTestHome, SSHD, type Sshd, startSshd, type TestHome } from "../../support/sshd.ts";

const REQUEST: MassifRequest = {
  threshold: 1,
  depth: 60,
  pagesAsHeap: false,
  gpu: false,
  frames: true,
  maxHits: 2,
  lines: [{ path: "grow.py", line: 4 }],
  expected: { hits: 8 },
};
const GROW = `import os
kept = []
for n in range(3):
    kept.append(bytearray(3000000))
if os.fork() == 0:
    more = bytearray(4000000)
    os._exit(0)
os.wait()
print("grown", len(kept))
`;
const HOLD = `import time
held = bytearray(9000000)
print("ready", flush=True)
time.sleep(60)
`;

const present = requirement("python3", "/usr/bin/python3") && requirement("valgrind", "/usr/bin/valgrind");
describe.skipIf(!present)("a run under massif", () => {
  let scene: Scene;
  let home: TestHome;
  let sshd: Sshd | undefined;
  const hasSshd = requirement("sshd (package openssh-server)", SSHD);
  beforeAll(async () => {
    home = makeTestHome();
    const key = home.key("user");
    sshd = hasSshd ? await startSshd(home, "board", [key]) : undefined;
    if (sshd !== undefined) writeFileSync(home.path("known_hosts"), `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`);
    home.configure(`Host 127.0.0.1\n  IdentityFile ${key}\n  IdentitiesOnly yes`);
  });
  afterAll(async () => {
    await sshd?.stop();
    await home?.remove();
  });
  beforeEach(() => {
    scene = makeScene();
    scene.write({ "grow.py": GROW, "hold.py": HOLD });
  });
  afterEach(() => scene.remove());

  const begin = (target: string, script: string, changes: Partial<MassifRequest> = {}) =>
    profileRun(
      scene.request(target, script, {
        python: "/usr/bin/python3",
        engine: "massif",
        massif: { ...REQUEST, ...changes },
      }),
      scene.deps(),
    );
  const onBoard = (folder: string): string => join(scene.board, "runs", String(runRecord(folder)["id"]));
  const massifFiles = (folder: string): readonly string[] =>
    filesBelow(folder).filter((file) => /^massif[.-](out|frames|lines)/.test(file));

  it.each([...(inFull || !hasSshd ? ["loopback"] : []), ...(hasSshd ? ["sshd"] : [])])(
    "comes home byte for byte over %s",
    async (name) => {
      const target = name === "sshd" ? `ssh://127.0.0.1:${sshd?.port}` : name;
      const outcome = await begin(target, "grow.py").done;
      if (outcome.kind !== "finished") throw new Error(JSON.stringify(outcome));
      const { folder } = outcome;
      expect(scene.output()).toBe("grown 3\n");
      const pid = JSON.parse(readFileSync(join(onBoard(folder), "supervisor.json"), "utf8")).script_pid;
      const files = massifFiles(folder);
      expect(files).toContain(`massif.out.${pid}`);
      expect(files.filter((file) => file.startsWith("massif.out.")).length).toBe(2);
      expect(files).toEqual(massifFiles(onBoard(folder)));
      for (const file of files) {
        expect(readFileSync(join(folder, file)).equals(readFileSync(join(onBoard(folder), file))), file).toBe(true);
      }
      const { run } = await readRunFolder(folder);
      expect(run.engine).toMatchObject({ name: "massif", massif: { threshold: 1, lines: REQUEST.lines } });
      const progress = scene.events.filter((event) => event.kind === "progress");
      expect(progress).toContainEqual(
        expect.objectContaining({ underValgrind: true, expectedHits: 8, rss: expect.any(Number) }),
      );
      // A file that was lost or damaged at home comes again.
      writeFileSync(join(folder, `massif.out.${pid}`), "changed here");
      expect(
        (await resumeRun(folder, { python: "/usr/bin/python3", boardFolder: scene.board }, scene.deps()).done).kind,
      ).toBe("finished");
      expect(readFileSync(join(folder, `massif.out.${pid}`))).toEqual(
        readFileSync(join(onBoard(folder), `massif.out.${pid}`)),
      );
    },
  );

  it("has its profile when it is cancelled", async () => {
    const run = begin("loopback", "hold.py");
    await scene.waitFor((event) => event.kind === "output");
    run.cancel();
    const outcome = await run.done;
    expect(outcome.kind).toBe("cancelled");
    const folder = outcome.folder ?? "";
    const out = readdirSync(folder).find((name) => name.startsWith("massif.out.")) ?? "";
    const heaps = readFileSync(join(folder, out), "utf8").matchAll(/^mem_heap_B=(\d+)$/gm);
    expect(Math.max(...[...heaps].map(([, bytes]) => Number(bytes)))).toBeGreaterThan(9_000_000);
  });

  it("is not started where a person would rather not, and is where the person would", async () => {
    const asked: RiskQuestion[] = [];
    const refusing = (answer: boolean) => ({
      ...scene.deps(),
      acceptRisk: async (question: RiskQuestion) => {
        asked.push(question);
        return answer;
      },
    });
    const huge = { ...REQUEST, lines: [], expected: { rssPeak: 2 ** 50 } };
    const request = scene.request("local", "grow.py", { python: "/usr/bin/python3", engine: "massif", massif: huge });
    expect(await profileRun(request, refusing(false)).done).toEqual({ kind: "cancelled" });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.message).toContain("expected to need about");
    expect(scene.events.some((event) => event.kind === "started")).toBe(false);
    expect((await profileRun(request, refusing(true)).done).kind).toBe("finished");
  });

  it("is of the script as it was saved while the question stood", async () => {
    const python = "/usr/bin/python3";
    // The board has the script as it was before.
    expect((await profileRun(scene.request("loopback", "grow.py", { python }), scene.deps()).done).kind).toBe(
      "finished",
    );
    const saving = {
      ...scene.deps(),
      acceptRisk: async () => {
        scene.write({ "grow.py": `print("saved")\n` });
        return true;
      },
    };
    const massif = { ...REQUEST, lines: [], expected: { rssPeak: 2 ** 50 } };
    const request = scene.request("loopback", "grow.py", { python, engine: "massif", massif });
    expect((await profileRun(request, saving).done).kind).toBe("finished");
    expect(scene.output()).toBe("grown 3\nsaved\n");
  });
});
