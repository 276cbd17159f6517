import { expect, it } from "vitest";
import { agentServerOf } from "./agentServer.ts";

const FOLDER = { name: "detector", path: "/work/detector" };
const PROGRAMS = { node: "/usr/share/code/code", cli: "/ext/dist/cli.cjs" };
const BEGIN = [PROGRAMS.cli, "mcp", "--project", "/work/detector"];

it("is started with what is set, by VS Code's own Node", () => {
  const server = agentServerOf(FOLDER, PROGRAMS, { target: "nano", python: "~/venv" });
  expect(server).toEqual({
    label: "Jetson Memory Profiler: detector",
    command: PROGRAMS.node,
    args: [...BEGIN, "--target", "nano", "--target", "local", "--python", "~/venv"],
    env: { ELECTRON_RUN_AS_NODE: "1" },
  });
});

it("offers this computer where no board is set, and once where it is that", () => {
  expect(agentServerOf(FOLDER, PROGRAMS, {}).args).toEqual(BEGIN);
  expect(agentServerOf(FOLDER, PROGRAMS, { target: "local" }).args).toEqual([...BEGIN, "--target", "local"]);
});
