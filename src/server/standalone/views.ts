/** The views of all projects that documents are open of, and what was chosen for them. */
import type { Diagnostic } from "vscode-languageserver/node";
import type { Metric } from "../../profile/model.ts";
import { projectOfRun, runsFolderOf } from "../../profile/run/runsFolder.ts";
import type { RunListEntry } from "../../protocol/server.ts";
import type { DocumentText } from "../handlers.ts";
import { uriToPath } from "../projectPath.ts";
import { runNamed } from "./commands.ts";
import type { StandaloneOptions } from "./options.ts";
import { projectOf } from "./projects.ts";
import { createProjectView, type ProjectView } from "./projectView.ts";

export interface Views {
  /** The view of a document's project; undefined where it is in none. */
  of(uri: string): Promise<ProjectView | undefined>;
  all(): readonly ProjectView[];
  /** Workspace folders have a view from the beginning, so that what is wrong in files that are not open is told too. */
  setFolders(folders: readonly string[]): void;
  folders(): readonly string[];
  metric(): Metric;
  chooseMetric(metric: Metric): Promise<void>;
  /** @throws UserError `no-such-run`, and where it cannot be read */
  showRun(name: string): Promise<void>;
  showNewest(): Promise<void>;
  hide(): Promise<void>;
  /** All runs of the projects, newest first. */
  runs(): Promise<readonly RunListEntry[]>;
  dispose(): void;
}

export interface ViewsOptions {
  readonly options: StandaloneOptions;
  readonly openUris: () => readonly string[];
  readonly openDocument: (uri: string) => DocumentText | undefined;
  readonly onChange: () => void;
  readonly onEnding: (uri: string, diagnostics: Diagnostic[]) => void;
  /** What went wrong apart from any request. */
  readonly onProblem: (error: unknown) => void;
}

interface Opened {
  readonly view: ProjectView;
  /** Resolves when it is known which run is shown. */
  readonly ready: Promise<void>;
}

/** Network folders and some containers report no changes, and the folder of the runs may not be there yet. */
const LOOK_MS = 1000;

export function createViews({ options, onProblem, ...around }: ViewsOptions): Views {
  const views = new Map<string, Opened>();
  let folders: readonly string[] = [];
  let metric = options.metric;
  let hidden = false;

  const look = (view: ProjectView) => view.look().catch(onProblem);
  const timer = setInterval(() => {
    for (const view of all()) void look(view);
  }, LOOK_MS);

  function open(project: string): Opened {
    const known = views.get(project);
    if (known !== undefined) return known;
    const choice = { kind: hidden ? "none" : "newest" } as const;
    const view = createProjectView({ ...around, project, choice, metric });
    const opened = { view, ready: chooseAtStart(view) };
    views.set(project, opened);
    return opened;
  }

  /** The run that the options name, in the project that has it. */
  async function chooseAtStart(view: ProjectView): Promise<void> {
    const { run } = options;
    if (run === undefined || hidden) return await look(view);
    try {
      const folder = await runNamed(run, await view.handlers.runs([runsFolderOf(view.project)]));
      await view.show({ kind: "run", folder }, metric);
    } catch (error) {
      onProblem(error);
      await look(view);
    }
  }

  const all = () => [...views.values()].map(({ view }) => view);

  async function runs(): Promise<readonly RunListEntry[]> {
    const [first] = all();
    return first === undefined ? [] : await first.handlers.runs([...views.keys()].map(runsFolderOf));
  }

  const showAgain = (choice: { readonly kind: "newest" | "none" }) =>
    Promise.all(all().map((view) => view.show(choice, metric))).then(() => {});

  return {
    async of(uri) {
      const file = uriToPath(uri, process.platform);
      const project = file === undefined ? undefined : await projectOf(file, folders);
      if (project === undefined) return undefined;
      const { view, ready } = open(project);
      await ready;
      // The shown run may have been deleted since the last look.
      await look(view);
      return view;
    },
    all,
    setFolders(now) {
      for (const folder of folders.filter((one) => !now.includes(one))) {
        views.get(folder)?.view.dispose();
        views.delete(folder);
      }
      folders = now;
      for (const folder of now) open(folder);
    },
    folders: () => folders,
    metric: () => metric,
    async chooseMetric(wanted) {
      metric = wanted;
      await Promise.all(all().map((view) => view.showBy(wanted)));
    },
    async showRun(name) {
      const folder = await runNamed(name, await runs());
      const project = projectOfRun(folder);
      if (project === undefined) return;
      hidden = false;
      const { view, ready } = open(project);
      await ready;
      await view.show({ kind: "run", folder }, metric);
    },
    async showNewest() {
      hidden = false;
      await showAgain({ kind: "newest" });
    },
    async hide() {
      hidden = true;
      await showAgain({ kind: "none" });
    },
    runs,
    dispose() {
      clearInterval(timer);
      for (const view of all()) view.dispose();
    },
  };
}
