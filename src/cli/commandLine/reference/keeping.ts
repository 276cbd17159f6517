/** What is known of `runs`, and of the commands beside the measuring. */

import { IMPORT_FORMATS } from "../../../profile/model.ts";
import { ORDERS } from "../../../runs/list/arrange.ts";
import { DEFAULT_LIMITS } from "../../../runs/pruning/prune.ts";
import { phrase, verbatim } from "../../../words/t.ts";
import type { CommandDescription } from "./model.ts";
import { JSON_OPTION, ONE_METRIC_OPTION, PROJECT_OPTION, RUN, RUN_OPTIONS } from "./shared.ts";

export const RUNS = {
  name: "runs",
  summary: phrase("list the runs of a project, pinned ones first"),
  synopses: ["[options]"],
  options: {
    sort: { kind: "value", value: "ORDER", says: verbatim(ORDERS.join(", ")), default: "newest", choices: ORDERS },
    filter: {
      kind: "value",
      value: "TEXT",
      says: phrase("only runs that say this: in the name, note, script, target, outcome, commit or a tag"),
    },
    tag: { kind: "value", value: "TAG", says: phrase("only runs with this tag") },
    json: JSON_OPTION,
    project: PROJECT_OPTION,
  },
  examples: [["runs --sort peak --filter train.py", phrase('those that say "train.py", highest peak first')]],
  json: "command-line.md#the-history-of-runs",
} as const satisfies CommandDescription;

const OF_PROJECT = { project: PROJECT_OPTION } as const;

export const RUNS_NAME = {
  name: "runs name",
  summary: phrase("give a run a name"),
  synopses: ["RUN NAME [options]"],
  words: [RUN, { name: "NAME", says: phrase("quoted where it has spaces") }],
  options: OF_PROJECT,
  examples: [["runs name last baseline", phrase('"baseline" stands for the run from now on')]],
} as const satisfies CommandDescription;

export const RUNS_NOTE = {
  name: "runs note",
  summary: phrase("keep a note on a run"),
  synopses: ["RUN NOTE [options]"],
  words: [
    RUN,
    {
      name: "NOTE",
      says: phrase('quoted where it has spaces; "" takes it away; after -- where it begins with a dash'),
    },
  ],
  options: OF_PROJECT,
  examples: [["runs note last fits-with-batch-8", phrase("a note on the newest run")]],
} as const satisfies CommandDescription;

export const RUNS_TAG = {
  name: "runs tag",
  summary: phrase("add tags to a run, take them away"),
  synopses: ["RUN +TAG -TAG … [options]"],
  words: [RUN, { name: "+TAG", says: phrase("adds a tag; -TAG takes it away") }],
  options: OF_PROJECT,
  examples: [["runs tag last +fp16 -draft", phrase("add one, take one away")]],
} as const satisfies CommandDescription;

export const RUNS_PIN = {
  name: "runs pin",
  summary: phrase("never prune a run, list it first"),
  synopses: ["RUN [options]"],
  words: [RUN],
  options: OF_PROJECT,
  examples: [["runs pin last", phrase("the newest run")]],
} as const satisfies CommandDescription;

export const RUNS_UNPIN = {
  name: "runs unpin",
  summary: phrase("take the pin off a run"),
  synopses: ["RUN [options]"],
  words: [RUN],
  options: OF_PROJECT,
  examples: [["runs unpin last", phrase("the newest run")]],
} as const satisfies CommandDescription;

export const RUNS_DELETE = {
  name: "runs delete",
  summary: phrase("delete a run; runs restore brings it back"),
  synopses: ["RUN [options]"],
  words: [RUN],
  options: OF_PROJECT,
  examples: [["runs delete 20261121-1047", phrase("by the beginning of its id")]],
} as const satisfies CommandDescription;

export const RUNS_DELETED = {
  name: "runs deleted",
  summary: phrase("list what can be restored"),
  synopses: ["[options]"],
  options: OF_PROJECT,
  examples: [["runs deleted", phrase("of the current folder")]],
} as const satisfies CommandDescription;

export const RUNS_RESTORE = {
  name: "runs restore",
  summary: phrase("bring a deleted run back"),
  synopses: ["RUN [options]"],
  words: [RUN],
  options: OF_PROJECT,
  examples: [["runs restore last", phrase("the one deleted last")]],
} as const satisfies CommandDescription;

export const RUNS_PRUNE = {
  name: "runs prune",
  summary: phrase("delete the oldest runs above a number or a size"),
  synopses: ["[options]"],
  about: [phrase("A run that is pinned, in progress or unreadable is kept, and so is the newest.")],
  options: {
    "max-runs": {
      kind: "value",
      value: "N",
      says: phrase("how many are kept; 0 for any number"),
      default: String(DEFAULT_LIMITS.maxRuns),
    },
    "max-size": {
      kind: "value",
      value: "SIZE",
      says: phrase("how much disk they may take, as 500MiB; 0 for any size"),
      default: `${DEFAULT_LIMITS.maxBytes / 2 ** 30}GiB`,
    },
    "dry-run": { kind: "flag", says: phrase("list what would be deleted") },
    ...OF_PROJECT,
  },
  examples: [["runs prune --max-runs 100 --max-size 1GiB --dry-run", phrase("only list what would go")]],
} as const satisfies CommandDescription;

