/** The life of a run: connect, prepare, sync, start, follow to its end. */

import { realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import * as v from "valibot";
import { defined } from "../../profile/defined.ts";
import { relativePath } from "../../profile/files/relativePath.ts";
import { printableLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { ProfileRequest, RunDependencies, RunEvent, RunHandle } from "../../protocol/run/run.ts";
import { keepGitState, readGitState } from "../../runs/gitState.ts";
import { writeGroup } from "../../runs/keeping.ts";
import { nextRunId, withFreeRunId } from "../../runs/runId.ts";
import { t } from "../../words/t.ts";
import { formatTarget } from "../address.ts";
import { type Entered, enterContainer, probeInside } from "../container/enter.ts";
import { formatInside } from "../container/place.ts";
import { boardSchema, type ProbeReply, versionsSchema } from "../helper/wire.ts";
import {
  askBoard,
  type BoardPlace,
  type BoardSession,
  connectBoard,
  prepareBoard,
  reopenBoard,
  type SessionDependencies,
  sessionDependencies,
} from "../session/session.ts";
import { lookAhead, type Offer, offerProject, type SyncRequest } from "../sync/offer.ts";
import { projectSlug, syncProject } from "../sync/syncProject.ts";
import type { OpenTarget } from "../transport/openTarget.ts";
import type { Connection } from "../transport/transport.ts";
import type { AttachEnd } from "./follow/attach.ts";
import { follow } from "./follow/follow.ts";
import { preflight } from "./massifPreflight.ts";
import { createMirror, type Mirror } from "./mirror/mirror.ts";
import { createProgressReader } from "./mirror/progress.ts";
import { type RunBody, runHandle } from "./outcome.ts";
import { NotStarted, startScript } from "./start.ts";
import { startSettings } from "./startSettings.ts";
import { torchNotes } from "./torchPreflight.ts";

/** Of those that are alive on the board. */
const MOST_RUNS_TOLD = 5;

/** `open` is how targets are reached; tests put a way in between that breaks when they say so. */
export function profileRun(request: ProfileRequest, deps: RunDependencies, open?: OpenTarget): RunHandle {
  return runHandle(deps.onEvent, (body) => profile(request, deps, open, body));
}

async function profile(
  request: ProfileRequest,
  deps: RunDependencies,
  open: OpenTarget | undefined,
  body: RunBody,
): Promise<AttachEnd> {
  const emit = deps.onEvent;
  const { cancel } = body;
  const { early } = cancel;
  const entry = await checkEntry(request);
  const sessionDeps = sessionDependencies(deps, open);
  const here = request.target.kind === "local";
  const whole: SyncRequest = { ...request, required: entry.script };
  const look = here ? undefined : lookAhead(whole, early);

  emit({ kind: "phase", phase: "connect" });
  const connection = await connectBoard(request.target, sessionDeps, early);
  const gitState = readGitState(request.projectFolder);
  let gitKept: Promise<void> | undefined;
  try {
    emit({ kind: "phase", phase: "prepare" });
    const board = await apartFromHome(
      await prepareBoard(connection, placeOf(request), sessionDeps, early),
      request.runsFolder,
    );
    const entered = await enter(board, request, sessionDeps, early);
    const session = entered?.session ?? board;
    const sync = here && (entered === undefined || entered.projectRoot !== undefined) ? undefined : whole;
    const programs = request.massif === undefined ? [] : (["valgrind"] as const);
    const probing =
      entered === undefined ? askBoard(board, early, programs) : probeInside(board, session, early, programs);
    // Both are under way while the board answers; what it lacks is sent when it is known that the run can be.
    const offer = sync && offerProject(session, projectSlug(request.projectFolder), sync, early, look);
    offer?.catch(() => {});
    const probe = await probing;
    tellProbe(probe, emit);
    checkEngine(request, probe, session.connection.name);
    tellTorch(request, probe, emit);
    const asked = await askAboutRisk(request, probe, session.connection.name, deps, body);
    // Files may be saved before an answer is given: they are looked at again.
    const first = asked ? undefined : offer;

    emit({ kind: "phase", phase: "sync" });
    const project =
      sync === undefined
        ? { project_root: entered?.projectRoot ?? resolve(request.projectFolder) }
        : { project: await sendProject(session, sync, first, request.target.kind, deps, body) };

    early.throwIfAborted();
    emit({ kind: "phase", phase: request.heap === undefined ? "start" : "trial" });
    const { id, mirror } = await beginMirror(request, entry.stem, board.helper.root);
    body.setFolder(mirror.folder);
    if (request.group !== undefined) await writeGroup(mirror.folder, request.group);
    // Nothing waits for git but the run's end.
    gitKept = keepGitState(mirror.folder, gitState);
    const order = {
      root: board.helper.root,
      ...defined({ container: entered?.order }),
      ...entry.wire,
      ...project,
      ...startSettings(request),
      id,
      versions: probe.versions,
      board: probe.board,
    };
    entered?.session.serving?.end();
    return await startAndFollow(board, order, mirror, { request, deps, sessionDeps, body });
  } finally {
    connection.close();
    await gitKept;
  }
}

/** Two programs may begin runs of one script within a millisecond. */
async function beginMirror(
  { runsFolder, target, inside }: ProfileRequest,
  stem: string,
  root: string,
): Promise<{ readonly id: string; readonly mirror: Mirror }> {
  const origin = {
    target: formatTarget(target),
    simulated: target.kind === "loopback",
    ...defined({ inside: inside && formatInside(inside) }),
  };
  return await withFreeRunId(
    runsFolder,
    (time) => nextRunId(runsFolder, stem, time),
    async (id) => ({
      id,
      mirror: await createMirror(runsFolder, id, { ...origin, boardFolder: `${root}/runs/${id}` }),
    }),
  );
}

/** The Python that a person names is that of the script, which is another one in a container. */
function placeOf({ target, inside, python, boardFolder }: ProfileRequest): BoardPlace {
  return { target, python: inside === undefined ? python : undefined, boardFolder };
}

async function enter(
  board: BoardSession,
  { target, inside, python, projectFolder }: ProfileRequest,
  source: SessionDependencies,
  signal: AbortSignal,
): Promise<Entered | undefined> {
  if (inside === undefined) return undefined;
  const project = target.kind === "local" ? resolve(projectFolder) : undefined;
  return await enterContainer(board, { place: inside, python, project, starts: true }, source, signal);
}

/** Where the project is the home folder of the board itself, both sides would keep their run folders in one place. */
async function apartFromHome(session: BoardSession, runsFolder: string): Promise<BoardSession> {
  const { root } = session.helper;
  const real = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));
  const same = basename(runsFolder) === "runs" && (await real(dirname(runsFolder))) === (await real(root));
  return same ? { ...session, helper: { ...session.helper, root: `${root}/board` } } : session;
}

