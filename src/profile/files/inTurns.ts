/** Work over much in short turns: what else is asked for is answered in between. */
import { setImmediate } from "node:timers/promises";

/** Milliseconds of one turn. */
const TURN = 15;
/** Items between two looks at the clock. */
const AT_ONCE = 64;

/** `items` may not change meanwhile. */
export async function inTurns<T, R>(items: readonly T[], each: (item: T) => R): Promise<R[]> {
  function* work(): Steps<R[]> {
    const done: R[] = [];
    for (const item of items) {
      if (done.length % AT_ONCE === 0) yield;
      done.push(each(item));
    }
    return done;
  }
  return await stepsInTurns(work());
}

/** Work that may be left at each `yield` and gone on with later. */
export type Steps<R> = Generator<undefined, R, undefined>;

/** Of the present turn: many short works one after the other, as of many small files, would else be one long turn. */
let began = performance.now();

/** Others get their turn between two steps, and after what took several: who gets much will do much with it. */
export async function stepsInTurns<R>(steps: Steps<R>): Promise<R> {
  for (let turns = 1; ; ) {
    const { done, value } = steps.next();
    if (done === true && turns === 1) return value;
    if (done !== true && performance.now() - began <= TURN) continue;
    await setImmediate();
    began = performance.now();
    if (done === true) return value;
    turns++;
  }
}

/** All steps at once. */
export function atOnce<R>(steps: Steps<R>): R {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
