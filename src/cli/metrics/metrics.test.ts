import { EventEmitter, once } from "node:events";
import * as fs from "node:fs";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runJson } from "../../profile/testing.ts";
import { makeHistory, summary, type TestHistory } from "../../runs/testing.ts";
import { collected } from "../terminal/testing.ts";
import { metricsText } from "./metrics.ts";
import { serveMetrics } from "./metricsCommand.ts";
import { parseMetrics } from "./metricsCommandLine.ts";
import { createMetricsServer } from "./metricsServer.ts";

const FINISHED = "20260101-100000-train-0001";
const RUNNING = "20260102-100000-eval-0002";

describe("metricsText", () => {
  const figures = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

  it("has what is known of each run, in bytes and seconds, and nothing for what is not", async () => {
    const known = summary({
      folder: `/p/${FINISHED}`,
      started: "2026-01-01T10:00:00Z",
      elapsedMs: 2500,
      rssPeak: 5 << 20,
      target: "nano",
    });
    const text = await metricsText([{ run: known }, { run: summary({ folder: "/p/b" }) }], 2);
    const labels = `run="${FINISHED}"`;
    expect(figures(text)).toEqual([
      "jetson_memprof_runs_unreadable 2",
      `jetson_memprof_run_info{${labels},script="train.py",target="nano",simulated="false",outcome="finished"} 1`,
      'jetson_memprof_run_info{run="b",script="train.py",target="",simulated="false",outcome="finished"} 1',
      `jetson_memprof_run_peak_rss_bytes{${labels}} 5242880`,
      `jetson_memprof_run_elapsed_seconds{${labels}} 2.5`,
      `jetson_memprof_run_started_timestamp_seconds{${labels}} 1767261600`,
    ]);
    for (const name of ["run_peak_rss_bytes", "run_board_available_bytes", "runs_unreadable"]) {
      expect(text).toMatch(new RegExp(`# HELP jetson_memprof_${name} \\w.*\\n# TYPE jetson_memprof_${name} gauge\\n`));
    }
  });

  it("tells no peak of a run under massif, which is valgrind's, and escapes what a project or a board may be called", async () => {
    const run = summary({ folder: "/p/a", massif: true, rssPeak: 1, script: 'a"\n\\.py', target: "n}\n# x 1" });
    const lines = (await metricsText([{ run }], 0)).split("\n");
    expect(lines.filter((line) => /^jetson_memprof_run_peak/.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith("jetson_memprof_run_info"))).toEqual([
      'jetson_memprof_run_info{run="a",script="a\\"\\n\\\\.py",target="n}\\n# x 1",simulated="false",outcome="finished"} 1',
    ]);
  });
});

