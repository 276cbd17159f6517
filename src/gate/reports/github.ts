/** Annotations of GitHub Actions: workflow commands in the log of a step. Pure. */
import { printable } from "../../profile/text/text.ts";
import type { Problem } from "./problems.ts";

/** GitHub shows no more for a job. */
const MOST = 50;

export function githubAnnotations(problems: readonly Problem[]): string {
  return problems
    .slice(0, MOST)
    .map((problem) => `${command(problem)}\n`)
    .join("");
}

function command({ level, title, path, line, message }: Problem): string {
  const properties = [
    ...(path === undefined ? [] : [["file", path]]),
    ...(line === undefined ? [] : [["line", String(line)]]),
    ["title", title],
  ].map(([name, value = ""]) => `${name}=${escapeProperty(value)}`);
  return `::${level === "warning" ? "warning" : "error"} ${properties.join(",")}::${escapeData(printable(message))}`;
}

/** What would end the command, or begin another one. */
function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  // Line ends keep their code: a file may have one in its name.
  const shown = text.replace(/[^\P{Cc}\r\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, "?");
  return escapeData(shown).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
