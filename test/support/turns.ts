/** Turns of the event loop: in a second of waiting there are tens of thousands. */
export const AT_ONCE = 1_000;

/**
 * How often the event loop went round before the end, where nothing but this process has a part in it: unlike a time,
 * that does not grow while the machine is busy with something else.
 */
export async function turnsTo(end: Promise<unknown>): Promise<number> {
  let over = false;
  const noteEnd = (): void => {
    over = true;
  };
  void end.then(noteEnd, noteEnd);
  let turns = 0;
  for (; !over; turns++) await new Promise(setImmediate);
  return turns;
}
