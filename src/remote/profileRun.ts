/** The life of a run: connect, prepare, sync, start, follow to its end. */
import { randomBytes } from "node:crypto";
import { realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";
import * as v from "valibot";
import { printableLines } from "../profile/text.ts";
import { UserError } from "../profile/userError.ts";
import type {
  MassifRequest,
  ProfileRequest,
  RunDependencies,
  RunEvent,
  RunHandle,
  TorchRequest,
} from "../protocol/board.ts";
import { formatTarget } from "./address.ts";
import {
  askBoard,
  type BoardSession,
  connectBoard,
  prepareBoard,
  type SessionDependencies,
  sessionDependencies,
} from "./board/session.ts";
import { callHelper } from "./helper/callHelper.ts";
import { boardSchema, type ProbeReply, startReply, versionsSchema } from "./helper/wire.ts";
import { preflight } from "./massifPreflight.ts";
import { follow } from "./run/follow.ts";
import { createMirror, type Mirror } from "./run/mirror.ts";
import { type RunBody, runHandle } from "./run/outcome.ts";
import { createProgressReader } from "./run/progress.ts";
import { syncProject } from "./sync/syncProject.ts";
import { torchNotes } from "./torchPreflight.ts";
import type { OpenTarget } from "./transport/openTarget.ts";
import type { Connection } from "./transport/transport.ts";

const START_LIMIT = 60_000;
const SAMPLE_INTERVAL = 200;
/** Seconds. */
const CHECKPOINT_INTERVAL = 10;
/** Seconds: a snapshot of a large model takes longer than massif's. */
const ALLOCATOR_CHECKPOINT_INTERVAL = 60;

/** `open` is how targets are reached; tests put a way in between that breaks when they say so. */
export function profileRun(request: ProfileRequest, deps: RunDependencies, open?: OpenTarget): RunHandle {
  return runHandle(deps.onEvent, (body) => profile(request, deps, open, body));
}

async function profile(
  request: ProfileRequest,
  deps: RunDependencies,
  open: OpenTarget | undefined,
  body: RunBody,
): Promise<"finished" | "lost"> {
  const emit = deps.onEvent;
  const { cancel } = body;
  const { early } = cancel;
  const entry = await checkEntry(request);
  const sessionDeps = sessionDependencies(deps, open);

  emit({ kind: "phase", phase: "connect" });
  const connection = await connectBoard(request.target, sessionDeps, early);
  try {
    emit({ kind: "phase", phase: "prepare" });
    const place = { target: request.target, python: request.python, boardFolder: request.boardFolder };
    const session = await apartFromHome(
      await prepareBoard(connection, place, deps.helperFolder, early),
      request.runsFolder,
    );
    const probe = await askBoard(session, early);
    tellProbe(probe, emit);
    checkEngine(request, probe, connection.name);
    tellTorch(request, probe, emit);
    await askAboutRisk(request, probe, connection.name, deps, body);

    emit({ kind: "phase", phase: "sync" });
    const project =
      request.target.kind === "local"
        ? { project_root: resolve(request.projectFolder) }
        : {
            project: await syncProject(connection, session.helper, { ...request, required: entry.script }, emit, early),
          };

    early.throwIfAborted();
    emit({ kind: "phase", phase: "start" });
    const id = newRunId(entry.stem);
    const boardFolder = `${session.helper.root}/runs/${id}`;
    const simulated = request.target.kind === "loopback";
    const mirror = await createMirror(request.runsFolder, id, {
      target: formatTarget(request.target),
      boardFolder,
      simulated,
    });
    body.setFolder(mirror.folder);
    const unsure = await start(session, { ...entry.wire, ...project, ...settings(request), id }, probe, mirror, body);
    if (unsure === undefined) emit({ kind: "started", id, folder: mirror.folder });

    emit({ kind: "phase", phase: "run" });
    return await followRun(session, mirror, id, { request, deps, sessionDeps, body, unsure });
  } finally {
    connection.close();
  }
}

/** Where the project is the home folder of the board itself, both sides would keep their run folders in one place. */
async function apartFromHome(session: BoardSession, runsFolder: string): Promise<BoardSession> {
  const { root } = session.helper;
  const real = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));
  const same = basename(runsFolder) === "runs" && (await real(dirname(runsFolder))) === (await real(root));
  return same ? { ...session, helper: { ...session.helper, root: `${root}/board` } } : session;
}

