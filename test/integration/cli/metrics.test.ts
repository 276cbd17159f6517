/** `jetson-memprof metrics` while a script runs, asked over HTTP as Prometheus does. */
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { ended, useProgram } from "./program.ts";

const LONG = { timeout: 600_000, interval: 100 };
const MIB = 1 << 20;

/** Holds 64 MiB until it is told to end. */
const SCRIPT = `import os, time
kept = bytearray(64 * 1024 * 1024)
open("holds", "w").close()
while not os.path.exists("end"):
    time.sleep(0.05)
`;

describe("metrics", () => {
  const scene = useProgram();

  it("has what a run holds while it runs, then its peak, and ends by Ctrl-C", async () => {
    scene.script("train.py", SCRIPT);
    const run = scene.start(["profile", "--target", "local", "train.py"]);
    const ran = ended(run);
    const server = scene.start(["metrics", "--listen", "127.0.0.1:0"]);
    const served = ended(server);
    let said = "";
    server.stderr.on("data", (text: string) => {
      said += text;
    });
    await vi.waitFor(() => expect(said).toContain("Ctrl-C ends it."), LONG);
    const place = /http:\S+\/metrics/.exec(said)?.[0] ?? "";
    const figure = async (name: string): Promise<number> => {
      const text = await (await fetch(place)).text();
      return Number(new RegExp(`^jetson_memprof_${name}\\{run="[^"]+"\\} (\\S+)$`, "m").exec(text)?.[1]);
    };

    const written = fs.statSync(path.join(scene.project, "train.py")).mtimeMs / 1000;
    await vi.waitFor(() => expect(fs.existsSync(path.join(scene.project, "holds"))).toBe(true), LONG);
    await vi.waitFor(async () => expect(await figure("run_rss_bytes")).toBeGreaterThan(64 * MIB), LONG);
    expect(await figure("run_board_available_bytes")).toBeGreaterThan(0);
    expect(await figure("run_last_sample_timestamp_seconds")).toBeGreaterThan(written);

    fs.writeFileSync(path.join(scene.project, "end"), "");
    expect((await ran).status).toBe(0);
    expect(await figure("run_rss_bytes")).toBeNaN();
    const [id = ""] = fs
      .readdirSync(path.join(scene.project, ".jetson-memprof/runs"))
      .filter((name) => /train/.test(name));
    const answer = await fetch(place);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await answer.text()).toContain(
      `jetson_memprof_run_info{run="${id}",script="train.py",target="this computer",simulated="false",outcome="finished"} 1\n`,
    );
    const peak = await figure("run_peak_rss_bytes");
    expect(JSON.parse((await scene.run("runs", "--json")).stdout)).toMatchObject({ runs: [{ id, rss_peak: peak }] });

    server.kill("SIGINT");
    expect((await served).status).toBe(0);
  });
});
