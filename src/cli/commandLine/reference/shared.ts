/** Options and words that several commands have alike. */

import { METRICS } from "../../../profile/model.ts";
import { phrase } from "../../../words/t.ts";
import type { Fact, OptionDescription, WordDescription } from "./model.ts";

export const JSON_OPTION = { kind: "flag", says: phrase("print one JSON object and nothing else") } as const;

export const PROJECT_OPTION = {
  kind: "value",
  value: "FOLDER",
  says: phrase("where runs are looked for"),
  default: phrase("the current folder"),
} as const satisfies OptionDescription;

/** Of every command that reads one run. */
export const RUN_OPTIONS = { json: JSON_OPTION, project: PROJECT_OPTION } as const;

export const RUN: WordDescription = {
  name: "RUN",
  says: phrase('a run\'s folder, its id or name or the beginning of it, or "last"'),
};

export const TARGET_OPTION = {
  kind: "value",
  value: "TARGET",
  says: phrase(
    "the board: ssh://user@host[:port], user@host, a name of ~/.ssh/config, local (this computer) or loopback " +
      "(a simulated board: this computer, over SSH)",
  ),
} as const satisfies OptionDescription;

export const INSIDE_OPTIONS = {
  in: {
    kind: "value",
    value: "PLACE",
    says: phrase(
      "run the script in a container on the board: container:NAME, which runs there, or image:NAME:TAG, of which one is made for the run",
    ),
    default: phrase("on the board itself"),
  },
  "container-option": {
    kind: "list",
    value: "OPTION",
    says: phrase(
      "an option for the engine's run, where the container is made of an image, such as a limit of its memory; may be given several times",
    ),
  },
} as const satisfies Record<string, OptionDescription>;

export const PYTHON_OPTION = {
  kind: "value",
  value: "PYTHON",
  says: phrase("the interpreter on the board: a name, a path or the folder of a virtual environment"),
  default: phrase("the first of 3.6 or newer that is found there"),
} as const satisfies OptionDescription;

export const BOARD_FOLDER_OPTION = {
  kind: "value",
  value: "FOLDER",
  says: phrase("where everything of ours is kept on the board, such as /data/jetson-memprof"),
  default: phrase("~/.jetson-memprof there"),
} as const satisfies OptionDescription;

export const METRIC_OPTION = {
  kind: "value",
  value: "METRIC",
  says: phrase(
    "which memory stands beside the lines, where the run has it: rss (the process's own), cuda (PyTorch's on the " +
      "GPU), system (the whole board's) or all",
  ),
  default: "rss",
  choices: [...METRICS, "all"],
} as const satisfies OptionDescription;

export const ONE_METRIC_OPTION = {
  kind: "value",
  value: "METRIC",
  says: phrase(
    "which figures are compared: rss (the process's own), cuda (PyTorch's on the GPU) or system (the board's)",
  ),
  default: "rss",
  choices: METRICS,
} as const satisfies OptionDescription;

export const SINCE_OPTION = {
  kind: "value",
  value: "TIME",
  says: phrase(
    "what the lines took since this time of the run (90s, 5m, 1.5h), or since so long before its last record (-10m)",
  ),
} as const satisfies OptionDescription;

export const QUIET_OPTION = {
  kind: "flag",
  says: phrase("no progress and no notes, only the script's output and the figures"),
} as const;

export const EXCLUDE_OPTION = {
  kind: "list",
  value: "PATTERN",
  says: phrase("leave files out that match, as in .gitignore; may be given several times"),
} as const satisfies OptionDescription;

export const ENV_OPTION = {
  kind: "list",
  value: "NAME=VALUE",
  says: phrase("set a variable for the script; may be given several times"),
} as const satisfies OptionDescription;

/** Every command's; `profile` and what makes runs add the script's own. */
export const EXIT: readonly Fact[] = [
  ["0", phrase("done")],
  ["64", phrase("the command line is wrong; the message says where")],
  ["70", phrase("it could not be done; the message says why and what to do next")],
];

export const SCRIPT_EXIT: readonly Fact[] = [
  ["0 to 255", phrase("the script's own")],
  ["128 + N", phrase("signal N ended the script, as 137 for SIGKILL")],
  ["130", phrase("you cancelled with Ctrl-C")],
];

export const COLORS: readonly Fact[] = [
  ["NO_COLOR", phrase("set to anything: no colors")],
  ["TERM", phrase("dumb: no colors")],
];

export const AGENT: readonly Fact[] = [["SSH_AUTH_SOCK", phrase("where the SSH agent listens that has your keys")]];
