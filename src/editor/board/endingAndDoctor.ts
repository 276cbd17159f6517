/** The pages of a run's end and of Check Board; loaded on first need, as a bundle of its own. */
export { openDoctor } from "./doctor/doctorPanel.ts";
export { openEnding, restoreEnding, takeAdvice } from "./ending/endingPanel.ts";