interface Entry {
  /** Relative to the project folder; undefined for a module. */
  readonly script: string | undefined;
  readonly stem: string;
  readonly wire: { readonly script: string } | { readonly module: string };
}

async function checkEntry({ entry, projectFolder }: ProfileRequest): Promise<Entry> {
  if (entry.kind === "module") {
    if (!/^[^\s/\\]+$/.test(entry.name) || entry.name.startsWith("-")) {
      throw new UserError(
        "bad-module",
        `"${entry.name}" is not the name of a Python module.`,
        "Write it as package.module.",
      );
    }
    return { script: undefined, stem: entry.name, wire: { module: entry.name } };
  }
  const full = resolve(projectFolder, entry.path);
  const inside = relative(resolve(projectFolder), full);
  if (inside === "" || inside.startsWith(`..${sep}`) || inside === ".." || isAbsolute(inside)) {
    throw new UserError(
      "script-outside",
      `${full} does not lie in the project folder ${projectFolder}.`,
      "Open the folder that holds the script, or name it as the project folder.",
    );
  }
  const found = await stat(full).catch(() => undefined);
  if (found?.isFile() !== true) {
    throw new UserError(
      "script-missing",
      `There is no script ${full}.`,
      "Save the file or check its name, then try again.",
    );
  }
  const script = inside.split(sep).join("/");
  return { script, stem: basename(script).replace(/\.py$/i, ""), wire: { script } };
}

function tellProbe(probe: ProbeReply, emit: (event: RunEvent) => void): void {
  emit({
    kind: "connected",
    board: v.parse(boardSchema, probe.board),
    versions: v.parse(versionsSchema, probe.versions),
  });
  for (const run of probe.runs) {
    const script = run.script === null ? "" : ` (${printableLines(run.script)})`;
    emit({
      kind: "warning",
      code: "another-run",
      message:
        `Another run is alive on the board: ${run.id}${script}. ` +
        "Its memory counts in the board's available memory too, and both runs are slower.",
    });
  }
}

function checkEngine(request: ProfileRequest, probe: ProbeReply, boardName: string): void {
  if (request.engine !== "memory_profiler" || probe.packages["memory_profiler"] != null) return;
  throw new UserError(
    "no-memory-profiler",
    `The package memory_profiler is not installed for the Python used on ${boardName}.`,
    "Install it there (python3 -m pip install memory_profiler), or choose the line engine.",
  );
}

function tellTorch({ torch }: ProfileRequest, probe: ProbeReply, emit: (event: RunEvent) => void): void {
  if (torch === undefined) return;
  for (const note of torchNotes(torch, v.parse(versionsSchema, probe.versions)["torch"])) {
    emit({ kind: "warning", ...note });
  }
}

/** Throws where the run cannot succeed, or where the person would rather not try. */
async function askAboutRisk(
  { massif }: ProfileRequest,
  probe: ProbeReply,
  name: string,
  { acceptRisk }: RunDependencies,
  { cancel }: RunBody,
): Promise<void> {
  if (massif === undefined) return;
  const { mem_available: memAvailable, swap_free: swapFree } = probe.memory;
  const facts = {
    name,
    board: v.parse(boardSchema, probe.board),
    versions: v.parse(versionsSchema, probe.versions),
    ...(memAvailable == null ? {} : { memAvailable }),
    ...(swapFree == null ? {} : { swapFree }),
    ...(probe.capabilities["gil"] === undefined ? {} : { gil: probe.capabilities["gil"] }),
  };
  const risk = preflight(massif, facts);
  if (risk !== undefined && !(await acceptRisk(risk))) cancel.request();
  cancel.early.throwIfAborted();
}

/** What the helper is told of a run under massif; a checkpoint is what a run that is killed leaves. */
function massifSettings(request: MassifRequest): object {
  return {
    threshold: request.threshold,
    depth: request.depth,
    pages_as_heap: request.pagesAsHeap,
    gpu: request.gpu,
    frames: request.frames,
    checkpoint_s: CHECKPOINT_INTERVAL,
    max_hits: request.maxHits,
    lines: request.lines.map(({ path, line }) => [path, line]),
  };
}

