/** What AI agents give the tools, and what the tools answer of a run folder in which anything may stand. */
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { LARGEST_ANSWER, type ToolResult } from "../../../../src/cli/mcp/answer.ts";
import { type Asking, answered, type Tool } from "../../../../src/cli/mcp/tool.ts";
import { toolsOf } from "../../../../src/cli/mcp/toolsOf.ts";
import { openWorkspace, type Workspace } from "../../../../src/cli/mcp/workspace.ts";
import { writeFiles } from "../../../../src/profile/testing.ts";
import type { Random } from "../../support/random.ts";
import { demand, demandPrintable, type FuzzReader } from "../reader.ts";
import { FOLDER, ID } from "./runSamples.ts";

/** Stands in every file outside of the project, and nowhere else. */
const ELSEWHERE = "qzx7-of-another-project";

/** No person ever says yes, so nothing may run. */
const TOOLS = toolsOf({
  targets: ["local", "nano"],
  inTheirWords: (make) => make(),
  leaving: async () => undefined,
  record: () => {
    throw new Error("a script was run that nobody agreed to");
  },
});
const ASKING: Asking = {
  signal: new AbortController().signal,
  consent: (question) => {
    demandPrintable(question, "the question");
    return { kind: "refused" };
  },
  waitingFor: (work) => work,
};

/** A project with a run, beside another that nothing may be told of, to which links lead. */
async function twoProjects(): Promise<Workspace> {
  const here = realpathSync(process.cwd());
  const [project, other] = [join(here, "project"), join(here, "other")];
  const hidden = Object.entries(FOLDER).map(([name, text]) => [name, text.replaceAll("train", ELSEWHERE)]);
  writeFiles(join(project, ".jetson-memprof/runs", ID), FOLDER);
  writeFiles(join(other, ".jetson-memprof/runs", ID), Object.fromEntries(hidden));
  writeFiles(project, { "train.py": "print()\n" });
  writeFiles(other, { [`${ELSEWHERE}.py`]: "print()\n" });
  mkdirSync(join(project, ".jetson-memprof/runs/20261121-094502-train-3faa"));
  symlinkSync(other, join(project, "link"));
  symlinkSync(
    join(other, ".jetson-memprof/runs", ID),
    join(project, ".jetson-memprof/runs/20261121-094503-train-3fab"),
  );
  return await openWorkspace(project);
}
let workspace: Workspace | undefined;

/** An answer that no agent chokes on and that no terminal obeys. */
function demandAnswer({ content, structuredContent, isError }: ToolResult, asked: boolean): void {
  const [first] = content;
  demand(content.length === 1 && first !== undefined && first.text !== "", "the answer says nothing");
  demandPrintable(first.text, "the answer");
  demand(isError === true || structuredContent !== undefined, "the answer has no data");
  const size = Buffer.byteLength(JSON.stringify({ content, structuredContent, isError }));
  demand(size <= (asked ? 50 : 1) * LARGEST_ANSWER, `the answer has ${size} bytes`);
}

const answerOf = (one: Tool, given: unknown, to: Workspace): Promise<ToolResult> =>
  answered(() => one.call(given, to, ASKING));

/** What an agent is told of the newest run of a project, whatever is in it. */
export async function demandAnswers(project: string, random: Random): Promise<void> {
  const to = await openWorkspace(project);
  const [first, ...others] = TOOLS.filter(({ annotations }) => annotations.readOnlyHint);
  demand(first !== undefined, "no tool reads");
  const one = random.pick([first, ...others]);
  const given = one.name === "compare_runs" ? { before: "last", after: "last" } : {};
  demandAnswer(await answerOf(one, given, to), false);
}

const request = (name: string, given: object): string => JSON.stringify({ name, arguments: given });

export const readers: readonly FuzzReader[] = [
  {
    name: "what an AI agent asks of the tools",
    short: 1_000,
    samples: [
      request("list_runs", { rows: 3 }),
      request("get_lines", { run: "last", metric: "cuda", file: "train.py", rows: 5 }),
      request("get_ledger", { run: ID, moment: "baseline" }),
      request("get_ledger", { run: ID, seconds: 0.5, rows: 200 }),
      request("explain_ending", { run: `.jetson-memprof/runs/${ID}` }),
      request("compare_runs", { before: "last", after: ID, repeats: true, metric: "system" }),
      request("estimate_change", { change: "checkpoint", value: 2 }),
      request("profile_script", { script: "train.py", arguments: ["--epochs", "1"], target: "nano", model: true }),
    ],
    pieces: [
      "../other/",
      "link/",
      `link/.jetson-memprof/runs/${ID}`,
      ".jetson-memprof/runs/20261121-094503-train-3fab",
      '"last"',
      "/etc/passwd",
      "\\u0000",
      '"__proto__":',
      "1e308",
    ],
    async read(input, random) {
      workspace ??= await twoProjects();
      let asked: { readonly name?: unknown; readonly arguments?: { readonly rows?: unknown } } | null;
      try {
        asked = JSON.parse(Buffer.from(input).toString("utf8"));
      } catch {
        return "refused";
      }
      const one = TOOLS.find(({ name }) => name === asked?.name) ?? random.pick(TOOLS as [Tool]);
      const answer = await answerOf(one, asked?.arguments ?? {}, workspace);
      demandAnswer(answer, asked?.arguments?.rows !== undefined);
      demand(!JSON.stringify(answer).includes(ELSEWHERE), "another project is told of");
      return answer.isError === true ? "refused" : "read";
    },
  },
];
