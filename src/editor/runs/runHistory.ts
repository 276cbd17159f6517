/** What the Memory Runs view needs once it is seen or one of its commands is called; loaded then. */
export { arrangementOf, arrangeRows } from "./arrangement.ts";
export { codeNodes } from "./codeNodes.ts";
export { describeGroup } from "./describeRun.ts";
export { historyActions } from "./historyActions.ts";
export { pruneAfterRun } from "./pruneAfterRun.ts";
export { quickItem, treeItem } from "./runItems.ts";
