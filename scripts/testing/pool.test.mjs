import { describe, expect, test } from "vitest";
import { runJobs } from "./pool.mjs";

const job = (name, more = {}) => ({ name, part: name, places: 1, needs: [], ...more });

/** Jobs that end when the test says so. */
function stage(jobs, places) {
  const running = new Map();
  const order = [];
  const start = (one) =>
    new Promise((resolve) => {
      order.push(one.name);
      running.set(one.name, (ok) => {
        running.delete(one.name);
        resolve({ ok, name: one.name });
      });
    });
  const notStarted = (one, need) => ({ ok: false, name: one.name, need });
  const done = runJobs(jobs, places, start, notStarted);
  return {
    done,
    order,
    running: () => [...running.keys()],
    async end(name, ok = true) {
      running.get(name)(ok);
      await new Promise(setImmediate);
    },
  };
}

describe("runJobs", () => {
  test("starts as many as there are places, in their order", async () => {
    const { done, order, running, end } = stage([job("a"), job("b"), job("c")], 2);
    expect(running()).toEqual(["a", "b"]);
    await end("b");
    expect(running()).toEqual(["a", "c"]);
    await end("a");
    await end("c");
    expect((await done).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(order).toEqual(["a", "b", "c"]);
  });

  test("lets a smaller one go first where a larger one has no room, and runs one that is too large alone", async () => {
    const { done, running, end } = stage([job("a"), job("large", { places: 3 }), job("b")], 2);
    expect(running()).toEqual(["a", "b"]);
    await end("a");
    expect(running()).toEqual(["b"]);
    await end("b");
    expect(running()).toEqual(["large"]);
    await end("large");
    await done;
  });

  test("runs one of a lane at a time", async () => {
    const { done, running, end } = stage([job("a", { lane: "x" }), job("b", { lane: "x" }), job("c")], 3);
    expect(running()).toEqual(["a", "c"]);
    await end("a");
    expect(running()).toEqual(["c", "b"]);
    await end("c");
    await end("b");
    await done;
  });

  test("waits for what comes before a job, however that ends", async () => {
    const { done, running, end } = stage([job("a"), job("b", { after: ["a", "elsewhere"] })], 4);
    expect(running()).toEqual(["a"]);
    await end("a", false);
    expect(running()).toEqual(["b"]);
    await end("b");
    await done;
  });

  test("waits for what a job needs, and does not start it where that failed", async () => {
    const jobs = [job("a"), job("b", { needs: ["a"] }), job("c", { needs: ["b"] }), job("d", { needs: ["elsewhere"] })];
    const { done, running, end } = stage(jobs, 4);
    expect(running()).toEqual(["a", "d"]);
    await end("a", false);
    await end("d");
    expect(await done).toEqual([
      { ok: false, name: "a" },
      { ok: false, name: "b", need: "a" },
      { ok: false, name: "c", need: "b" },
      { ok: true, name: "d" },
    ]);
  });
});