/** A simulated board is this computer itself: nothing leaves it, and nobody is asked. */
async function sendProject(
  session: BoardSession,
  sync: SyncRequest,
  offered: Promise<Offer> | undefined,
  target: "ssh" | "loopback" | "local",
  { onEvent, maySend }: RunDependencies,
  { cancel }: RunBody,
): Promise<string> {
  const ask = target === "ssh" ? maySend : undefined;
  const project = await syncProject(session, sync, onEvent, cancel.early, ask, offered);
  if (project !== undefined) return project;
  cancel.request();
  throw cancel.early.reason;
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
        t('"{0}" is not the name of a Python module.', entry.name),
        t("Write it as package.module."),
      );
    }
    return { script: undefined, stem: entry.name, wire: { module: entry.name } };
  }
  const full = resolve(projectFolder, entry.path);
  const script = relativePath(resolve(projectFolder), full);
  if (!script) {
    throw new UserError(
      "script-outside",
      t("{0} is not in the project folder {1}.", full, projectFolder),
      t("Open the folder that holds the script, or name it as the project folder."),
    );
  }
  const found = await stat(full).catch(() => undefined);
  if (found?.isFile() !== true) {
    throw new UserError(
      "script-missing",
      t("There is no script {0}.", full),
      t("Save the file or check its name, then try again."),
    );
  }
  return { script, stem: basename(script).replace(/\.py$/i, ""), wire: { script } };
}

function tellProbe(probe: ProbeReply, emit: (event: RunEvent) => void): void {
  emit({
    kind: "connected",
    board: v.parse(boardSchema, probe.board),
    versions: v.parse(versionsSchema, probe.versions),
  });
  for (const run of probe.runs.slice(0, MOST_RUNS_TOLD)) {
    const named = run.script === null ? run.id : t("{0} ({1})", run.id, printableLines(run.script));
    emit({
      kind: "warning",
      code: "another-run",
      message: t(
        "Another run is alive on the board: {0}. Its memory counts in the board's available memory too, and both runs are slower.",
        named,
      ),
    });
  }
}

