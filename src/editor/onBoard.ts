/**
 * Commands that reach a board, loaded when the first of them is called. One bundle for all, because questions to the
 * person stand in one queue for the whole window.
 */
export { boardOf } from "./board/doctor/doctorBoard.ts";
export { checkBoard } from "./board/doctor/doctorCommand.ts";
export { watchMemory } from "./board/memory/watchCommand.ts";
export { pickBoards } from "./connect/boardsPicker.ts";
export { chooseContainer } from "./connect/chooseContainer.ts";
export { choosePython } from "./connect/choosePython.ts";
export { selectTarget } from "./connect/targetPicker.ts";
export { planRun, profileAgain, profileCommand, profileScript } from "./run/profileCommand.ts";
export { reattachCommand, reattachLeft } from "./run/reattachCommand.ts";
export { takeSnapshot } from "./run/snapshotCommand.ts";
export { verifyKey } from "./start/verifyKey.ts";
