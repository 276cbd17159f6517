/** Commands of the first minute that reach no board, loaded when the first of them is called. */
export { createSample, showSample } from "./createSample.ts";
export { showHeaviestLine } from "./heaviestLine.ts";
