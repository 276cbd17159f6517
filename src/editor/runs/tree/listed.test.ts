import { expect, it } from "vitest";
import type { Row } from "../../../runs/list/arrange.ts";
import type { RunSummary } from "../../../runs/model.ts";
import { summary } from "../../../runs/testing.ts";
import { listedOf, renew, said } from "./listed.ts";
import { changedRows } from "./rowChanges.ts";

const run = (name: string, changes: Partial<RunSummary> = {}): RunSummary =>
  summary({ folder: `/p/.jetson-memprof/runs/${name}`, ...changes });
const alone = (name: string, changes: Partial<RunSummary> = {}): Row => ({ kind: "run", run: run(name, changes) });
const group = (...runs: readonly RunSummary[]): Row => ({ kind: "group", id: "g", makes: "repeat", runs, of: 3 });
const list = (...rows: readonly Row[]) => listedOf(rows, ({ runs }) => `${runs.length} repeats`);
const says = (listed: ReturnType<typeof list>) => said(listed, () => "");

it("has the runs of a group as rows below it", () => {
  const listed = list(alone("a"), group(run("b"), run("c")));
  expect(listed.rows.map(({ kind }) => kind)).toEqual(["run", "group"]);
  expect([...listed.all.values()].map(({ node }) => node.kind)).toEqual(["run", "group", "run", "run"]);
  expect([...listed.nodes.keys()]).toEqual([run("a"), run("b"), run("c")].map(({ folder }) => folder));
  expect([...listed.groups.keys()]).toEqual([run("b"), run("c")].map(({ folder }) => folder));
});

it("names the runs with new figures, not the group that says of them what it said", () => {
  const before = list(alone("a"), group(run("b"), run("c", { elapsedMs: 1000 })));
  const after = list(alone("a"), group(run("b"), run("c", { elapsedMs: 2000 })));
  expect(changedRows(says(before), says(after))).toEqual([`run\n${run("c").folder}`]);
});

it("is another list where a run can no longer be read, or joined a group", () => {
  const before = list(alone("a"), alone("b"));
  const unread: Row = { kind: "unreadable", folder: run("b").folder, reason: "run.json is not there" };
  expect(changedRows(says(before), says(list(alone("a"), unread)))).toBeUndefined();
  expect(changedRows(says(before), says(list(group(run("a"), run("b")))))).toBeUndefined();
});

it("keeps its nodes when it is renewed, and they have the new figures", () => {
  const known = list(group(run("a"), run("b", { rssPeak: 1 })));
  const [first] = known.rows;
  const member = known.nodes.get(run("b").folder);
  const answer = list(group(run("a"), run("b", { rssPeak: 2 })));
  renew(known, answer);
  expect(known.rows[0]).toBe(first);
  expect(known.nodes.get(run("b").folder)).toBe(member);
  expect(member).toEqual({ kind: "run", run: run("b", { rssPeak: 2 }) });
  expect(first).toMatchObject({ runs: [run("a"), run("b", { rssPeak: 2 })] });
  expect(changedRows(says(known), says(answer))).toEqual([]);
});