export const IMPORT = {
  name: "import",
  summary: phrase("make runs of other tools' files"),
  synopses: ["FILE... [options]"],
  about: [
    phrase(
      "Reports of memory_profiler, mprof .dat, massif.out, tracemalloc snapshots, Scalene's JSON, memray (table, csv, " +
        "stats --json), tegrastats logs and our own exports. See docs/import.md.",
    ),
  ],
  words: [{ name: "FILE", says: phrase("what the other tool wrote") }],
  options: {
    format: {
      kind: "value",
      value: "FORMAT",
      says: phrase("which tool wrote it: {0}", IMPORT_FORMATS.join(", ")),
      default: phrase("by the file's content"),
      choices: IMPORT_FORMATS,
    },
    file: {
      kind: "value",
      value: "PATH",
      says: phrase("the project's file that the figures belong to, where the report does not say"),
    },
    name: { kind: "value", value: "NAME", says: phrase("what the run is called") },
    interval: {
      kind: "value",
      value: "MS",
      says: phrase("of a tegrastats log whose lines have no times: milliseconds between them, 1 to 3600000"),
      default: "1000",
    },
    project: { ...PROJECT_OPTION, says: phrase("the project that gets the runs") },
  },
  examples: [["import mprofile_20261121.dat --name before", phrase("an mprof file as a run")]],
} as const satisfies CommandDescription;

export const CHECK = {
  name: "check",
  summary: phrase("check whether a run keeps limits on its memory, for CI"),
  synopses: ["[RUN] --max-peak SIZE | --max-line SIZE | … [options]"],
  about: [phrase("SIZE is as 3.2GiB or 500MiB (binary units) or 3.4GB (decimal). See docs/gate.md.")],
  words: [
    {
      ...RUN,
      says: phrase(
        'a run\'s folder, its id or name or the beginning of it, or "last"; the newest where it is left out',
      ),
    },
  ],
  options: {
    "max-peak": { kind: "value", value: "SIZE", says: phrase("what the run may hold at most") },
    "max-line": { kind: "value", value: "SIZE", says: phrase("what any line alone may take and keep") },
    "max-peak-growth": {
      kind: "value",
      value: "SIZE",
      says: phrase("by how much the peak may grow against the baseline"),
    },
    "max-line-growth": {
      kind: "value",
      value: "SIZE",
      says: phrase("by how much any line may grow against the baseline"),
    },
    baseline: {
      kind: "list",
      value: "RUN",
      says: phrase("the run to compare with, also a folder from elsewhere; with its repeats, or given several times"),
    },
    metric: ONE_METRIC_OPTION,
    strict: { kind: "flag", says: phrase("growth that may be noise fails too") },
    junit: { kind: "value", value: "FILE", says: phrase("write a JUnit report") },
    sarif: { kind: "value", value: "FILE", says: phrase("write a SARIF report") },
    "code-quality": { kind: "value", value: "FILE", says: phrase("write a report for GitLab's code quality") },
    annotations: {
      kind: "value",
      value: "WHERE",
      says: phrase("github, none or auto (github where its Actions run this)"),
      default: "auto",
      choices: ["auto", "github", "none"],
    },
    ...RUN_OPTIONS,
  },
  examples: [
    ["check --max-peak 3.2GiB", phrase("a limit for the newest run")],
    ["check --max-peak-growth 50MiB --baseline main-run", phrase("against another run")],
  ],
  exit: [
    ["0", phrase("all limits are kept")],
    ["1", phrase("a limit is broken or the script failed")],
    ["2", phrase("something could not be judged")],
  ],
  environment: [
    ["GITHUB_ACTIONS", phrase("true: marks lines of the pull request, unless --annotations says otherwise")],
    ["GITHUB_STEP_SUMMARY", phrase("the file that GitHub shows as the step's summary")],
    ["GITHUB_WORKSPACE, CI_PROJECT_DIR", phrase("the checked-out repository, to which paths in reports are relative")],
  ],
  json: "gate.md",
} as const satisfies CommandDescription;

export const LSP = {
  name: "lsp",
  summary: phrase("a language server that shows runs in editors other than VS Code, which start it"),
  synopses: ["[options]"],
  about: [phrase("docs/editors.md says how for Neovim, Helix and Emacs.")],
  options: {
    stdio: {
      kind: "flag",
      says: phrase("speak over standard input and output, as it always does: many editors say it"),
    },
    clientProcessId: {
      kind: "value",
      value: "PID",
      says: phrase("the editor's process, as some editors say; not used"),
    },
  },
  examples: [["lsp", phrase("as an editor starts it")]],
} as const satisfies CommandDescription;

export const METRICS_COMMAND = {
  name: "metrics",
  summary: phrase("an exporter: answers Prometheus for the runs of a project, until Ctrl-C"),
  synopses: ["[options]"],
  about: [phrase("docs/scale.md has the figures, and what to write into prometheus.yml.")],
  options: {
    listen: {
      kind: "value",
      value: "HOST:PORT",
      says: phrase("where it answers; others than this computer can read it where that is no address of its own alone"),
      default: "127.0.0.1:9464",
    },
    runs: { kind: "value", value: "N", says: phrase("how many runs it answers for, the newest"), default: "50" },
    project: PROJECT_OPTION,
  },
  examples: [["metrics --listen 0.0.0.0:9464", phrase("for a Prometheus on another computer")]],
} as const satisfies CommandDescription;

export const SHELLS = ["bash", "zsh", "fish"] as const;

export const COMPLETION = {
  name: "completion",
  summary: phrase("print a script that makes a shell complete commands and options"),
  synopses: ["SHELL"],
  about: [
    phrase(
      'bash, in ~/.bashrc: eval "$(jetson-memprof completion bash)". zsh, in ~/.zshrc after compinit: eval ' +
        '"$(jetson-memprof completion zsh)". fish, in config.fish: jetson-memprof completion fish | source.',
    ),
  ],
  words: [{ name: "SHELL", says: verbatim(SHELLS.join(", ")), choices: SHELLS }],
  options: {},
  examples: [["completion bash", phrase("for bash")]],
} as const satisfies CommandDescription;
