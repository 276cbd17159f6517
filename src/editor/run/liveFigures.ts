/** A run's figures are shown while it goes on, as soon as there are any. Pure. */

export interface LiveFigures {
  /** More of the run came home. */
  progressed(folder: string): void;
}

/**
 * Shown once: who hides them, or shows another run meanwhile, is left alone.
 * @param show rejects while there is nothing to show
 */
export function createLiveFigures(
  show: (folder: string) => Promise<unknown>,
  failed: (error: unknown) => void,
): LiveFigures {
  let state: "waiting" | "showing" | "shown" = "waiting";
  return {
    progressed(folder) {
      if (state !== "waiting") return;
      state = "showing";
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
