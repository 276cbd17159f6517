/**
 * Why a run ran out of memory and what could be done: the request for the page, and the notes that stand in the
 * sources of the run that is shown.
 */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import type { Advice, AdviceStep } from "../../../board/advice/model.ts";
import type { Failure } from "../../../board/ending/failure.ts";
import type { CodePlace, EndingReport } from "../../../board/ending/model.ts";
import { type ExplainedRun, explainRun } from "../../../board/node/readEnding.ts";
import { defined } from "../../../profile/defined.ts";
import { placeName } from "../../../profile/run/origin.ts";
import type { RunReader } from "../../../profile/run/runFolder.ts";
import { runTitle } from "../../../profile/run/runJson.ts";
import { projectOfRun } from "../../../profile/run/runsFolder.ts";
import { sourceLines } from "../../../profile/text/text.ts";
import type { RunEnding } from "../../../protocol/board/ending.ts";
import { t } from "../../../words/t.ts";
import type { Handlers } from "../../handlers.ts";
import { fileInProject, uriToPath } from "../../projectPath.ts";
import type { RunStore } from "../../runs/runStore.ts";

/** A note on a line of a document as it is now. */
export interface LineNote {
  /** 1-based. */
  readonly line: number;
  /** Of the line's code, in UTF-16 units: where it begins and ends. */
  readonly from: number;
  readonly to: number;
  /** `killed`: what ended it is not certain. `failed`: by an exception that is not about memory. */
  readonly kind: "out-of-memory" | "killed" | "failed" | "certain" | "likely";
  readonly message: string;
  /** The rule and its source, where it is an advice. */
  readonly advice?: { readonly rule: string; readonly url: string };
  readonly fixes: readonly NoteFix[];
}

/** What can be done about a note. */
export type NoteFix =
  | {
      readonly kind: "edit";
      readonly title: string;
      readonly line: number;
      readonly from: number;
      readonly to: number;
      readonly text: string;
    }
  | { readonly kind: "step"; readonly title: string; readonly rule: string; readonly step: number };

