/**
 * Many calls become one: `body` runs `ms` after the first of them, and calls in between add nothing. Calls that never
 * stop, such as a live run's, still come through.
 */
export interface Coalesced {
  call(): void;
  cancel(): void;
}

export function coalesced(ms: number, body: () => void): Coalesced {
  let timer: NodeJS.Timeout | undefined;
  return {
    call() {
      timer ??= setTimeout(() => {
        timer = undefined;
        body();
      }, ms);
    },
    cancel() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
