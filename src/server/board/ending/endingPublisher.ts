/** Keeps the notes on the shown run's ending in the client as they are now. */
import type { Diagnostic } from "vscode-languageserver/node";
import type { Endings } from "./ending.ts";
import { diagnosticOf } from "./endingDiagnostics.ts";

export interface EndingPublisher {
  /** Another run is shown, or none; or the run, or a document, changed. */
  refresh(): void;
}

type Send = (uri: string, diagnostics: Diagnostic[]) => void;

/**
 * Leaves out what the client has already. VS Code asks for quick fixes anew whenever a document is sent diagnostics, the
 * same ones too, and then no longer opens the menu of a Ctrl+. that it has not answered yet.
 */
export function onlyChanges(send: Send): Send {
  const sent = new Map<string, string>();
  return (uri, diagnostics) => {
    const text = JSON.stringify(diagnostics);
    if ((sent.get(uri) ?? "[]") === text) return;
    if (diagnostics.length === 0) sent.delete(uri);
    else sent.set(uri, text);
    send(uri, diagnostics);
  };
}

/** @param shown the shown run's folder */
export function createEndingPublisher(
  { notes: notesOf }: Pick<Endings, "notes">,
  shown: () => string | undefined,
  send: Send,
): EndingPublisher {
  let published: readonly string[] = [];
  let turns = 0;

  async function publish(): Promise<void> {
    const turn = ++turns;
    const folder = shown();
    // A run that cannot be read has no notes; the request that shows it says why.
    const notes = folder === undefined ? undefined : await notesOf(folder).catch(() => undefined);
    // The run or a document changed meanwhile.
    if (turn !== turns) return;
    const withdrawn = published.filter((uri) => notes?.has(uri) !== true);
    published = [...(notes?.keys() ?? [])];
    for (const uri of withdrawn) send(uri, []);
    for (const [uri, list] of notes ?? []) send(uri, list.map(diagnosticOf));
  }

  return {
    refresh() {
      void publish();
    },
  };
}
