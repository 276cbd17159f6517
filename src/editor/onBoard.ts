/**
 * Commands that reach a board, loaded when the first of them is called. One bundle for all, because questions to the
 * person stand in one queue for the whole window.
 */
export { boardOf } from "./board/doctorBoard.ts";
export { checkBoard } from "./board/doctorCommand.ts";
export { watchMemory } from "./board/watchCommand.ts";
export { planRun, profileCommand, profileScript } from "./run/profileCommand.ts";
export { reattachCommand, reattachLeft } from "./run/reattachCommand.ts";
export { takeSnapshot } from "./run/snapshotCommand.ts";
export { verifyKey } from "./start/verifyKey.ts";
export { selectTarget } from "./targets/targetPicker.ts";
