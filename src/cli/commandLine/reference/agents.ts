/** What is known of `mcp`. */
import { phrase } from "../../../words/t.ts";
import type { CommandDescription } from "./model.ts";
import { AGENT, PYTHON_OPTION } from "./shared.ts";

export const MCP = {
  name: "mcp",
  summary: phrase("a server that lets an AI agent read a project's runs (Model Context Protocol)"),
  synopses: ["[options]"],
  about: [
    phrase(
      "An agent starts it and speaks to it over standard input and output. It reads runs of one project; a script is profiled only after you have said yes to that very run. docs/agents.md says how to set it up.",
    ),
  ],
  options: {
    project: {
      kind: "value",
      value: "FOLDER",
      says: phrase("the only folder whose runs are read and whose scripts may be profiled"),
      default: phrase("the current folder"),
    },
    target: {
      kind: "list",
      value: "TARGET",
      says: phrase(
        "a board that an agent may ask to profile on, as of profile; may be given several times, the first is meant where none is named",
      ),
      default: "local",
    },
    python: PYTHON_OPTION,
  },
  examples: [
    ["mcp --project ~/detector --target nano", phrase("as an agent starts it, with a board that it may ask for")],
  ],
  environment: AGENT,
} as const satisfies CommandDescription;
