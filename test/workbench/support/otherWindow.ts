import * as path from "node:path";
import { createFollowedRuns, type FollowedRuns } from "../../../src/editor/runs/followed/followedRuns.ts";

const EXTENSION = "jetson-memory-profiler.jetson-memory-profiler";

/** What a second window of this machine says of the runs it follows; its process is the test's. */
export function otherWindow({ dataDir }: { readonly dataDir: string }): FollowedRuns {
  return createFollowedRuns(path.join(dataDir, "data/User/globalStorage", EXTENSION, "followed"));
}
