/** What is known of the commands that look at a board. */
import { phrase } from "../../../words/t.ts";
import type { CommandDescription } from "./model.ts";
import {
  AGENT,
  BOARD_FOLDER_OPTION,
  COLORS,
  PYTHON_OPTION,
  QUIET_OPTION,
  RUN,
  RUN_OPTIONS,
  SCRIPT_EXIT,
  SINCE_OPTION,
  TARGET_OPTION,
} from "./shared.ts";

export const DOCTOR = {
  name: "doctor",
  summary: phrase("check a board: what it is, what it has, and what to do where something is missing"),
  synopses: ["--target TARGET [options]"],
  about: [phrase("Nothing on the board is changed, but that our helper is put there. See docs/check-board.md.")],
  options: {
    target: TARGET_OPTION,
    in: {
      kind: "value",
      value: "PLACE",
      says: phrase("look into the container in which scripts run too: container:NAME or image:NAME:TAG"),
    },
    python: PYTHON_OPTION,
    "board-folder": BOARD_FOLDER_OPTION,
    json: { kind: "flag", says: phrase("print the report as one JSON object") },
    fix: {
      kind: "value",
      value: "LINE",
      says: phrase("show the command for a line of the report, ask, and run it on the board"),
    },
  },
  examples: [
    ["doctor --target nano", phrase("what the board has and lacks")],
    ["doctor --target nano --fix swap", phrase("more swap, after asking")],
  ],
  exit: [
    ["0", phrase("the report was made, whatever it says")],
    ["0 to 255", phrase("with --fix: the command's own")],
    ["130", phrase("with --fix: you said no")],
  ],
  environment: [...COLORS, ...AGENT],
  json: "command-line.md#checking-a-board",
} as const satisfies CommandDescription;

export const WATCH_INTERVAL = { least: 0.25, most: 60, usual: 1 };

export const WATCH = {
  name: "watch",
  summary: phrase("print a board's memory, a line each time it was read, until Ctrl-C"),
  synopses: ["--target TARGET [options]"],
  options: {
    target: TARGET_OPTION,
    python: PYTHON_OPTION,
    "board-folder": BOARD_FOLDER_OPTION,
    interval: {
      kind: "value",
      value: "SECONDS",
      says: phrase("how often, from {0} to {1}", WATCH_INTERVAL.least, WATCH_INTERVAL.most),
      default: String(WATCH_INTERVAL.usual),
    },
    json: { kind: "flag", says: phrase("print the records as JSON, a line each") },
  },
  examples: [["watch --target nano --interval 5", phrase("every 5 s")]],
  environment: AGENT,
  json: "run-folder.md#momentsjsonl",
} as const satisfies CommandDescription;

const MOVED_TARGET = {
  kind: "value",
  value: "TARGET",
  says: phrase("where the board is reached now, after its address has changed (kept once the run is found there)"),
} as const;

export const CANCEL = {
  name: "cancel",
  summary: phrase("end a run on its board, and bring home what it measured until then"),
  synopses: ["RUN [options]"],
  about: [phrase("Ends also what is left of a run whose helper on the board has died.")],
  words: [RUN],
  options: {
    project: RUN_OPTIONS.project,
    target: MOVED_TARGET,
    python: PYTHON_OPTION,
    "board-folder": BOARD_FOLDER_OPTION,
    quiet: QUIET_OPTION,
  },
  examples: [["cancel last", phrase("the run that was started last")]],
  exit: [["0", phrase("the run has ended, now or before")]],
  environment: AGENT,
} as const satisfies CommandDescription;

export const ATTACH = {
  name: "attach",
  summary: phrase("follow a run that this computer lost contact with until it ends, then print it"),
  synopses: ["RUN [options]"],
  words: [RUN],
  options: {
    ...RUN_OPTIONS,
    once: {
      kind: "flag",
      says: phrase("bring home what there is now, print it, and leave the run going on; for scripts that never end"),
    },
    since: SINCE_OPTION,
    target: MOVED_TARGET,
    python: PYTHON_OPTION,
    "board-folder": BOARD_FOLDER_OPTION,
    quiet: QUIET_OPTION,
  },
  examples: [
    ["attach last --target nano@192.168.1.31", phrase("the board has another address now")],
    ["attach last --once --since=-10m", phrase("what a server's lines took in the last ten minutes; it goes on")],
  ],
  exit: SCRIPT_EXIT,
  environment: AGENT,
  json: "command-line.md#json",
} as const satisfies CommandDescription;
