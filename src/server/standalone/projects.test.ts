import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changedFolders, projectOf, workspaceFolders } from "./projects.ts";

let root: string;
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "jmp-projects-")));
});
afterEach(() => {
  vi.unstubAllEnvs();
  fs.rmSync(root, { recursive: true, force: true });
});

const place = (...names: string[]) => path.join(root, ...names);
const runsIn = (...names: string[]) => fs.mkdirSync(place(...names, ".jetson-memprof", "runs"), { recursive: true });

describe("the project of a file", () => {
  it("is the nearest folder above it that has runs, whatever the workspace is", async () => {
    runsIn();
    runsIn("models", "nano");
    fs.mkdirSync(place("models", "nano", "pkg"), { recursive: true });
    expect(await projectOf(place("models", "nano", "pkg", "a.py"), [root])).toBe(place("models", "nano"));
    expect(await projectOf(place("models", "b.py"), [])).toBe(root);
  });

  it("is the innermost workspace folder where nothing has run yet", async () => {
    expect(await projectOf(place("models", "nano", "a.py"), [root, place("models"), place("other")])).toBe(
      place("models"),
    );
    expect(await projectOf(place("elsewhere.py"), [place("models")])).toBeUndefined();
  });

  it("is not the home folder, where a board keeps the runs of all projects", async () => {
    vi.stubEnv("HOME", root);
    runsIn();
    expect(await projectOf(place("project", "a.py"), [])).toBeUndefined();
    expect(await projectOf(place("project", "a.py"), [place("project")])).toBe(place("project"));
  });
});

describe("the folders of the workspace", () => {
  const params = { processId: null, capabilities: {} };
  it.each([
    [
      "workspaceFolders before all",
      { workspaceFolders: [{ uri: "file:///a%20b/", name: "a" }], rootUri: "file:///r" },
      ["/a b"],
    ],
    ["rootUri", { workspaceFolders: null, rootUri: "file:///r/", rootPath: "/p" }, ["/r"]],
    ["rootPath of old clients", { rootUri: null, rootPath: "/p/" }, ["/p"]],
    ["none", { rootUri: null }, []],
    ["none, said with an empty list", { workspaceFolders: [], rootUri: "file:///r" }, []],
    ["none that is on a disk", { workspaceFolders: [{ uri: "vscode-vfs://x/y", name: "y" }], rootUri: null }, []],
  ])("%s", (_, given, folders) => {
    expect(workspaceFolders({ ...params, ...given })).toEqual(folders);
  });

  it("come and go", () => {
    const event = { added: [{ uri: "file:///c", name: "c" }], removed: [{ uri: "file:///a/", name: "a" }] };
    expect(changedFolders(["/a", "/b"], event)).toEqual(["/b", "/c"]);
  });
});
