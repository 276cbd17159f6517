import { describe, expect, it } from "vitest";
import type { ImportContext } from "./importer.ts";
import { pathsOf, placeFiles, UNKNOWN_FILE } from "./places.ts";
import { contextOf } from "./testing.ts";

const LINES = [{ line: 2, net: 1 }];
const SOURCE = "import a\nx = f()\n";

function placesOf(names: readonly string[], context: ImportContext): ReadonlyMap<string, string> {
  const { paths } = pathsOf(
    names.map((name) => ({ name, text: new Map() })),
    context,
  );
  return paths;
}

function pathOf(name: string, sources: Record<string, string>, source?: string): string | undefined {
  return placesOf([name], contextOf("r.txt", sources, source === undefined ? {} : { source })).get(name);
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
    expect([...placesOf(names, contextOf("r.txt")).values()]).toEqual(["a/train.py", "b/train.py"]);
    expect(new Set(placesOf(names, contextOf("r.txt", { "train.py": "" })).values()).size).toBe(2);
  });

  it.each([
    ["where nothing of the other was printed", new Map()],
    ["where other text of the other was printed", new Map([[2, "x = g()"]])],
  ])("takes the one of two files of one name whose text is the project's, %s", (_where, text) => {
    const reported = [
      { name: "/opt/other/utils.py", text },
      { name: "/home/nano/app/utils.py", text: new Map([[2, "x = f()"]]) },
    ];
    const { paths, notes } = pathsOf(reported, contextOf("r.txt", { "utils.py": SOURCE }));
    expect(paths.get("/home/nano/app/utils.py")).toBe("utils.py");
    expect(paths.get("/opt/other/utils.py")).not.toBe("utils.py");
    expect(notes).toEqual([]);
  });

  it.each([
    ["was printed of neither", new Map<number, string>()],
    ["of both agrees", new Map([[2, "x = f()"]])],
    ["of neither agrees", new Map([[2, "x = g()"]])],
  ])("says which of two files of one name it took where the text %s", (_what, text) => {
    const reported = ["/opt/other/utils.py", "/home/nano/app/utils.py"].map((name) => ({ name, text }));
    const { paths, notes } = pathsOf(reported, contextOf("r.txt", { "utils.py": SOURCE }));
    expect(paths.get("/opt/other/utils.py")).toBe("utils.py");
    expect(notes).toEqual([
      expect.stringContaining("utils.py may be any of these files of the report: /opt/other/utils.py, /home/nano/app/"),
    ]);
    const sure = [{ name: "/home/me/project/utils.py", text }, ...reported];
    expect(pathsOf(sure, contextOf("r.txt", { "utils.py": SOURCE })).notes).toEqual([]);
    expect(pathsOf(reported.slice(1), contextOf("r.txt", { "utils.py": SOURCE })).notes).toEqual([]);
  });

  it("takes the user's word for a file, which must lie in the project", () => {
    expect(pathOf("", {}, "net.py")).toBe("net.py");
    expect(pathOf("/x/y.py", {}, "/home/me/project/src/net.py")).toBe("src/net.py");
    expect(() => pathOf("", {}, "/etc/net.py")).toThrow(/is not in the project/);
    expect(() => pathOf("", {}, "../net.py")).toThrow(/is not in the project/);
    expect(() => placesOf(["a.py", "b.py"], contextOf("r.txt", {}, { source: "c.py" }))).toThrow(/2 files/);
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

  it("says so where files of one name leave it unclear which is the project's", () => {
    const reported = ["/a/train.py", "/b/train.py"].map((name) => ({ name, lines: LINES, text: new Map() }));
    const { notes } = placeFiles(reported, contextOf("r.txt", { "train.py": SOURCE }));
    expect(notes[0]).toMatch(/may be any of these files/);
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

  it.each(["/", UNKNOWN_FILE])("keeps them apart from those of a file that is called %s", (name) => {
    const reported = ["", name].map((one) => ({ name: one, lines: LINES, text: new Map() }));
    const paths = placeFiles(reported, contextOf("r.txt")).files.map((file) => file.path);
    expect(new Set(paths).size).toBe(2);
  });

  it("says what they are called where the project has a file of that name", () => {
    const reported = ["", UNKNOWN_FILE].map((name) => ({ name, lines: LINES, text: new Map() }));
    const { files, notes } = placeFiles(reported, contextOf("r.txt", { [UNKNOWN_FILE]: "" }));
    expect(files.map((file) => file.path)).toEqual(["other-2", UNKNOWN_FILE]);
    expect(notes.join("\n")).toContain("so it is called other-2.");
  });
});
