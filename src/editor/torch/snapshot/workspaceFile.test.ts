import { describe, expect, test } from "vitest";
import { workspaceFile } from "./workspaceFile.ts";

const FILES = [
  "/w/train.py",
  "/w/models/train.py",
  "/w/models/lenet.py",
  "/w/utils.py",
  "/v/models/lenet.py",
  "/v/only.py",
];
const match = (wanted: string, folders: readonly string[] = ["/w", "/v"]) =>
  workspaceFile(wanted, folders, async (file) => FILES.includes(file));
const find = async (...wanted: Parameters<typeof match>): Promise<string | undefined> => (await match(...wanted))?.file;

describe("the file of the workspace that a path means", () => {
  test("is the one with the longest tail in common", async () => {
    expect(await find("/home/nano/work/models/train.py")).toBe("/w/models/train.py");
    expect(await find("/home/nano/work/train.py")).toBe("/w/train.py");
    expect(await find("/home/nano/only.py")).toBe("/v/only.py");
    expect(await find("C:\\work\\models\\lenet.py")).toBe("/w/models/lenet.py");
    expect(await find("models/lenet.py", ["/v", "/w"])).toBe("/v/models/lenet.py");
  });

  test("is known to be found by its name only, unless the path is all there is of it, or its own", async () => {
    const byName = async (wanted: string): Promise<boolean | undefined> => (await match(wanted))?.byName;
    expect(await byName("/home/nano/work/train.py")).toBe(true);
    expect(await byName("/home/nano/work/models/train.py")).toBe(false);
    expect(await byName("train.py")).toBe(false);
    expect(await byName("/w/train.py")).toBe(false);
  });

  test("is found where the path goes up and down", async () => {
    expect(await find("/home/lin/scripts/../models/lenet.py")).toBe("/w/models/lenet.py");
  });

  test("is none for what is not there, for installed packages, and for what leads out", async () => {
    expect(await find("/home/nano/other.py")).toBeUndefined();
    expect(await find("/usr/lib/python3.11/utils.py")).toBeUndefined();
    expect(await find("/venv/lib/site-packages/timm/utils.py")).toBeUndefined();
    expect(await find("../../etc/train.py")).toBeUndefined();
    expect(await find("")).toBeUndefined();
    expect(await find(`${"a/".repeat(100)}train.py`)).toBeUndefined();
  });
});