describe("metrics", () => {
  let history: TestHistory;
  beforeEach(() => {
    history = makeHistory();
    history.add(FINISHED, { "samples.jsonl": '{"t":1,"rss":5242880}\n' });
    history.add(RUNNING, {
      "run.json": runJson({ id: RUNNING, state: "running" }),
      "samples.jsonl": '{"t":1,"rss":1048576,"mem_available":8388608}\n{"t":2,"rss":2097152,"mem_available":4194304}\n',
    });
  });
  afterEach(() => history.remove());

  async function asked(argv: readonly string[], ask: (place: string) => Promise<void>): Promise<string> {
    const command = parseMetrics(["--project", history.project, "--listen", "127.0.0.1:0", ...argv]);
    if (command === undefined) throw new Error("help was asked for");
    const [stderr, signals] = [collected(), new EventEmitter()];
    const around = { stdout: collected(), stderr, signals, stdin: process.stdin, env: {}, quit: () => {} };
    const served = serveMetrics(command, around);
    await vi.waitFor(() => expect(stderr.text()).toContain("Ctrl-C"), { timeout: 600_000 });
    await ask(/http:\S+\/metrics/.exec(stderr.text())?.[0] ?? "");
    signals.emit("SIGINT");
    expect(await served).toBe(0);
    return stderr.text();
  }

  function get(place: string, options: http.RequestOptions = {}): Promise<{ status?: number; text: string }> {
    return new Promise((resolve, reject) => {
      const request = http.request(place, options, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      request.on("error", reject).end();
    });
  }

  it("answers with the newest sample of what runs, read anew each time, until Ctrl-C", async () => {
    const said = await asked([], async (place) => {
      const { status, text } = await get(place);
      expect(status).toBe(200);
      expect(text).toContain(`jetson_memprof_run_peak_rss_bytes{run="${FINISHED}"} 5242880\n`);
      expect(text).toContain(`jetson_memprof_run_rss_bytes{run="${RUNNING}"} 2097152\n`);
      expect(text).toContain(`jetson_memprof_run_board_available_bytes{run="${RUNNING}"} 4194304\n`);
      expect(text).toMatch(new RegExp(`run_last_sample_timestamp_seconds{run="${RUNNING}"} \\d+`));
      expect(text).not.toContain(`jetson_memprof_run_rss_bytes{run="${FINISHED}"}`);
      fs.appendFileSync(path.join(history.runs, RUNNING, "samples.jsonl"), '{"t":3,"rss":3145728}\n');
      expect((await get(place)).text).toContain(`jetson_memprof_run_rss_bytes{run="${RUNNING}"} 3145728\n`);
    });
    expect(said).not.toContain("Note:");
  });

  it("answers for as many runs as are asked for, counts what cannot be read, and lives without a sample", async () => {
    history.add("20260103-100000-bad-0003", { "run.json": "{" });
    fs.rmSync(path.join(history.runs, RUNNING, "samples.jsonl"));
    await asked(["--runs", "1"], async (place) => {
      const { status, text } = await get(place);
      expect(status).toBe(200);
      expect(text).toContain("jetson_memprof_runs_unreadable 1\n");
      expect(text).toContain(`jetson_memprof_run_info{run="${RUNNING}"`);
      expect(text).not.toContain("jetson_memprof_run_rss_bytes{");
      expect(text).not.toContain(FINISHED);
    });
  });

  it("answers nothing else, and nobody who came here by another name", async () => {
    await asked([], async (place) => {
      expect((await get(place.replace("/metrics", "/"))).status).toBe(404);
      expect((await get(place, { method: "POST" })).status).toBe(405);
      expect(await get(place, { method: "HEAD" })).toEqual({ status: 200, text: "" });
      expect((await get(place, { headers: { host: "evil.example" } })).status).toBe(403);
      expect((await get(place, { headers: { host: "localhost:9464" } })).status).toBe(200);
    });
  });

  it("says why where the runs cannot be read", async () => {
    const server = createMetricsServer(() => Promise.reject(new Error("the disk is gone")), true).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    expect(await get(`http://127.0.0.1:${port}/metrics`)).toEqual({ status: 500, text: "the disk is gone\n" });
    server.close();
  });

  it("says so where an address is taken, and where others can read it", async () => {
    await asked([], async (place) => {
      const command = parseMetrics(["--listen", new URL(place).host]);
      const around = {
        stdout: collected(),
        stderr: collected(),
        signals: new EventEmitter(),
        stdin: process.stdin,
        env: {},
        quit: () => {},
      };
      await expect(command && serveMetrics(command, around)).rejects.toMatchObject({
        code: "listen-failed",
        message: expect.stringContaining("EADDRINUSE"),
      });
    });
    expect(await asked(["--listen", "0.0.0.0:0"], async () => {})).toContain("without a password");
  });
});

describe("parseMetrics", () => {
  it("takes an address and a port", () => {
    expect(parseMetrics([])).toEqual({ kind: "metrics", host: "127.0.0.1", port: 9464, runs: 50 });
    expect(parseMetrics(["--listen", "[::1]:1", "--runs", "3"])).toMatchObject({ host: "::1", port: 1, runs: 3 });
    for (const wrong of ["9464", "a:b", "a:70000", "::1:9464", "[::1]", ":9464"]) {
      expect(() => parseMetrics(["--listen", wrong])).toThrow("--listen is an address and a port");
    }
    expect(() => parseMetrics(["--runs", "0"])).toThrow("--runs takes whole numbers");
  });
});
