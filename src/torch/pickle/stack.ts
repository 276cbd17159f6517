/** The values that wait for their containers, and what the file remembers to use again. */
import type { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { damagedAt, tooLarge } from "./errors.ts";
import { type Budget, LIMITS } from "./limits.ts";
import {
  Container,
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
  readonly budget: Budget;
  /** Of the instruction in the file, for messages. */
  readonly offset: () => number;
}

/** What the instructions do; all throw UserError `pickle-damaged` or `pickle-too-large`, and what `fold` throws. */
export type Stack = ReturnType<typeof createStack>;

export function createStack({ fold, budget, offset }: StackOptions) {
  const values: PickleValue[] = [];
  const marks: number[] = [];
  const memo: PickleValue[] = [];

  function damaged(what: string): UserError {
    return damagedAt(what, offset());
  }

  /** What lies below the last mark belongs to another container. */
  function needed(count: number): void {
    if (values.length - count < (marks[marks.length - 1] ?? 0)) throw damaged(t("a value is missing"));
  }

  function pop(): PickleValue {
    needed(1);
    return values.pop() as PickleValue;
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
    if (value.memo >= 0) memo[value.memo] = folded;
    budget.give(value.cost);
    value.cost = 0;
    if (value instanceof PickleList) value.items = [];
    else value.keys = value.values = [];
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

  function setFrom(mark: number): void {
    const target = values[mark - 1];
    if (!(target instanceof PickleDict)) throw damaged(t("a key is set in what is not a dict"));
    if (target.placed !== undefined) throw damaged(t("a dict changes after it was complete"));
    if ((values.length - mark) % 2 !== 0) throw damaged(t("a key has no value"));
    charge(target, COST.item * (values.length - mark));
    for (let index = mark; index < values.length; index += 2) {
      const value = place(values[index + 1] as PickleValue);
      target.keys.push(place(values[index] as PickleValue));
      target.values.push(value);
    }
    values.length = mark;
  }

  function tuple(count: number): void {
    needed(count);
    budget.take(COST.object + COST.item * count);
    values.push(new PickleTuple(values.splice(values.length - count, count).map(place)));
  }

  function push(value: PickleValue): void {
    if (values.length >= LIMITS.waiting)
      throw tooLarge(t("More than {0} values wait at byte {1}.", LIMITS.waiting, offset()));
    values.push(value);
  }

  return {
    push(value: PickleValue): void {
      if (value instanceof Container) charge(value, COST.container);
      push(value);
    },
    mark(): void {
      if (marks.length >= LIMITS.depth)
        throw tooLarge(t("More than {0} containers are open at byte {1}.", LIMITS.depth, offset()));
      marks.push(values.length);
    },
    append(): void {
      const item = place(pop());
      const target = list(values[values.length - 1]);
      charge(target, COST.item);
      target.items.push(item);
    },
    appends(): void {
      const mark = popMark();
      const target = list(values[mark - 1]);
      const items = values.slice(mark);
      values.length = mark;
      charge(target, COST.item * items.length);
      for (let index = 0; index < items.length; index++) items[index] = place(items[index] as PickleValue);
      if (target.items.length === 0) target.items = items;
      else for (const item of items) target.items.push(item);
    },
    setItem(): void {
      needed(2);
      setFrom(values.length - 2);
    },
    setItems(): void {
      setFrom(popMark());
    },
    tuple,
    markedTuple(): void {
      tuple(values.length - popMark());
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
      const target = values[values.length - 1];
      if (!(target instanceof PickleObject)) throw damaged(t("a state is given to what is not an object"));
      if (target.state !== undefined) throw damaged(t("an object gets a second state"));
      target.state = state;
    },
    /** Remembers the uppermost value; without a number under the next one. */
    memoize(number: number | undefined): void {
      needed(1);
      const value = values[values.length - 1] as PickleValue;
      const index = number ?? memo.length;
      // Python numbers what it remembers from 0 on.
      if (index > memo.length) throw damaged(t("value {0} is remembered before value {1}", index, memo.length));
      if (index === memo.length) budget.take(COST.memo);
      memo[index] = value;
      if (value instanceof Container) value.memo = index;
    },
    recall(index: number): void {
      const value = memo[index];
      if (value === undefined) throw damaged(t("value {0} is used before it is there", index));
      push(value);
    },
    /** The one value that is left when the file ends. */
    only(): PickleValue {
      if (values.length !== 1 || marks.length > 0) throw damaged(t("the end comes before the containers are complete"));
      return pop();
    },
  };
}
