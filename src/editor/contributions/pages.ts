/** The pages that are tabs of their own. VS Code starts the extension for those that it is to bring back. */

/** What is open when VS Code is closed is there again. */
export const RESTORED_PAGES = ["timeline", "massifRun", "memory", "ending", "model", "compare", "sweep"] as const;

export type RestoredPage = (typeof RESTORED_PAGES)[number];
export type PageName = RestoredPage | "doctor";
