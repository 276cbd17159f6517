/** One file, one subject: no file of the product grows past what is read in one go, no folder past what is seen at once. */
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const ROOMS = ["src", "webview", "python-helper/jetson_memprof"];
const MOST_LINES = 400;
const MOST_FILES = 20;
/** Longer for a reason, which docs/architecture.md says ("Long files have a reason"). */
const LONG = ["python-helper/jetson_memprof/engine/pure.py"];

const entries = ROOMS.flatMap((room) =>
  fs
    .readdirSync(path.join(root, room), { recursive: true, encoding: "utf8" })
    .map((name) => `${room}/${name.replaceAll(path.sep, "/")}`)
    .filter((name) => !name.includes("__pycache__"))
    .map((name) => ({
      name,
      folder: path.posix.dirname(name),
      isFolder: fs.statSync(path.join(root, name)).isDirectory(),
    })),
);

const linesOf = (file: string): number => fs.readFileSync(path.join(root, file), "utf8").split("\n").length - 1;

it(`no file has more than ${MOST_LINES} lines, but tests and those that the architecture names`, () => {
  const long = entries
    .map(({ name }) => name)
    .filter((name) => /(?<!\.test)\.(ts|css|py)$/.test(name) && linesOf(name) > MOST_LINES);
  expect(long.filter((file) => !LONG.includes(file))).toEqual([]);
  expect(
    LONG.filter((file) => !long.includes(file)),
    "no longer long",
  ).toEqual([]);
  const reasons = fs.readFileSync(path.join(root, "docs/architecture.md"), "utf8");
  for (const file of LONG) expect(reasons).toContain(file.replace("python-helper/jetson_memprof/", ""));
});

it(`no folder has more than ${MOST_FILES} files and no folders to tell them apart`, () => {
  const folders = [...new Set(entries.map(({ folder }) => folder))];
  const flat = folders.filter((folder) => {
    const inside = entries.filter((entry) => entry.folder === folder);
    return inside.filter(({ isFolder }) => !isFolder).length > MOST_FILES && !inside.some(({ isFolder }) => isFolder);
  });
  expect(flat).toEqual([]);
});
