/** Somebody else's extension: it knows of ours what the published types say, and writes down what it hears. */
import * as vscode from "vscode";
import type { JetsonMemprofApi, JetsonMemprofExports } from "../../../../docs/api/jetson-memprof.d.ts";

export interface Listener {
  readonly api: JetsonMemprofApi;
  readonly exports: JetsonMemprofExports;
  /** `shown ID`, `started ID`, `ended ID finished`; progress comes when it likes and is counted only. */
  readonly heard: readonly string[];
}

export async function activate(context: vscode.ExtensionContext): Promise<Listener> {
  const profiler = vscode.extensions.getExtension<JetsonMemprofExports>(
    "jetson-memory-profiler.jetson-memory-profiler",
  );
  if (profiler === undefined) throw new Error("The profiler is not installed.");
  const exports = await profiler.activate();
  const api = await exports.getApi(1);
  const heard: string[] = [];
  context.subscriptions.push(
    api.onDidHearOfRun(() => {
      throw new Error("A listener that fails, before the others.");
    }),
    api.onDidHearOfRun((news) => {
      if (news.kind !== "progress") heard.push(`${news.kind} ${news.id}`);
    }),
    api.onDidChangeShownRun((run) => heard.push(`shown ${run?.id ?? "none"}`)),
  );
  return { api, exports, heard };
}
