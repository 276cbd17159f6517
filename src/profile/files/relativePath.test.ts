import { posix, win32 } from "node:path";
import { describe, expect, it } from "vitest";
import { isBelow, relativePath } from "./relativePath.ts";

describe("a file's name in its folder", () => {
  it.each([
    ["/home/a/net", "/home/a/net/train.py", "train.py"],
    ["/home/a/net/", "/home/a/net/models/lenet.py", "models/lenet.py"],
    ["/", "/train.py", "train.py"],
    ["/home/a/net", "/home/a/net", ""],
    ["/home/a/net", "/home/a/net/..data/x.py", "..data/x.py"],
    ["/home/a/net", "/home/a/net/a\\b.py", "a\\b.py"],
    ["/home/a/net", "/home/a/network/train.py", undefined],
    ["/home/a/net", "/home/a/train.py", undefined],
    ["/home/a/net", "/home/a/net/../train.py", undefined],
    ["/home/a/Net", "/home/a/net/train.py", undefined],
  ])("on Linux and macOS, of %s and %s", (folder, file, expected) => {
    expect(relativePath(folder, file, posix)).toBe(expected);
  });

  it.each([
    ["C:\\net", "C:\\net\\train.py", "train.py"],
    ["c:\\Net\\", "C:\\net\\models\\lenet.py", "models/lenet.py"],
    ["C:/net", "C:\\net\\models/lenet.py", "models/lenet.py"],
    ["C:\\", "C:\\train.py", "train.py"],
    ["\\\\nas\\share\\net", "\\\\nas\\share\\net\\train.py", "train.py"],
    ["C:\\net", "c:\\NET", ""],
    ["C:\\net", "D:\\net\\train.py", undefined],
    ["C:\\net", "C:\\network\\train.py", undefined],
    ["C:\\net", "C:\\net\\..\\train.py", undefined],
    ["\\\\nas\\share\\net", "C:\\net\\train.py", undefined],
  ])("on Windows, of %s and %s", (folder, file, expected) => {
    expect(relativePath(folder, file, win32)).toBe(expected);
  });

  it("is below its folder where it has one, and a folder is not below itself", () => {
    expect(isBelow("/net", "/net/train.py", posix)).toBe(true);
    expect(isBelow("/net", "/net", posix)).toBe(false);
    expect(isBelow("/net", "/network", posix)).toBe(false);
    expect(isBelow("C:\\Net", "c:\\net\\train.py", win32)).toBe(true);
    expect(isBelow("C:\\net", "D:\\train.py", win32)).toBe(false);
  });
});