function checkEngine(request: ProfileRequest, probe: ProbeReply, boardName: string): void {
  if (request.engine !== "memory_profiler" || probe.packages["memory_profiler"] != null) return;
  throw new UserError(
    "no-memory-profiler",
    t("The package memory_profiler is not installed for the Python used on {0}.", boardName),
    t("Install it there (python3 -m pip install memory_profiler), or choose the line engine."),
  );
}

function tellTorch({ torch }: ProfileRequest, probe: ProbeReply, emit: (event: RunEvent) => void): void {
  if (torch === undefined) return;
  for (const note of torchNotes(torch, v.parse(versionsSchema, probe.versions)["torch"])) {
    emit({ kind: "warning", ...note });
  }
}

/** Throws where the run cannot succeed, or where the person would rather not try; tells whether somebody was asked. */
async function askAboutRisk(
  { massif }: ProfileRequest,
  probe: ProbeReply,
  name: string,
  { acceptRisk }: RunDependencies,
  { cancel }: RunBody,
): Promise<boolean> {
  if (massif === undefined) return false;
  const { mem_available: memAvailable, swap_free: swapFree } = probe.memory;
  const facts = {
    name,
    board: v.parse(boardSchema, probe.board),
    versions: v.parse(versionsSchema, probe.versions),
    ...(memAvailable == null ? {} : { memAvailable }),
    ...(swapFree == null ? {} : { swapFree }),
    ...defined({ gil: probe.capabilities["gil"], execMemory: probe.capabilities["exec_memory"] }),
  };
  const risk = preflight(massif, facts);
  if (risk === undefined) return false;
  if (!(await acceptRisk(risk))) cancel.request();
  cancel.early.throwIfAborted();
  return true;
}

async function discard(mirror: Mirror, body: RunBody): Promise<void> {
  await mirror.close();
  // Again where git's state was written meanwhile.
  await rm(mirror.folder, { recursive: true, force: true, maxRetries: 3 });
  body.setFolder(undefined);
}

interface FollowContext {
  readonly request: ProfileRequest;
  readonly deps: RunDependencies;
  readonly sessionDeps: SessionDependencies;
  readonly body: RunBody;
}

/** `order` is what the helper's `start` is told. */
async function startAndFollow(
  session: BoardSession,
  order: { readonly root: string; readonly id: string },
  mirror: Mirror,
  { request, deps, sessionDeps, body }: FollowContext,
): Promise<AttachEnd> {
  const emit = deps.onEvent;
  const { cancel } = body;
  const reopen = (signal: AbortSignal): Promise<Connection> =>
    reopenBoard(placeOf(request), session.helper, sessionDeps, signal);
  let unsure: UserError | undefined;
  try {
    const started = await startScript(session, order, { cancel, emit, reopen });
    started.session.serving?.end();
    unsure = started.unsure;
    const tellStarted = (): void => emit({ kind: "started", id: order.id, folder: mirror.folder });
    if (unsure === undefined) tellStarted();

    emit({ kind: "phase", phase: "run" });
    return await follow({
      session: started.session,
      task: {
        root: order.root,
        runId: order.id,
        mirror,
        progress: createProgressReader(emit, progressBase(request)),
        input: body.input,
        emit,
      },
      cancel,
      reach: body.reach,
      reopen,
      onFound: unsure === undefined ? () => {} : tellStarted,
    });
  } catch (error) {
    if (error instanceof NotStarted) {
      await discard(mirror, body);
      throw error.error;
    }
    if (unsure !== undefined && error instanceof UserError && error.code === "no-such-run") {
      await discard(mirror, body);
      cancel.early.throwIfAborted();
      throw unsure;
    }
    throw error;
  } finally {
    await mirror.close();
  }
}

function progressBase({ massif }: ProfileRequest): Parameters<typeof createProgressReader>[1] {
  const expectedHits = massif?.expected?.hits;
  return {
    ...(massif === undefined ? {} : { underValgrind: true }),
    ...defined({ expectedHits }),
  };
}
