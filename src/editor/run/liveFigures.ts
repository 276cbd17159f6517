/** A run's figures are shown while it goes on, as soon as there are any. Pure. */

export interface LiveFigures {
  /** @param elapsedMs of the run: lines were executed until then */
  progressed(folder: string, elapsedMs: number): void;
}

/** Between two tries, of the run's time. */
const TRY_AGAIN_MS = 1_000;

/**
 * Shown once: who hides them, or shows another run meanwhile, is left alone.
 * @param show rejects while there is nothing to show
 */
export function createLiveFigures(
  show: (folder: string) => Promise<unknown>,
  failed: (error: unknown) => void,
): LiveFigures {
  let state: "waiting" | "showing" | "shown" = "waiting";
  let notBefore = 0;
  return {
    progressed(folder, elapsedMs) {
      if (state !== "waiting" || elapsedMs < notBefore) return;
      state = "showing";
      notBefore = elapsedMs + TRY_AGAIN_MS;
      show(folder).then(
        () => {
          state = "shown";
        },
        (error) => {
          state = "waiting";
          failed(error);
        },
      );
    },
  };
}
