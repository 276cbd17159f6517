/** What the Memory Runs view needs once it is seen or one of its commands is called; loaded then. */
export { arrangementOf, arrangeRows } from "../tree/arrangement.ts";
export { codeNodes } from "../tree/codeNodes.ts";
export { quickItem, treeItem } from "../tree/runItems.ts";
export { describeGroup } from "../words/describeRun.ts";
export { historyActions } from "./historyActions.ts";
export { pruneAfterRun } from "./pruneAfterRun.ts";
