/** What a program of ours that makes runs needs: itself, the helper, and a project with these files. */
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { bundleText } from "../../scripts/bundleProgram.mjs";

/** @param {Readonly<Record<string, string>>} files the project's, by name */
export async function prepareRuns(text, files, scratch) {
  const program = await bundleText(text, "runs", scratch);
  const project = path.join(scratch, "project");
  fs.mkdirSync(project);
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(project, name), content);
  return { program, project, helper: fileURLToPath(new URL("../../python-helper", import.meta.url)) };
}
