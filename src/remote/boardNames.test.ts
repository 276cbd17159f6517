import { expect, it } from "vitest";
import type { TargetAddress } from "../protocol/run/run.ts";
import { namedBoards } from "./boardNames.ts";

const HOSTS = ["nano-1", "nano-2", "nano.lab", "orin"];
const configured = async () => HOSTS;

it.each<[string, string[]]>([
  ["nano-*", ["nano-1", "nano-2"]],
  ["*", HOSTS],
  ["nano?lab", ["nano.lab"]],
  ["nano-?,orin,nano-1", ["nano-1", "nano-2", "orin"]],
  ["nano@10.0.0.1,loopback,nano@10.0.0.1", ["nano@10.0.0.1", "loopback"]],
  ["ssh://orin,orin", ["ssh://orin"]],
])("%s", async (texts, boards) => {
  expect(await namedBoards(texts.split(","), configured)).toEqual(boards);
});

it("takes two names of one board for one", async () => {
  const machineOf = async (target: TargetAddress) =>
    target.kind === "ssh" && target.host.startsWith("nano") ? "nano" : "x";
  expect(await namedBoards(["nano-1", "nano-2", "orin"], configured, machineOf)).toEqual(["nano-1", "orin"]);
});

it("does not look at the configuration where nothing is a pattern", async () => {
  const boards = await namedBoards(["nano"], () => Promise.reject(new Error("unreadable")));
  expect(boards).toEqual(["nano"]);
});

it("says which hosts there are where none matches", async () => {
  await expect(namedBoards(["agx*"], configured)).rejects.toMatchObject({
    code: "no-such-board",
    message: "No host of your SSH configuration matches agx*.",
    hint: "It names nano-1, nano-2, nano.lab, orin.",
  });
  await expect(namedBoards(["nano.*"], async () => [])).rejects.toMatchObject({
    hint: expect.stringContaining("no host"),
  });
  await expect(namedBoards(["na no"], configured)).rejects.toMatchObject({ code: "bad-target" });
});
