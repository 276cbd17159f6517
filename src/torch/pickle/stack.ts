/** The values that wait for their containers, and what the file remembers to use again. */
import type { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { damagedAt, tooLarge } from "./errors.ts";
import { type Budget, LIMITS } from "./limits.ts";
import { createMemo } from "./memo.ts";
import {
  Container,
  type Folded,
  PickleClass,
  PickleDict,
  PickleList,
  PickleObject,
  PickleTuple,
  type PickleValue,
} from "./values.ts";

export type Fold = (container: PickleList | PickleDict) => PickleValue;

/** Estimates from above of what V8 takes, in bytes. */
export const COST = { container: 200, item: 24, memo: 16, object: 64 } as const;

export interface StackOptions {
  readonly fold: Fold;
  /** What lists count instead of keeping it each time: millions of them say nothing more. */
  readonly countedItem?: Folded;
  readonly budget: Budget;
  /** Of the instruction in the file, for messages. */
  readonly offset: () => number;
}

/** What the instructions do; all throw UserError `pickle-damaged` or `pickle-too-large`, and what `fold` throws. */
export type Stack = ReturnType<typeof createStack>;

export function createStack({ fold, countedItem, budget, offset }: StackOptions) {
  /** Those up to `top` wait; it is never made shorter, as V8 would make another one each time. */
  const values: PickleValue[] = [];
  let top = 0;
  const marks: number[] = [];
  let lastKeys: readonly PickleValue[] = [];
  const memo = createMemo();

  function damaged(what: string): UserError {
    return damagedAt(what, offset());
  }

  /** What lies below the last mark belongs to another container. */
  function needed(count: number): void {
    if (top - count < (marks[marks.length - 1] ?? 0)) throw damaged(t("a value is missing"));
  }

  function pop(): PickleValue {
    needed(1);
    return values[--top] as PickleValue;
  }

  function popMark(): number {
    const mark = marks.pop();
    if (mark === undefined) throw damaged(t("a container ends that did not begin"));
    return mark;
  }

  /** What stands for a value inside of a container. */
  function place(value: PickleValue): PickleValue {
    if (!(value instanceof Container)) return value;
    if (value.placed === undefined) {
      // Set first: a container that holds itself is looked at once.
      value.placed = value;
      const folded = fold(value);
      if (folded !== value) replace(value, folded);
    }
    return value.placed;
  }

  function replace(value: PickleList | PickleDict, folded: PickleValue): void {
    value.placed = folded;
    if (value.memo >= 0) memo.set(value.memo, folded);
    budget.give(value.cost);
    value.cost = 0;
    value.clear();
  }

  function charge(container: PickleList | PickleDict, cost: number): void {
    container.cost += cost;
    budget.take(cost);
  }

  function list(value: PickleValue | undefined): PickleList {
    if (!(value instanceof PickleList)) throw damaged(t("something is appended to what is not a list"));
    if (value.placed !== undefined) throw damaged(t("a list changes after it was complete"));
    return value;
  }

  /** Appends all from `from` on. */
  function addFrom(from: number, target: PickleList): void {
    let kept = from;
    for (let index = from; index < top; index++) {
      const item = place(values[index] as PickleValue);
      if (item !== countedItem || ++target.counted === 1) values[kept++] = item;
    }
    // An array that grows item by item leaves its shorter ones behind.
    if (target.items.length === 0) target.items = values.slice(from, kept);
    else for (let index = from; index < kept; index++) target.items.push(values[index] as PickleValue);
    top = from;
    charge(target, COST.item * (kept - from));
  }

  /** Those of the dict before, where they are the same: then they are kept once. */
  function keysFrom(mark: number): readonly PickleValue[] {
    const count = (top - mark) / 2;
    let same = count === lastKeys.length;
    for (let at = 0; same && at < count; at++) same = values[mark + 2 * at] === lastKeys[at];
    if (!same) lastKeys = Array.from({ length: count }, (_, at) => place(values[mark + 2 * at] as PickleValue));
    return lastKeys;
  }

  function setFrom(mark: number): void {
    const target = values[mark - 1];
    if (!(target instanceof PickleDict)) throw damaged(t("a key is set in what is not a dict"));
    if (target.placed !== undefined) throw damaged(t("a dict changes after it was complete"));
    if ((top - mark) % 2 !== 0) throw damaged(t("a key has no value"));
    charge(target, COST.item * (top - mark));
    target.addKeys(keysFrom(mark));
    const added = new Array<PickleValue>((top - mark) / 2);
    for (let at = 0; at < added.length; at++) added[at] = place(values[mark + 2 * at + 1] as PickleValue);
    target.addValues(added);
    top = mark;
  }

  function tuple(count: number): void {
    needed(count);
    budget.take(COST.object + COST.item * count);
    top -= count;
    values[top] = new PickleTuple(values.slice(top, top + count).map(place));
    top++;
  }

  function push(value: PickleValue): void {
    if (top >= LIMITS.waiting) throw tooLarge(t("More than {0} values wait at byte {1}.", LIMITS.waiting, offset()));
    values[top++] = value;
  }

  return {
    push(value: PickleValue): void {
      if (value instanceof Container) charge(value, COST.container);
      push(value);
    },
    mark(): void {
      if (marks.length >= LIMITS.depth)
        throw tooLarge(t("More than {0} containers are open at byte {1}.", LIMITS.depth, offset()));
      marks.push(top);
    },
    append(): void {
      push(place(pop()));
      addFrom(top - 1, list(values[top - 2]));
    },
    appends(): void {
      const mark = popMark();
      const target = list(values[mark - 1]);
      addFrom(mark, target);
    },
    setItem(): void {
      needed(2);
      setFrom(top - 2);
    },
    setItems(): void {
      setFrom(popMark());
    },
    tuple,
    markedTuple(): void {
      tuple(top - popMark());
    },
    /** @returns the class that is named on top, `module.name`; its name is taken off. */
    className(): string {
      const name = pop();
      const module = pop();
      if (typeof name !== "string" || typeof module !== "string") throw damaged(t("a class has no name"));
      return `${module}.${name}`;
    },
    newObject(): void {
      const given = pop();
      const made = pop();
      const bare = given instanceof PickleTuple && given.items.length === 0;
      if (!(made instanceof PickleClass) || !bare) throw damaged(t("an object is made of what is not a class"));
      budget.take(COST.object);
      push(new PickleObject(made.name));
    },
    build(): void {
      const state = place(pop());
      const target = values[top - 1];
      if (!(target instanceof PickleObject)) throw damaged(t("a state is given to what is not an object"));
      if (target.state !== undefined) throw damaged(t("an object gets a second state"));
      target.state = state;
    },
    /** Remembers the uppermost value; without a number under the next one. */
    memoize(number: number | undefined): void {
      needed(1);
      const value = values[top - 1] as PickleValue;
      const count = memo.count();
      const index = number ?? count;
      // Python numbers what it remembers from 0 on.
      if (index > count) throw damaged(t("value {0} is remembered before value {1}", index, count));
      if (index === count) budget.take(COST.memo);
      memo.set(index, value);
      if (value instanceof Container) value.memo = index;
    },
    recall(index: number): void {
      const value = memo.get(index);
      if (value === undefined) throw damaged(t("value {0} is used before it is there", index));
      push(value);
    },
    /** The one value that is left when the file ends. */
    only(): PickleValue {
      if (top !== 1 || marks.length > 0) throw damaged(t("the end comes before the containers are complete"));
      return pop();
    },
  };
}
