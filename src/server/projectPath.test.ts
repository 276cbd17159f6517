import { expect, it } from "vitest";
import { fileInProject, projectPath, samePath, uriToPath } from "./projectPath.ts";

it.each([
  ["file:///home/me/a%20b/tr%C3%A4in.py", "linux", "/home/me/a b/träin.py"],
  ["file:///home/me/100%25.py", "linux", "/home/me/100%.py"],
  ["file:///c%3A/Users/me/train.py", "win32", "c:\\Users\\me\\train.py"],
  ["file://nas/share/train.py", "win32", "\\\\nas\\share\\train.py"],
  ["file://nas/share/train.py", "linux", undefined],
  ["file:///home/me", "win32", undefined],
  ["untitled:Untitled-1", "linux", undefined],
  ["file:///%E0%A4%A", "linux", undefined],
  ["file:///a%00b", "linux", undefined],
  ["not a uri", "linux", undefined],
] as const)("%s on %s is %s", (uri, platform, path) => {
  expect(uriToPath(uri, platform)).toBe(path);
});

it.each([
  ["/p/a/b.py", "/p", "linux", "a/b.py"],
  ["/p/b.py", "/p/", "linux", "b.py"],
  ["/p2/b.py", "/p", "linux", undefined],
  ["/p", "/p", "linux", undefined],
  ["/p/..b.py", "/p", "linux", "..b.py"],
  ["/p/a\\b.py", "/p", "linux", "a\\b.py"],
  ["c:\\Proj\\sub\\x.py", "C:\\proj", "win32", "sub/x.py"],
  ["d:\\x.py", "C:\\proj", "win32", undefined],
] as const)("%s in %s on %s is %s", (file, project, platform, path) => {
  expect(projectPath(file, project, platform)).toBe(path);
});

it.each([
  ["a/b.py", "/p", "linux", "/p/a/b.py"],
  ["a\\b.py", "/p", "linux", "/p/a\\b.py"],
  ["../b.py", "/p", "linux", undefined],
  ["a/b.py", "C:\\p", "win32", "C:\\p\\a\\b.py"],
  ["..\\..\\b.py", "C:\\p", "win32", undefined],
  ["a\\..\\b.py", "C:\\p", "win32", undefined],
] as const)("%s of %s on %s lies at %s", (relative, project, platform, file) => {
  expect(fileInProject(relative, project, platform)).toBe(file);
});

it("compares names as the platform does", () => {
  expect(samePath("Train.py", "train.py", "win32")).toBe(true);
  expect(samePath("Train.py", "train.py", "darwin")).toBe(true);
  expect(samePath("Train.py", "train.py", "linux")).toBe(false);
});
