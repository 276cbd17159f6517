/** What only scripts need of the declarations is not in the extension: VS Code compiles all of it at activation. */
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { expect, test } from "vitest";
import { COMMAND_GROUPS } from "../commands.ts";
import type { CommandGroup, Setting } from "../model.ts";
import { SETTING_CATEGORIES } from "../settings.ts";
import { textsIn } from "./texts.ts";

test("the program has no text of the manifest and of the documents", async () => {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: fileURLToPath(new URL("../../../..", import.meta.url)),
    entryPoints: ["src/extension.ts"],
    bundle: true,
    write: false,
    platform: "node",
    charset: "utf8",
    external: ["vscode", "*.node", "cpu-features"],
    mainFields: ["module", "main"],
  });
  const program = outputFiles.map(({ text }) => text).join("");
  expect(program).toContain("massif.pagesAsHeap");
  const chinese = Object.values(textsIn("zh")).filter((text) => /\p{Script=Han}/u.test(text));
  const says = [
    ...COMMAND_GROUPS.flatMap(({ commands }: CommandGroup) =>
      Object.values(commands).flatMap((command) => ("says" in command ? [command.says] : [])),
    ),
    ...SETTING_CATEGORIES.flatMap(({ settings }) => Object.values<Setting>(settings).map((setting) => setting.says.en)),
  ];
  expect(chinese.length + says.length).toBeGreaterThan(200);
  expect([...chinese, ...says].filter((text) => program.includes(text))).toEqual([]);
});
