import { describe, expect, it } from "vitest";
import type { Exit } from "../../../profile/model.ts";
import { explained, GLOSSARY } from "../../../profile/text/glossary.ts";
import type { RunSummary } from "../../../protocol/server.ts";
import { summary } from "../../../runs/testing.ts";
import {
  describeFile,
  describeFunction,
  describeHeapFile,
  describeHeapFunction,
  describeHeapLine,
  describeLine,
} from "./describe.ts";
import { describeRun, endedBadly, endText, runActivity, runIcon } from "./describeRun.ts";

const MIB = 1024 * 1024;
const run = summary({
  folder: "/p/.jetson-memprof/runs/a",
  title: "train.py --epochs 2",
  started: "2026-11-21T09:45:01.123Z",
  elapsedMs: 69_878,
  target: "ssh://nano@10.0.0.2",
  rssPeak: 900.1 * MIB,
  warnings: ["The accelerator was refused."],
});

describe("describeRun", () => {
  it("names peak, time and target, and the state where it is not a good end", () => {
    const nextYear = new Date("2027-02-01T00:00:00Z");
    const text = describeRun(run, "finished", false, { now: nextYear });
    expect(text.label).toBe("train.py --epochs 2");
    expect(text.description).toMatch(/^900\.1 MiB peak · .*2026.* · nano@10\.0\.0\.2$/);
    expect(text.tooltip).toContain("Note: The accelerator was refused.");
    expect(describeRun({ ...run, exit: { kind: "out-of-memory", signal: "SIGKILL" } }, "finished", true)).toMatchObject(
      {
        description: expect.stringMatching(/^900\.1 MiB peak · out of memory · /),
        tooltip: expect.stringContaining("shown in the editor"),
        spoken: expect.stringContaining("shown in the editor"),
      },
    );
  });

  it("knows no more than a least peak where the recording broke off", () => {
    const lost = describeRun({ ...run, exit: { kind: "lost" } }, "finished", false);
    expect(lost.description).toMatch(/^at least 900\.1 MiB peak · /);
    expect(lost.tooltip).toContain("Most memory (RSS): at least 900.1 MiB");
  });

  it("gives the time as short as it can be told apart", () => {
    const when = (now: Date): string => describeRun(run, "finished", false, { now }).description.split(" · ")[1] ?? "";
    const started = new Date(run.started ?? "");
    expect(when(started)).toMatch(/^\d{1,2}[:.]\d\d\D*$/);
    expect(when(new Date(started.getTime() + 3 * 86_400_000))).toMatch(/\d\d.*[:.]\d\d/);
    expect(when(new Date(started.getTime() + 3 * 86_400_000))).not.toContain("2026");
  });

  it("calls a simulated run simulated and leaves out what is not known", () => {
    const { target: _target, rssPeak: _peak, started: _started, elapsedMs: _elapsed, ...bare } = run;
    expect(
      describeRun({ ...bare, target: "simulated board (this computer, over SSH)", simulated: true }, "finished", false)
        .description,
    ).toBe("simulated board");
    expect(describeRun(bare, "finished", false).description).toBe("");
  });
});

describe("run state", () => {
  it("tells a run of this window from one without a connection", () => {
    const running = { state: "running" } as const;
    expect(endText(runActivity(running, { isCutOff: false }), undefined)).toBe("running");
    expect(endText(runActivity(running, undefined), undefined)).toBe("not connected");
    expect(endText(runActivity(running, { isCutOff: true }), undefined)).toBe("connection lost, the run continues");
    expect(runIcon("cut-off", {}, true)).toBe("debug-disconnect");
    expect(endText(runActivity(running, "elsewhere"), undefined)).toBe("followed by another window");
    expect(runActivity({ state: "finished" }, "elsewhere")).toBe("finished");
    expect(endText("finished", { kind: "lost" })).toBe("lost, incomplete");
    expect(endText("finished", { kind: "lost", restarted: true })).toBe("board restarted, incomplete");
    expect(runIcon("unfinished", {}, false)).toBe("debug-disconnect");
    expect(runIcon("finished", { exit: { kind: "exited", code: 0 } }, false)).toBe("pass");
    expect(runIcon("finished", { exit: { kind: "exited", code: 1 } }, false)).toBe("error");
    expect(runIcon("finished", { exit: { kind: "exited", code: 1 } }, true)).toBe("eye");
    const imported = { format: "scalene", file: "p.json", measures: "memory" } as const;
    expect(runIcon("finished", { imported }, false)).toBe("symbol-file");
    expect(runIcon("active", {}, true)).toBe("sync~spin");
  });

  it.each<[boolean, RunSummary["state"], Exit | undefined]>([
    [true, "finished", { kind: "out-of-memory", signal: "SIGKILL" }],
    [true, "finished", { kind: "signalled", signal: "SIGKILL" }],
    [true, "finished", { kind: "exited", code: 1 }],
    [true, "finished", { kind: "lost" }],
    [false, "finished", { kind: "exited", code: 0 }],
    [false, "finished", { kind: "cancelled" }],
    [false, "finished", { kind: "not-started", message: "no Python" }],
    [false, "finished", undefined],
    [false, "running", undefined],
  ])("ended badly: %s for %s, %j", (badly, state, exit) => {
    expect(endedBadly({ state, ...(exit === undefined ? {} : { exit }) })).toBe(badly);
  });
});

