/** Below `project`, `count` runs a minute apart; returns the runs folder. */
export function makeRuns(project: string, count: number): string;
