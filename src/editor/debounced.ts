/** A function that runs once, `ms` after the last of several calls. */
export interface Debounced {
  call(): void;
  cancel(): void;
}

export function debounced(ms: number, body: () => void): Debounced {
  let timer: NodeJS.Timeout | undefined;
  return {
    call() {
      clearTimeout(timer);
      timer = setTimeout(body, ms);
    },
    cancel: () => clearTimeout(timer),
  };
}