/** What the helper is told of what to record of PyTorch; a checkpoint is what a run that is killed leaves. */
function torchSettings({ exactPeaks, snapshots, model }: TorchRequest): object {
  return {
    exact_peaks: exactPeaks,
    snapshots: snapshots === undefined ? null : { ...snapshots, checkpoint_s: ALLOCATOR_CHECKPOINT_INTERVAL },
    model: model === undefined ? null : { steps: model.steps, trial: model.trial ?? null },
  };
}

function settings(request: ProfileRequest): object {
  return {
    args: request.args,
    cwd: null,
    engine: request.engine,
    exact: request.exact,
    accelerator: request.accelerator,
    env: request.environment,
    output_limit: request.outputLimit,
    interval_ms: SAMPLE_INTERVAL,
    moments_interval_ms: request.momentsIntervalMs,
    ...(request.massif === undefined ? {} : { massif: massifSettings(request.massif) }),
    ...(request.torch === undefined ? {} : { torch: torchSettings(request.torch) }),
  };
}

/** `YYYYMMDD-HHMMSS-<stem>-<4 hex>`, in UTC. */
export function newRunId(stem: string, now: Date = new Date()): string {
  const [date = "", time = ""] = now.toISOString().split("T");
  const readable = stem.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 60);
  const tail = randomBytes(2).toString("hex");
  return `${date.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${readable}-${tail}`;
}

/** Resolves with the error where nobody knows whether the script was started; rejects where it certainly was not. */
async function start(
  session: BoardSession,
  order: object,
  probe: ProbeReply,
  mirror: Mirror,
  body: RunBody,
): Promise<UserError | undefined> {
  const { connection, helper } = session;
  try {
    await callHelper(connection, {
      purpose: "the script was started",
      argv: helper.argv("start"),
      request: { root: helper.root, ...order, versions: probe.versions, board: probe.board },
      reply: startReply,
      // Not the early signal: a half-started run could not be cancelled.
      signal: body.cancel.abandoned,
      limit: START_LIMIT,
    });
    return undefined;
  } catch (error) {
    const unsure = ["helper-failed", "helper-timeout", "bad-reply", "connection-lost", "exec-failed", "no-shell"];
    if (error instanceof UserError && unsure.includes(error.code)) return error;
    // Let go of before the board answered: the script may be running, and its folder here is the way back to it.
    if (body.cancel.abandoned.aborted) throw error;
    await discard(mirror, body);
    throw error;
  }
}

async function discard(mirror: Mirror, body: RunBody): Promise<void> {
  await mirror.close();
  await rm(mirror.folder, { recursive: true, force: true });
  body.setFolder(undefined);
}

interface FollowContext {
  readonly request: ProfileRequest;
  readonly deps: RunDependencies;
  readonly sessionDeps: SessionDependencies;
  readonly body: RunBody;
  readonly unsure: UserError | undefined;
}

async function followRun(
  session: BoardSession,
  mirror: Mirror,
  runId: string,
  { request, deps, sessionDeps, body, unsure }: FollowContext,
): Promise<"finished" | "lost"> {
  const emit = deps.onEvent;
  const { massif } = request;
  const expectedHits = massif?.expected?.hits;
  const progress = createProgressReader(emit, {
    ...(massif === undefined ? {} : { underValgrind: true }),
    ...(expectedHits === undefined ? {} : { expectedHits }),
  });
  const reopen = (signal: AbortSignal): Promise<Connection> =>
    connectBoard(request.target, { ...sessionDeps, prompter: undefined }, signal);
  try {
    return await follow({
      session,
      task: { root: session.helper.root, runId, mirror, progress, input: body.input, emit },
      cancel: body.cancel,
      reach: body.reach,
      reopen,
    });
  } catch (error) {
    if (unsure !== undefined && error instanceof UserError && error.code === "no-such-run") {
      await discard(mirror, body);
      throw unsure;
    }
    throw error;
  } finally {
    await mirror.close();
  }
}