describe("rows below a run", () => {
  it("say in their tooltips what their figures mean, as the glossary has it", () => {
    const { net: netTerm, peakAboveEntry } = GLOSSARY["Figures of a line"];
    const [net, peak] = [explained(netTerm), explained(peakAboveEntry)];
    const line = { line: 3, text: "net = Net()", hits: 1, net: MIB };
    expect(describeLine(line, "rss").tooltip).toBe(`net = Net()\n+1.0 MiB · 1 hit\n${net}`);
    expect(describeLine({ ...line, peak: 4 * MIB }, "rss").tooltip).toBe(
      `net = Net()\n+1.0 MiB · peak +4.0 MiB · 1 hit\n${net}\n${peak}`,
    );
    expect(describeRun(run, "finished", false).tooltip).toContain(
      `\n${explained(GLOSSARY["The memory of a process"].rss)}\n`,
    );
  });

  it("gives files, functions and lines their figures", () => {
    expect(describeFile({ path: "train.py", net: -2 * MIB, functions: [] }, "rss")).toMatchObject({
      description: "-2.0 MiB",
      tooltip:
        "train.py is no longer in the project.\nThe file's own lines; what they call in other files stands there.",
    });
    expect(
      describeFunction(
        { name: "Net.forward", defLine: 3, net: MIB, peak: 4 * MIB, timeNs: 1.2e9, calls: 150, lines: [] },
        "rss",
      ).description,
    ).toBe("+1.0 MiB · peak +4.0 MiB of one call · 1.2 s · 150 calls");
    expect(describeFunction({ name: "<module>", defLine: 1, timeNs: 0, calls: 0, lines: [] }, "rss")).toMatchObject({
      label: "module level",
      description: "",
    });
    expect(
      describeLine({ line: 33, text: "    net = net.to(device)", hits: 1, net: 4 * MIB, peak: 9 * MIB }, "rss"),
    ).toMatchObject({
      label: "+4.0 MiB · peak +9.0 MiB",
      description: "33: net = net.to(device)",
      spoken: "Line 33, +4.0 MiB · peak +9.0 MiB, net = net.to(device)",
    });
    expect(describeLine({ line: 3, text: "size = len(b)", hits: 1, net: 0, peak: 9 * MIB }, "rss").label).toBe(
      "peak +9.0 MiB",
    );
    expect(describeLine({ line: 3, text: "keep()", hits: 1, self: 2 * MIB }, "cuda").label).toBe("CUDA ≥ +2.0 MiB");
  });
});

describe("rows below a massif run", () => {
  const peak = { bytes: 100 * MIB, pages: false, substitute: false, withoutLine: 0 };

  it("say that their figures are heap, and at which moment", () => {
    expect(describeHeapFile({ path: "train.py", total: 20 * MIB, own: 4 * MIB, functions: [] }, peak)).toMatchObject({
      description: "20.0 MiB of heap at peak",
      spoken: "train.py, 20.0 MiB of heap at peak",
    });
    const main = { name: "main", defLine: 3, total: 4 * MIB, own: 0, lines: [] };
    expect(describeHeapFunction(main, { ...peak, pages: true, substitute: true, withoutLine: 0 }).description).toBe(
      "4.0 MiB of pages at the largest snapshot with stacks",
    );
  });

  it("tell a line's own share, and what was measured where nothing was left at the peak", () => {
    const line = {
      line: 33,
      text: "net = Net()",
      total: 20 * MIB,
      own: 4 * MIB,
      measured: { net: 8 * MIB, measured: 3, hits: 150 },
    };
    expect(describeHeapLine(line, peak)).toMatchObject({
      label: "20.0 MiB of heap at peak",
      description: "33: net = Net()",
      tooltip:
        "net = Net()\n20.0 MiB of heap at peak\n4.0 MiB of it by this line itself, not through other code of the project\n" +
        "+8.0 MiB measured before and after it ran, in 3 of 150 hits",
    });
    expect(describeHeapLine({ ...line, total: 0, own: 0 }, peak).label).toBe("+8.0 MiB of heap in 3 of 150 hits");
  });

  it("never take valgrind's RSS for the script's", () => {
    const text = describeRun({ ...run, massif: true }, "finished", false);
    expect(text.description).toContain("massif");
    expect(text.description).not.toContain("peak");
    expect(text.tooltip).toContain("valgrind and the script together (RSS)");
  });
});
