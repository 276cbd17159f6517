import { describe, expect, it } from "vitest";
import { pathsOf, placeFiles, UNKNOWN_FILE } from "./places.ts";
import { contextOf } from "./testing.ts";

const LINES = [{ line: 2, net: 1 }];
const SOURCE = "import a\nx = f()\n";

function pathOf(name: string, sources: Record<string, string>, source?: string): string | undefined {
  return pathsOf([name], contextOf("r.txt", sources, source === undefined ? {} : { source })).get(name);
}

describe("pathsOf", () => {
  it.each([
    ["below the project's folder", "/home/me/project/src/train.py", {}, "src/train.py"],
    ["from the project's folder", "./train.py", { "train.py": "" }, "train.py"],
    [
      "by the longest end that is in the project",
      "/home/nano/work/src/train.py",
      { "src/train.py": "", "train.py": "" },
      "src/train.py",
    ],
    ["on Windows", "C:\\work\\src\\train.py", { "src/train.py": "" }, "src/train.py"],
    ["that is not in the project, by its name", "/home/nano/other.py", {}, "other.py"],
    ["that leads out of the project, inside of it", "../../etc/passwd", {}, "passwd"],
    ["that leads out of the project's folder by dots", "/home/me/project/../secret.py", {}, "secret.py"],
  ])("places a file %s", (_name, name, sources, place) => {
    expect(pathOf(name, sources)).toBe(place);
  });

  it("keeps two files of one name apart", () => {
    const names = ["/a/train.py", "/b/train.py"];
    expect([...pathsOf(names, contextOf("r.txt")).values()]).toEqual(["a/train.py", "b/train.py"]);
    const found = pathsOf(names, contextOf("r.txt", { "train.py": "" }));
    expect(new Set(found.values()).size).toBe(2);
    expect(found.get("/a/train.py")).toBe("train.py");
  });

  it("takes the user's word for a file, which must lie in the project", () => {
    expect(pathOf("", {}, "net.py")).toBe("net.py");
    expect(pathOf("/x/y.py", {}, "/home/me/project/src/net.py")).toBe("src/net.py");
    expect(() => pathOf("", {}, "/etc/net.py")).toThrow(/is not in the project/);
    expect(() => pathOf("", {}, "../net.py")).toThrow(/is not in the project/);
    expect(() => pathsOf(["a.py", "b.py"], contextOf("r.txt", {}, { source: "c.py" }))).toThrow(/2 files/);
  });
});

describe("placeFiles", () => {
  it("leaves out what is installed and what is in no file, and says how many", () => {
    const names = ["/usr/lib/python3.8/os.py", "<frozen runpy>", "/v/site-packages/torch/nn.py", "train.py"];
    const { files, notes } = placeFiles(
      names.map((name) => ({ name, lines: LINES, text: new Map() })),
      contextOf("r.txt", { "train.py": SOURCE }),
    );
    expect(files.map(({ path }) => path)).toEqual(["train.py"]);
    expect(notes).toEqual(["3 files of Python itself or of installed packages were left out."]);
  });

  it("takes the project's source where it agrees with what was printed, whatever its indentation", () => {
    const reported = { name: "train.py", lines: LINES, text: new Map([[2, "  x = f()"]]) };
    expect(placeFiles([reported], contextOf("r.txt", { "train.py": SOURCE })).sources.get("train.py")).toBe(SOURCE);
  });

  it("rebuilds the source from what was printed where the project's is another by now, or gone", () => {
    const reported = { name: "train.py", lines: LINES, text: new Map([[2, "x = g()"]]) };
    const rebuilt = "\nx = g()\n";
    expect(placeFiles([reported], contextOf("r.txt", { "train.py": SOURCE })).sources.get("train.py")).toBe(rebuilt);
    expect(placeFiles([reported], contextOf("r.txt")).sources.get("train.py")).toBe(rebuilt);
  });

  it("trusts a source that nothing was printed of only where it is older than the file", () => {
    const reported = { name: "train.py", lines: LINES, text: new Map() };
    const sources = { "train.py": SOURCE };
    expect(placeFiles([reported], contextOf("r.txt", sources)).sources.get("train.py")).toBe(SOURCE);
    const changed = placeFiles([reported], contextOf("r.txt", sources, { changed: ["train.py"] }));
    expect(changed.sources.size).toBe(0);
    expect(changed.notes[0]).toMatch(/changed after/);
  });

  it("gives figures without a file a place, and says how to name it", () => {
    const { files, notes } = placeFiles([{ name: "", lines: LINES, text: new Map([[2, "x"]]) }], contextOf("r.txt"));
    expect(files[0]?.path).toBe(UNKNOWN_FILE);
    expect(notes[0]).toMatch(/Import it again and say which/);
  });
});
