import { describe, expect, it } from "vitest";
import { boardMoment, type Load } from "../testing.ts";
import { toolsText } from "../tools/toolsText.ts";
import { compareLedgers, makeLedger } from "./ledger.ts";
import { ledgerText } from "./ledgerText.ts";
import type { Ledger } from "./model.ts";

const BUSY: Load = {
  run: { anon: 900, file: 420, shmem: 24 },
  cuda: { allocated: 260, reserved: 340, context: 310 },
};

describe("a ledger as text", () => {
  const before = boardMoment("nano", { baseline: true });
  const ledger = makeLedger(boardMoment("nano", BUSY), before);

  it("is a table with the groups, their rows, what changed and how certain that is", () => {
    const lines = ledgerText(ledger, compareLedgers(makeLedger(before), ledger)).split("\n");
    expect(lines.slice(0, 5)).toEqual([
      "      Size    Share       Change  Certainty  What",
      "1344.0 MiB   33.9 %                          This run",
      " 900.0 MiB   22.7 %   +900.0 MiB  exact        Heap and other anonymous memory",
      " 420.0 MiB   10.6 %   +420.0 MiB  exact        Python and libraries (file pages)",
      "  24.0 MiB    0.6 %    +24.0 MiB  exact        Shared memory",
    ]);
    expect(lines).toContain("                                                 gnome-shell: 182.0 MiB");
    expect(lines.slice(-2)).toEqual([
      " 656.0 MiB   16.5 %  -1994.0 MiB  exact      Free",
      "3964.0 MiB  100.0 %               exact      All of the RAM (MemTotal)",
    ]);
  });

  it("names what cannot be read and where it hides, with no size", () => {
    const text = ledgerText(makeLedger(boardMoment("orin", { gpuLoad: 0 })));
    expect(text).toMatch(/^ +- +- {2}not readable {2}GPU memory \(NvMap\)$/m);
    expect(text).toContain("Note: GPU memory (NvMap): Not readable without root on this release.");
  });

  it("keeps a row that the moment before had", () => {
    const text = ledgerText(makeLedger(before), compareLedgers(ledger, makeLedger(before)));
    expect(text).toMatch(/^ +0 B +0\.0 % +-260\.0 MiB {2,}Tensors on the GPU \(PyTorch\)$/m);
  });

  it("has no table where the moment does not say how much RAM there is, and no 0 where free memory is unknown", () => {
    const moment = boardMoment("nano");
    const { MemTotal = 0, MemFree: _unknown, ...rest } = moment.meminfo;
    const none = ledgerText(makeLedger({ ...moment, meminfo: {} })).split("\n");
    expect(none[0]).toMatch(/^Note: This moment does not say how much RAM there is/);
    expect(none.every((line) => line.startsWith("Note: "))).toBe(true);
    const text = ledgerText(makeLedger({ ...moment, meminfo: { MemTotal, ...rest } }));
    expect(text).toMatch(/^ +- +- {2}not readable {2}Free$/m);
  });

  it("has what a server says below its row, marked as that", () => {
    const said = [
      { label: "ollama: all of the model (a\u001b[2J)", bytes: 5, program: "ollama", pid: 7, kind: "whole" },
    ] as const;
    const row = {
      id: "others.servers",
      group: "others",
      label: "Inference servers",
      sureness: "exact",
      how: "x",
    } as const;
    const text = ledgerText({ t: 0, total: 5, rows: [{ ...row, bytes: 5, said }], notes: [] });
    expect(text).toContain("ollama: all of the model (a?[2J): 5 B, as it says itself");
  });

  it("cannot be broken by the name of a process", () => {
    const parts = [{ label: "evil\u001b[2J\nname", bytes: 5 }];
    const hostile: Ledger = {
      t: 0,
      total: 5,
      rows: [
        { id: "others.other", group: "others", label: "Other programs", bytes: 5, sureness: "exact", how: "x", parts },
      ],
      notes: [],
    };
    expect(ledgerText(hostile)).toContain("evil?[2J?name: 5 B");
  });
});

it("says at least how much a group holds of which a row could not be read", () => {
  const unread = { id: "gpu.others", group: "gpu", label: "Others", sureness: "unknown", how: "x" } as const;
  const row = (id: string, bytes: number) => ({ ...unread, id, sureness: "exact", bytes }) as const;
  const rows = [row("gpu.tensors", 4 * 1024 * 1024), row("gpu.context", 1024 * 1024)];
  const first = (of: Ledger["rows"]) => ledgerText({ t: 0, total: 2 ** 30, rows: of, notes: [] }).split("\n")[1];
  expect(first(rows)).toMatch(/^ *5\.0 MiB +0\.5 % +GPU$/);
  expect(first([...rows, unread])).toMatch(/^ *≥ 5\.0 MiB +0\.5 % +GPU$/);
});

describe("what tools call used, as text", () => {
  it("has for each tool its figure and formula, and below them the reason or why it is missing", () => {
    const tool = { origin: "computed", formula: "A − B", reason: "Because." } as const;
    const text = toolsText([
      { ...tool, id: "jtop", label: "jtop, RAM used", bytes: 5 * 1024 * 1024 },
      { ...tool, id: "massif", label: "Massif", missing: "Not run." },
    ]);
    expect(text.split("\n")).toEqual([
      "5.0 MiB  jtop, RAM used  A − B",
      "         Because.",
      "      -  Massif          A − B",
      "         Not run.",
    ]);
  });
});
