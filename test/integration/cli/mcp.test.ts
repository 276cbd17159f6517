/** `jetson-memprof mcp` as an agent starts it, asked by the client of the protocol's own SDK, in both of its revisions. */
import * as fs from "node:fs";
import * as path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, describe, expect, it } from "vitest";
import { endOfProcessesNaming, processesNaming } from "../../support/processes.ts";
import { useProgram } from "./program.ts";

const SCRIPT = "import time\nkept = bytearray(24 * 1024 * 1024)\ntime.sleep(0.5)\n";

describe.each(["legacy", "auto"] as const)("an agent whose client negotiates %s", (mode) => {
  const scene = useProgram();
  let client: Client | undefined;
  afterEach(async () => await client?.close());

  async function connected(answer?: boolean): Promise<Client> {
    client = new Client(
      { name: "test", version: "1" },
      {
        capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
        versionNegotiation: { mode },
      },
    );
    if (answer !== undefined)
      client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { run: answer } }));
    const env = { HOME: scene.home, PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" };
    const args = [scene.file, "mcp", "--project", scene.project];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "pipe" }));
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
    return client;
  }

  const textOf = (result: Awaited<ReturnType<Client["callTool"]>>): string =>
    result.content.map((block) => (block.type === "text" ? block.text : "")).join("");

  it("profiles a script after a yes, and reads what it measured", async () => {
    scene.script("train.py", SCRIPT);
    const agent = await connected(true);
    const made = await agent.callTool({ name: "profile_script", arguments: { script: "train.py" } });
    expect(textOf(made)).toMatch(/24\.\d MiB kept {2}"train\.py:2"/);
    const runs = await agent.callTool({ name: "list_runs" });
    expect(textOf(runs)).toContain("1 of 1 runs.");
    const ledger = await agent.callTool({ name: "get_ledger", arguments: {} });
    expect(ledger.structuredContent).toMatchObject({ rows: expect.anything(), mem_total_bytes: expect.any(Number) });
  });

  it("runs nothing after a no, or where it cannot ask", async () => {
    scene.script("train.py", 'open("ran", "w")\n');
    const call = { name: "profile_script", arguments: { script: "train.py" } };
    const refused = await (await connected(false)).callTool(call);
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain("nothing was run");
    await client?.close();
    const unasked = await (await connected()).callTool(call);
    expect(textOf(unasked)).toContain("jetson-memprof profile --target local train.py");
    expect(fs.existsSync(path.join(scene.project, "ran"))).toBe(false);
    expect(fs.existsSync(path.join(scene.project, ".jetson-memprof"))).toBe(false);
  });

  it("ends a run with itself", async () => {
    scene.script("train.py", 'import time\nopen("began", "w").close()\ntime.sleep(3600)\n');
    const agent = await connected(true);
    const call = agent.callTool({ name: "profile_script", arguments: { script: "train.py" } });
    call.catch(() => undefined);
    await expect.poll(() => fs.existsSync(path.join(scene.project, "began")), { timeout: 120_000 }).toBe(true);
    await agent.close();
    await endOfProcessesNaming(scene.project);
    expect(processesNaming(scene.project)).toEqual([]);
    const runs = path.join(scene.project, ".jetson-memprof/runs");
    const [id = ""] = fs.readdirSync(runs).filter((name) => name.includes("train"));
    const { exit } = JSON.parse(fs.readFileSync(path.join(runs, id, "run.json"), "utf8"));
    expect(exit).toMatchObject({ kind: "cancelled" });
  });

  it("ends the server by closing its input", async () => {
    const agent = await connected();
    expect(processesNaming(scene.project)).toHaveLength(1);
    await agent.close();
    await endOfProcessesNaming(scene.project);
    expect(processesNaming(scene.project)).toEqual([]);
  });
});
