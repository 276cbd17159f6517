/** A document has one list of diagnostics, and several parts of the server add to it. */
import type { Diagnostic } from "vscode-languageserver/node";

export interface Diagnostics<Part extends string> {
  /** What this part says of a document now. */
  set(part: Part, uri: string, diagnostics: readonly Diagnostic[]): void;
}

export function createDiagnostics<Part extends string>(
  send: (uri: string, diagnostics: Diagnostic[]) => void,
): Diagnostics<Part> {
  const parts = new Map<string, Map<Part, readonly Diagnostic[]>>();
  return {
    set(part, uri, diagnostics) {
      const known = parts.get(uri) ?? new Map<Part, readonly Diagnostic[]>();
      if (diagnostics.length === 0 && !known.has(part)) return;
      if (diagnostics.length === 0) known.delete(part);
      else known.set(part, diagnostics);
      parts.set(uri, known);
      send(uri, [...known.values()].flat());
    },
  };
}
