/** What an edit makes necessary is done when the typing pauses, not at each key. */

export interface Preparing {
  /** The document changed. */
  soon(uri: string): void;
  /** The document was closed. */
  forget(uri: string): void;
}

const AFTER_MS = 150;

export function createPreparing(prepare: (uri: string) => void): Preparing {
  const pending = new Map<string, NodeJS.Timeout>();
  const forget = (uri: string) => {
    clearTimeout(pending.get(uri));
    pending.delete(uri);
  };
  return {
    soon(uri) {
      forget(uri);
      const run = () => {
        pending.delete(uri);
        prepare(uri);
      };
      pending.set(uri, setTimeout(run, AFTER_MS));
    },
    forget,
  };
}
