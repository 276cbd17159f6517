/**
 * The parts of `src/remote` that the editor uses, and what it reads of earlier runs to start one. Imported on first
 * need only (`await import("../remote.ts")`): it is a bundle of its own, because SSH is slow to load.
 */
export { diagnoseBoard } from "../board/doctor/diagnose.ts";
export { heaviestLines } from "../profile/lines/totals.ts";
export { expectationOf, lastLineRun } from "../profile/run/lastRun.ts";
export { formatTarget, parseTarget } from "../remote/address.ts";
export { boardKeys } from "../remote/boardKeys.ts";
export { namedBoards } from "../remote/boardNames.ts";
export { configuredHosts } from "../remote/configuredHosts.ts";
export { listContainers } from "../remote/container/list.ts";
export { parseInside } from "../remote/container/place.ts";
export { profileRun } from "../remote/run/profileRun.ts";
export { resumeRun } from "../remote/run/resumeRun.ts";
export { runCommand } from "../remote/session/runCommand.ts";
export { surveyBoard } from "../remote/session/survey.ts";
export { machineOf } from "../remote/ssh/hostName.ts";
export { watchBoard } from "../remote/watch.ts";
