/** `metrics`: answers Prometheus for a project's runs, until Ctrl-C. */
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { type AddressInfo, isIPv6 } from "node:net";
import * as path from "node:path";
import { readLastSample } from "../../profile/run/runHead.ts";
import { runsFolderOf } from "../../profile/run/runsFolder.ts";
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { createRunList } from "../../runs/list/runList.ts";
import type { RunSummary } from "../../runs/model.ts";
import { t } from "../../words/t.ts";
import type { Surroundings } from "../run/followRun.ts";
import { type Live, metricsText, type ShownRun } from "./metrics.ts";
import type { MetricsCommand } from "./metricsCommandLine.ts";
import { createMetricsServer, isOwnName } from "./metricsServer.ts";

/**
 * @returns the exit status
 * @throws UserError `listen-failed`
 */
export async function serveMetrics(
  { host, port, runs, project }: MetricsCommand,
  { stderr, signals }: Surroundings,
): Promise<number> {
  const runsFolder = runsFolderOf(path.resolve(project ?? "."));
  const list = createRunList();
  const read = async (): Promise<string> => {
    const entries = await list.runs([runsFolder]);
    const newest = entries.flatMap((entry) => (entry.kind === "run" ? [entry.run] : [])).slice(0, runs);
    const unreadable = entries.filter(({ kind }) => kind === "unreadable").length;
    return await metricsText(await Promise.all(newest.map(withLive)), unreadable);
  };
  const onlyHere = isOwnName(inUrl(host));
  const server = createMetricsServer(read, onlyHere);
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new UserError(
      "listen-failed",
      t("Cannot listen at {0}: {1}", `${host}:${port}`, (error as Error).message),
      t("Choose another address or port with --listen."),
      { cause: error },
    );
  }
  const { address, port: bound } = server.address() as AddressInfo;
  const place = `http://${inUrl(address)}:${bound}/metrics`;
  stderr.write(t("The runs of {0} are at {1}. Ctrl-C ends it.\n", printable(path.dirname(runsFolder)), place));
  if (!onlyHere) stderr.write(t("Note: whoever reaches this address can read them, without a password.\n"));
  await Promise.race([once(signals, "SIGINT"), once(signals, "SIGTERM")]);
  server.closeAllConnections();
  server.close();
  return 0;
}

const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

async function withLive(run: RunSummary): Promise<ShownRun> {
  const live = run.state === "running" ? await liveOf(run.folder) : undefined;
  return live === undefined ? { run } : { run, live };
}

/** Undefined where there is no sample yet, or none that can be read. */
async function liveOf(folder: string): Promise<Live | undefined> {
  try {
    const [sample, { mtimeMs }] = await Promise.all([
      readLastSample(folder),
      fs.stat(path.join(folder, "samples.jsonl")),
    ]);
    return sample && { sample, writtenAt: mtimeMs };
  } catch {
    return undefined;
  }
}
