/** `diff`: what changed between two runs, or between repeats of them. */
import * as path from "node:path";
import { compareFolders } from "../../compare/node/compareFolders.ts";
import { colored, plain } from "../../profile/lines/annotate.ts";
import { jsonText, type Output, showsColors } from "../terminal/output.ts";
import type { DiffCommand } from "./diffCommandLine.ts";
import { diffJson } from "./diffJson.ts";
import { diffMarkdown } from "./diffMarkdown.ts";
import { findSide } from "./diffSides.ts";
import { diffText } from "./diffText.ts";

/** @throws UserError */
export async function diff(command: DiffCommand, output: Output, env: NodeJS.ProcessEnv): Promise<void> {
  const project = path.resolve(command.project ?? ".");
  const before = await findSide(command.before, project, command.repeats);
  const after = await findSide(command.after, project, command.repeats);
  const comparison = await compareFolders({ before, after }, command.metric);
  switch (command.format) {
    case "json":
      output.write(jsonText(diffJson(comparison, command.all)));
      return;
    case "markdown":
      output.write(diffMarkdown(comparison, command.all));
      return;
    case "table":
      output.write(diffText(comparison, command.all, showsColors(output, env) ? colored : plain));
  }
}
