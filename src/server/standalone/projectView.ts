/** One project's runs, as its documents show them: which run is shown, and all that is asked about it. */
import { existsSync } from "node:fs";
import type { CodeAction, Diagnostic, Range } from "vscode-languageserver/node";
import type { Metric } from "../../profile/model.ts";
import { createEndings } from "../board/ending/ending.ts";
import { quickFixes } from "../board/ending/endingDiagnostics.ts";
import { createEndingPublisher } from "../board/ending/endingPublisher.ts";
import { createHandlers, type DocumentText, type Handlers } from "../handlers.ts";
import { createRunStore } from "../runs/runStore.ts";
import { createNewestRun } from "./newestRun.ts";

/** What the user wants to see. */
export type Choice =
  | { readonly kind: "newest" }
  | { readonly kind: "run"; readonly folder: string }
  | { readonly kind: "none" };

export interface ProjectView {
  readonly project: string;
  readonly handlers: Handlers;
  /** The shown run's folder. */
  shown(): string | undefined;
  /** @throws UserError where the chosen run cannot be read */
  show(choice: Choice, metric: Metric): Promise<void>;
  /** The same run by another measure. */
  showBy(metric: Metric): Promise<void>;
  /** Shows a newer run where there is one, and no longer one that was deleted. */
  look(): Promise<void>;
  /** A document changed: what is said of the run's ending has to be placed anew. */
  refresh(): void;
  codeActions(uri: string, range: Range): Promise<CodeAction[]>;
  dispose(): void;
}

export interface ProjectViewOptions {
  readonly project: string;
  readonly choice: Choice;
  readonly metric: Metric;
  readonly openUris: () => readonly string[];
  readonly openDocument: (uri: string) => DocumentText | undefined;
  /** Another run is shown, or the shown one changed on disk. */
  readonly onChange: () => void;
  /** What is said of a run's ending, by document. */
  readonly onEnding: (uri: string, diagnostics: Diagnostic[]) => void;
}

export function createProjectView(options: ProjectViewOptions): ProjectView {
  const { project, openUris, openDocument, onChange, onEnding } = options;
  let { choice, metric } = options;
  // One that cannot be read is not asked for again.
  let asked: string | undefined;
  let looking: Promise<void> | undefined;
  const newest = createNewestRun(project);
  const store = createRunStore({
    onChange: () => {
      publisher.refresh();
      onChange();
    },
  });
  const handlers = createHandlers({ store, openDocument, platform: process.platform });
  const endings = createEndings({
    store,
    lineNow: handlers.lineNow,
    openUris,
    openText: (uri) => openDocument(uri)?.text,
    platform: process.platform,
  });
  const publisher = createEndingPublisher(endings, handlers.shown, onEnding);

  async function showFolder(folder: string | undefined): Promise<void> {
    asked = folder;
    try {
      await handlers.showRun(folder ?? null, metric);
    } finally {
      publisher.refresh();
      onChange();
    }
  }

  async function follow(): Promise<void> {
    // A chosen run that was deleted is followed by the newest.
    if (choice.kind === "run" && !existsSync(choice.folder)) choice = { kind: "newest" };
    if (choice.kind !== "newest") return;
    const folder = await newest.find();
    // Something else may have been chosen while the runs were looked through.
    if (choice.kind === "newest" && folder !== asked) await showFolder(folder);
  }

  return {
    project,
    handlers,
    shown: handlers.shown,
    async show(wanted, by) {
      choice = wanted;
      metric = by;
      await looking;
      await showFolder(
        wanted.kind === "run" ? wanted.folder : wanted.kind === "none" ? undefined : await newest.find(),
      );
    },
    async showBy(wanted) {
      metric = wanted;
      await looking;
      await showFolder(handlers.shown());
    },
    look() {
      looking ??= follow().finally(() => {
        looking = undefined;
      });
      return looking;
    },
    refresh: publisher.refresh,
    async codeActions(uri, range) {
      const shown = handlers.shown();
      if (shown === undefined) return [];
      const notes = await endings.notes(shown);
      // The others lead to pages of our own extension.
      return quickFixes(shown, uri, notes.get(uri) ?? [], range).filter(({ edit }) => edit !== undefined);
    },
    dispose() {
      void handlers.showRun(null, metric);
      publisher.refresh();
      store.dispose();
    },
  };
}
