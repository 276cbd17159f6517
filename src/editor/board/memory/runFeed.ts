/** The records of a run, out of its folder: all that is there, and what is added while the run goes on. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { defined } from "../../../profile/defined.ts";
import { type AppendedFile, appended } from "../../../profile/files/fileReading.ts";
import { readGpuSummaries } from "../../../profile/gpu/gpuFiles.ts";
import type { BoardIdentity, RunInfo, RunOrigin } from "../../../profile/model.ts";
import { placeName } from "../../../profile/run/origin.ts";
import { readRunHead } from "../../../profile/run/runHead.ts";
import { runTitle } from "../../../profile/run/runJson.ts";
import type { PhaseCost } from "../../../profile/torch/phases.ts";
import { UserError } from "../../../profile/userError.ts";
import type { ToMemoryPage } from "../../../protocol/board/memory.ts";
import { t } from "../../../words/t.ts";
import { messageOf } from "../../report/asUserError.ts";
import { type MemoryFeed, recordMessages } from "./memoryFeed.ts";

export interface RunFeedParts {
  /** How this window stands to the run: records come only over a connection. */
  readonly connectionTo: (folder: string) => RunConnection;
  readonly describe: (board: BoardIdentity) => string | undefined;
  /** Massif's peak of a run that is over; undefined where it is not known. */
  readonly massifPeak: (folder: string) => Promise<MassifPeak | undefined>;
  readonly phases: (folder: string) => Promise<readonly PhaseCost[]>;
}

/** `lost`: it is tried again by itself. `none`: the window does not follow the run. */
export type RunConnection = "open" | "lost" | "none";

interface MassifPeak {
  readonly bytes: number;
  readonly pages: boolean;
}

const REFRESH_MS = 1_000;
const noRecord = () =>
  t(
    "This run has no record of the board's memory. It was made by an earlier version, or its folder was changed. " +
      "Profile the script again.",
  );
const deleted = () => t("The run was deleted: its folder is no longer there. Profile the script again.");
const CUT_OFF: Readonly<Record<Exclude<RunConnection, "open">, () => string>> = {
  lost: () =>
    t(
      "Connection lost, the run continues on the board. " +
        "VS Code keeps trying to reconnect. Records made meanwhile are fetched then.",
    ),
  none: () =>
    t(
      "No records are coming, because this window is not connected to the run. " +
        'Choose "Reattach to Run" on its row in Memory Runs.',
    ),
};

/** @param folder the run folder at home */
export function createRunFeed(folder: string, parts: RunFeedParts, refreshMs = REFRESH_MS): MemoryFeed {
  return {
    listen(send) {
      const reading = readRun(folder, parts, send);
      let over = false;
      let timer: NodeJS.Timeout | undefined;
      const go = async (): Promise<void> => {
        const goesOn = await reading.next(() => over);
        if (goesOn && !over) timer = setTimeout(go, refreshMs);
      };
      void go();
      return {
        dispose() {
          over = true;
          clearTimeout(timer);
        },
      };
    },
  };
}

interface RunReading {
  /** Sends what is new; false where nothing more can come. */
  next(over: () => boolean): Promise<boolean>;
}

function readRun(folder: string, parts: RunFeedParts, send: (message: ToMemoryPage) => void): RunReading {
  const file = path.join(folder, "moments.jsonl");
  let lines: string[] = [];
  let begun = false;
  let waits = false;
  let said: RunConnection = "open";
  let massif: MassifPeak | undefined;
  let phasesSaid = "[]";
  const anew = (): void => {
    lines = [];
    begun = false;
    phasesSaid = "[]";
  };
  const open = (): AppendedFile => appended(file, { restart: anew, line: (text) => lines.push(text) });
  let moments = open();

  async function read(over: () => boolean): Promise<boolean> {
    // First: what was recorded before the run ended is then read for certain.
    const { run, origin, rssPeak } = await readRunHead(folder);
    await moments.read();
    if (over()) return false;
    if (!begun && lines.length === 0) return sayMissing(run);
    if (!begun) send(startOf(run, origin));
    begun = true;
    const messages = recordMessages(lines);
    for (const message of messages) send(message);
    lines = [];
    await sayPhases(over);
    if (run.state === "running") {
      sayCutOff(messages.length > 0);
      return true;
    }
    if (run.engine.name === "massif" && massif === undefined) {
      // Massif's files may be large: what is recorded is shown first, and once more with their peak.
      massif = await parts.massifPeak(folder);
      if (massif !== undefined) {
        moments = open();
        anew();
        return read(over);
      }
    }
    const ended = await endOf(rssPeak, run);
    if (!over()) send(ended);
    return false;
  }

  async function endOf(rssPeak: number | undefined, run: RunInfo): Promise<ToMemoryPage> {
    const gpu = await readGpuSummaries(folder, run);
    return { kind: "ended", ...defined({ rssPeak }), ...(gpu.length > 0 && { gpu }) };
  }

  async function sayPhases(over: () => boolean): Promise<void> {
    const costs = await parts.phases(folder);
    const text = JSON.stringify(costs);
    if (text === phasesSaid || over()) return;
    phasesSaid = text;
    send({ kind: "phases", costs });
  }

  /** Another window may be connected: what comes ends what was said. */
  function sayCutOff(recordsCame: boolean): void {
    const connection = recordsCame ? "open" : parts.connectionTo(folder);
    if (connection !== "open" && connection !== said) send({ kind: "waiting", message: CUT_OFF[connection]() });
    said = connection;
  }

  function sayMissing(run: RunInfo): boolean {
    if (run.state === "finished") {
      send({ kind: "unavailable", message: noRecord() });
      return false;
    }
    if (!waits) send({ kind: "waiting", message: t("The run has recorded nothing of the board's memory yet.") });
    waits = true;
    return true;
  }

  function startOf(run: RunInfo, origin: RunOrigin | undefined): ToMemoryPage {
    const board = parts.describe(run.board);
    const simulated = run.board.simulated ?? (origin?.simulated ? t("this computer, over SSH") : undefined);
    return {
      kind: "start",
      title: runTitle(run),
      source: "run",
      ...(board && { board: placeName(origin?.inside, board) }),
      ...(simulated && { simulated }),
      ...(massif && { massif }),
    };
  }

  return {
    async next(over) {
      try {
        return await read(over);
      } catch (error) {
        const isThere = await isFolder(folder);
        if (!over()) send({ kind: "unavailable", message: isThere ? messageOf(error) : deleted() });
        // A run that only begins has no run.json yet.
        return isThere && error instanceof UserError && error.code === "not-a-run";
      }
    },
  };
}

async function isFolder(folder: string): Promise<boolean> {
  return (await fs.stat(folder).catch(() => undefined))?.isDirectory() === true;
}
