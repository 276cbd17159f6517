/**
 * The parts of `src/remote` that the editor uses, and what it reads of earlier runs to start one. Imported on first
 * need only (`await import("../remote.ts")`): it is a bundle of its own, because SSH is slow to load.
 */
export { diagnoseBoard } from "../board/doctor/diagnose.ts";
export { expectationOf, lastLineRun } from "../profile/lastRun.ts";
export { heaviestLines } from "../profile/totals.ts";
export { formatTarget, parseTarget } from "../remote/address.ts";
export { runCommand } from "../remote/board/runCommand.ts";
export { surveyBoard } from "../remote/board/survey.ts";
export { boardKeys } from "../remote/boardKeys.ts";
export { configuredHosts } from "../remote/configuredHosts.ts";
export { profileRun } from "../remote/profileRun.ts";
export { resumeRun } from "../remote/resumeRun.ts";
export { watchBoard } from "../remote/watch.ts";