/** A line of a document as it is now. */
interface Located {
  readonly uri: string;
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

export interface EndingOptions {
  readonly store: RunStore;
  readonly lineNow: Handlers["lineNow"];
  /** The URIs of the open documents. */
  readonly openUris: () => readonly string[];
  readonly openText: (uri: string) => string | undefined;
  /** The URI of the open cell of a notebook that a measured file was; undefined where there is none, or null. */
  readonly openCell?: (folder: string, file: string) => Promise<string | null | undefined>;
  readonly platform: NodeJS.Platform;
}

export interface Endings {
  /** @throws UserError as RunReader.refresh */
  ending(folder: string): Promise<RunEnding>;
  /** By the URI of the document; empty while the run goes on. */
  notes(folder: string): Promise<ReadonlyMap<string, readonly LineNote[]>>;
}

export function createEndings({ store, lineNow, openUris, openText, openCell, platform }: EndingOptions): Endings {
  let kept: { readonly key: string; readonly explained: Promise<ExplainedRun> } | undefined;

  /** Kept for the run asked for last: an hour's moments take a while to read, and every edit asks for the notes. */
  async function explained(reader: RunReader): Promise<ExplainedRun> {
    const key = await stateOf(reader.folder);
    if (kept?.key !== key) kept = { key, explained: explainRun(reader) };
    return await kept.explained;
  }

  async function documentOf(folder: string, file: string) {
    const project = projectOfRun(folder);
    const native = project === undefined ? undefined : fileInProject(file, project, platform);
    if (native === undefined) return undefined;
    const uri =
      (await openCell?.(folder, file)) ??
      openUris().find((one) => uriToPath(one, platform) === native) ??
      pathToFileURL(native).href;
    const text = openText(uri) ?? (await fs.readFile(native, "utf8").catch(() => undefined));
    return text === undefined ? undefined : { uri, lines: sourceLines(text) };
  }

  /** Where a profiled line is now; undefined where it is gone, or its file is. */
  async function locate(folder: string, place: CodePlace): Promise<Located | undefined> {
    const document = await documentOf(folder, place.path);
    if (document === undefined) return undefined;
    const now = await lineNow({ folder, ...place, uri: document.uri });
    const text = now === null ? undefined : document.lines[now.line - 1];
    return now === null || now.gone || text === undefined ? undefined : { uri: document.uri, line: now.line, text };
  }

  /** Of a file that never came to run, as with an error of its syntax, no line is known but by its text. */
  async function locateFailure(folder: string, { place, text }: Failure) {
    if (place === undefined) return undefined;
    const found = await locate(folder, place);
    if (found !== undefined || text === undefined) return found;
    const document = await documentOf(folder, place.path);
    const here = document?.lines[place.line - 1];
    return document === undefined || here?.trim() !== text
      ? undefined
      : { uri: document.uri, line: place.line, text: here };
  }

  async function fixesOf(folder: string, advice: Advice): Promise<NoteFix[]> {
    const fixes = await Promise.all(
      advice.steps.map(async (step, index): Promise<NoteFix | undefined> => {
        if (step.kind !== "edit") return { kind: "step", title: step.label, rule: advice.rule, step: index };
        const where = await locate(folder, step.place);
        return where === undefined ? undefined : editOf(step, where);
      }),
    );
    return fixes.filter((fix) => fix !== undefined);
  }

  return {
    async ending(folder) {
      const reader = await store.get(folder);
      const { run, origin } = reader.profile();
      const { board, report, failure, advice } = await explained(reader);
      return {
        title: runTitle(run),
        board: placeName(origin?.inside, board.title),
        ...defined({ simulated: run.board.simulated, target: origin?.target }),
        report: report ?? null,
        ...defined({ failure }),
        advice,
      };
    },
    async notes(folder) {
      const reader = await store.get(folder);
      const found = new Map<string, LineNote[]>();
      if (reader.profile().run.state === "running") return found;
      const { report, failure, advice } = await explained(reader);
      const add = (where: Located | undefined, note: Omit<LineNote, "line" | "from" | "to">) => {
        if (where === undefined) return;
        found.set(where.uri, [...(found.get(where.uri) ?? []), { line: where.line, ...extentOf(where.text), ...note }]);
      };
      if (report !== undefined) {
        // What is about no line of its own may help on the line where the run ended.
        const general = await Promise.all(
          advice.filter(({ place }) => place === undefined).map((one) => fixesOf(folder, one)),
        );
        const where = report.place && (await locate(folder, report.place));
        add(where, { ...endingNote(report), fixes: general.flat() });
      }
      if (failure !== undefined) {
        const message = t("The run failed here: {0}", failure.message);
        add(await locateFailure(folder, failure), { kind: "failed", message, fixes: [] });
      }
      for (const one of advice) {
        if (one.place === undefined) continue;
        add(await locate(folder, one.place), {
          kind: one.strength,
          message: `${one.symptom} ${one.remedy}`,
          advice: { rule: one.rule, url: one.source.url },
          fixes: await fixesOf(folder, one),
        });
      }
      return found;
    },
  };
}

function endingNote(report: EndingReport): Pick<LineNote, "kind" | "message"> {
  return report.kind === "killed"
    ? { kind: "killed", message: t("The run was killed here, perhaps because memory ran out: {0}", report.meaning) }
    : { kind: "out-of-memory", message: t("Ran out of memory here: {0} {1}", report.headline, report.meaning) };
}

/** Undefined where the line has changed so that what is to be replaced is not there exactly once. */
function editOf(
  step: AdviceStep & { readonly kind: "edit" },
  { line, text }: { readonly line: number; readonly text: string },
): NoteFix | undefined {
  const from = text.indexOf(step.find);
  if (from < 0 || text.indexOf(step.find, from + 1) >= 0) return undefined;
  return { kind: "edit", title: step.label, line, from, to: from + step.find.length, text: step.replace };
}

function extentOf(text: string): { readonly from: number; readonly to: number } {
  return { from: text.length - text.trimStart().length, to: text.trimEnd().length };
}

async function stateOf(folder: string): Promise<string> {
  const states = ["run.json", "lines.jsonl", "moments.jsonl", "stderr.log"].map(async (name) => {
    const stat = await fs.stat(path.join(folder, name)).catch(() => undefined);
    return stat === undefined ? "" : `${stat.size} ${stat.mtimeMs}`;
  });
  return [folder, ...(await Promise.all(states))].join("\n");
}
