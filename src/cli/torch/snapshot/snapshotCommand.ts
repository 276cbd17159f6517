/** `snapshot`: a snapshot of PyTorch's CUDA allocator as tables or JSON. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { defined } from "../../../profile/defined.ts";
import { colored, plain } from "../../../profile/lines/annotate.ts";
import { readRunHead } from "../../../profile/run/runHead.ts";
import { readSnapshotRecords, type SnapshotRecord } from "../../../profile/run/snapshotRecords.ts";
import { formatCount } from "../../../profile/text/format.ts";
import { UserError } from "../../../profile/userError.ts";
import { readSnapshotFile } from "../../../torch/node/readSnapshotFile.ts";
import { type DeviceMemory, deviceMemories } from "../../../torch/snapshot/deviceMemory.ts";
import { liveLines } from "../../../torch/snapshot/liveLines.ts";
import { createProjectFiles } from "../../../torch/snapshot/projectFiles.ts";
import { fromHelper } from "../../../words/fromHelper.ts";
import { t } from "../../../words/t.ts";
import { findRun } from "../../runs/runLookup.ts";
import { jsonText, type Output, showsColors } from "../../terminal/output.ts";
import type { MomentChoice, SnapshotCommand } from "./snapshotCommandLine.ts";
import { type DeviceReport, type SnapshotReport, snapshotJson } from "./snapshotJson.ts";
import { snapshotTables } from "./snapshotTables.ts";

/** @throws UserError */
export async function showSnapshot(command: SnapshotCommand, output: Output, env: NodeJS.ProcessEnv): Promise<void> {
  const { file, ...choice } = await fileOf(command.subject, command.project);
  const { snapshot, files, devices: all } = await opened(file);
  const devices = all.filter(({ device }) => command.device === undefined || device === command.device);
  if (devices.length === 0 && command.device !== undefined) throw noDevice(command.device, all);
  const other = command.compare === undefined ? undefined : await comparedWith(command.compare, command);
  const report: SnapshotReport = {
    path: file,
    ...choice,
    snapshot,
    files,
    devices: devices.flatMap((memory) => {
      const moment = momentOf(memory, command.at, devices.length > 1);
      if (moment === undefined) return [];
      const live = liveLines(snapshot, memory.allocations, moment, files);
      return [{ memory, moment, live, ...defined({ other: other?.of(memory.device) }) }];
    }),
    ...defined({ comparedWith: other?.file }),
    top: command.top,
  };
  if (report.devices.length === 0 && command.at === "oom") throw noOutOfMemory();
  const paint = showsColors(output, env) ? colored : plain;
  output.write(command.json ? jsonText(snapshotJson(report)) : snapshotTables(report, paint));
}

async function opened(file: string) {
  const head = await readRunHead(path.dirname(file)).catch(() => undefined);
  const files = createProjectFiles(head?.projectRoot);
  const snapshot = await readSnapshotFile(file);
  return { snapshot, files, devices: deviceMemories(snapshot) };
}

/** Another snapshot: `of` is what it has of a device at the moment of the same kind, undefined where it has none. */
async function comparedWith(subject: string, { project, at }: SnapshotCommand) {
  const { file } = await fileOf(subject, project);
  const { snapshot, files, devices } = await opened(file);
  return {
    file,
    of(device: number): DeviceReport | undefined {
      const memory = devices.find((candidate) => candidate.device === device);
      const moment = memory && momentOf(memory, at, true);
      if (memory === undefined || moment === undefined) return undefined;
      return { memory, moment, live: liveLines(snapshot, memory.allocations, moment, files) };
    },
  };
}

interface Choice {
  readonly file: string;
  /** Absent for a file that is of no run, or not told of. */
  readonly taken?: SnapshotRecord;
  readonly others: readonly string[];
}

/** A file, or the newest one of a run. */
async function fileOf(subject: string, project: string | undefined): Promise<Choice> {
  const stats = await fs.stat(subject).catch(() => undefined);
  if (stats?.isFile() === true || (stats === undefined && subject.endsWith(".pickle"))) {
    return { file: subject, others: [] };
  }
  const folder = await findRun(subject, path.resolve(project ?? "."));
  const { run, recordings } = await readRunHead(folder);
  const records = await readSnapshotRecords(folder);
  // One that is not told of yet came after those that are.
  const timeOf = (name: string) => records.get(name)?.t ?? Number.POSITIVE_INFINITY;
  const newest = recordings.snapshots.reduce<string | undefined>(
    (found, name) => (found === undefined || timeOf(name) >= timeOf(found) ? name : found),
    undefined,
  );
  if (newest === undefined) {
    const why = run.warnings.find(({ code }) => code === "allocator-snapshot-failed");
    throw new UserError(
      "no-snapshot",
      t("The run has no snapshot of PyTorch's allocator.{0}", why === undefined ? "" : ` ${fromHelper(why.message)}`),
      t('Profile with "--snapshots", on a board with PyTorch 1.13 or later; the script must use CUDA.'),
    );
  }
  const taken = records.get(newest);
  return {
    file: path.join(folder, newest),
    ...defined({ taken }),
    others: recordings.snapshots.filter((name) => name !== newest),
  };
}

/** Undefined where there is no such moment, but may be on another device. */
function momentOf(memory: DeviceMemory, at: MomentChoice, isOneOfMany: boolean): number | undefined {
  const { allocations, maximum, outOfMemory } = memory;
  if (at === "max") return maximum.moment;
  if (at === "end") return allocations.events;
  if (at === "oom") return outOfMemory.at(-1)?.moment;
  if (at <= allocations.events) return at;
  if (isOneOfMany) return allocations.events;
  throw new UserError(
    "no-such-moment",
    t(
      "The snapshot has {0} events of device {1}, not {2}.",
      formatCount(allocations.events),
      memory.device,
      formatCount(at),
    ),
    t('Give a smaller number to --at, or "end".'),
  );
}

function noDevice(device: number, all: readonly DeviceMemory[]): UserError {
  const numbers = all.map((memory) => memory.device);
  return new UserError(
    "no-such-device",
    t("The snapshot has nothing of device {0}.", device),
    numbers.length === 0 ? t("It has nothing of any device.") : t("It has these devices: {0}.", numbers.join(", ")),
  );
}

function noOutOfMemory(): UserError {
  return new UserError(
    "no-such-moment",
    t("No request for memory failed within the recorded events."),
    t('Use "--at max" for the moment at which most memory was held.'),
  );
}
