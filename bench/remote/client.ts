/**
 * The extension's side in a process of its own that stays, as the editor's does: takes requests for runs from its
 * parent, one at a time, and tells when the click was, when the files were there, and how the run ended.
 */
import type { ProfileRequest, RunEvent } from "../../src/protocol/run/run.ts";
import { profileRun } from "../../src/remote/run/profileRun.ts";

interface Order {
  readonly request: ProfileRequest;
  readonly helperFolder: string;
}

/** Times are of the monotonic clock, in nanoseconds. */
interface Report {
  readonly clicked: string;
  readonly synced: string | undefined;
  readonly sentFiles: number;
  /** `finished`, or what went wrong. */
  readonly outcome: string;
}

const refuse = async (): Promise<never> => {
  throw new Error("a benchmark asks nobody");
};

async function run({ request, helperFolder }: Order): Promise<Report> {
  const clicked = process.hrtime.bigint();
  let synced: bigint | undefined;
  let sentFiles = 0;
  const onEvent = (event: RunEvent): void => {
    if (event.kind === "phase" && event.phase === "start") synced = process.hrtime.bigint();
    if (event.kind === "sync") sentFiles = event.sentFiles;
  };
  const prompter = { confirmHostKey: refuse, secret: refuse, keyboardInteractive: refuse };
  const yes = async () => true;
  const answers = { prompter, acceptRisk: yes, maySend: yes, mayReach: yes };
  const outcome = await profileRun(request, { ...answers, helperFolder, onEvent }).done;
  return {
    clicked: String(clicked),
    synced: synced === undefined ? undefined : String(synced),
    sentFiles,
    outcome: outcome.kind === "failed" ? outcome.error.message : outcome.kind,
  };
}

process.on("message", (order: Order) => void run(order).then((report) => process.send?.(report)));
