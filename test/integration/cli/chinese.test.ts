/** The command in a Chinese locale. */
import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { packedWords } from "../../../scripts/words.mjs";
import { useProgram } from "./program.ts";

describe("in a Chinese locale", () => {
  const scene = useProgram();
  const words = packedWords("zh-cn", "zh-CN");
  beforeEach(() => {
    fs.writeFileSync(path.join(path.dirname(scene.file), "zh-cn.json.br"), words);
    vi.stubEnv("LC_ALL", "zh_CN.UTF-8");
  });
  afterEach(() => vi.unstubAllEnvs());

  it("help, errors and figures are Chinese", async () => {
    expect((await scene.run("help", "profile")).stdout).toContain(
      "在开发板上运行 Python 脚本，并输出每一行占用的内存。",
    );
    const wrong = await scene.run("profil");
    expect(wrong.status).toBe(64);
    expect(wrong.stderr).toContain("没有命令“profil”");

    scene.script("train.py", "kept = bytearray(24 * 1024 * 1024)\n");
    const { status, stdout, stderr } = await scene.run("profile", "train.py", "--target", "local");
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/净变化/);
    expect(stdout).toMatch(/\+24\.\d MiB/);
    expect(stdout).toContain("运行文件夹：");
  });

  it("a run's warnings are Chinese, and English for programs", async () => {
    scene.script("train.py", "kept = bytearray(24 * 1024 * 1024)\n");
    const { stdout } = await scene.run("profile", "train.py", "--target", "local");
    const file = path.join(/运行文件夹：(.*)/.exec(stdout)?.[1] ?? "", "run.json");
    const message = "big.py is not measured: it has more than 9 lines.";
    const record = { ...JSON.parse(fs.readFileSync(file, "utf8")), warnings: [{ code: "file-not-measured", message }] };
    fs.writeFileSync(file, JSON.stringify(record));
    expect((await scene.run("show", "last")).stdout).toContain("未测量 big.py：它超过 9 行。");
    expect((await scene.run("show", "last", "--json")).stdout).toContain(message);
  });

  it("what programs read is English", async () => {
    scene.script("train.py", "kept = bytearray(24 * 1024 * 1024)\n");
    const { stdout } = await scene.run("profile", "train.py", "--target", "local", "--json");
    expect(stdout).not.toMatch(/\p{Script=Han}/u);
    expect((await scene.run("check", "last", "--max-peak", "1MiB")).stdout).not.toMatch(/\p{Script=Han}/u);
  });
});
