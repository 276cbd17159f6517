import { describe, expect, test } from "vitest";
import { boardLines, TRAINING_GPU, training } from "../../../src/board/testing.ts";
import {
  drawn,
  MIB,
  moment,
  open,
  openRun,
  openWith,
  PEAK,
  PHASE_COSTS,
  press,
  RUN,
  rowOf,
  stage,
  text,
  WATCH,
  watchLines,
} from "./memoryStage.ts";

stage.use();

describe.skipIf(!stage.possible)("the memory page", () => {
  test("says that it is ready, once, and shows nothing before it was told", async () => {
    const view = await open();
    expect(await view.received()).toEqual([{ kind: "ready" }]);
    expect(await view.page.locator("#content").isVisible()).toBe(false);
  });

  test("a run opens at its peak, with the figures of that moment in its head", async () => {
    const view = await openRun();
    expect(await text(view, "h1")).toBe("train.py");
    expect(await text(view, "#board")).toBe("Jetson Nano · JetPack 4.6.1");
    expect(await text(view, "#simulated")).toBe("Simulated: Jetson Nano");
    expect(await moment(view)).toBe(PEAK);
    expect(await view.page.locator("#newest dt").allTextContents()).toEqual([
      "Peak at",
      "RAM used",
      "Available",
      "Swap used",
      "GPU load",
      "This run (RSS)",
    ]);
    expect(await view.page.locator("#newest dd").first().textContent()).toBe("30.0 s");
    expect(await view.page.locator("#chart .event-name").allTextContents()).toEqual(["baseline", "peak"]);
  });

  test("a peak between two records is told, at the record of the peak alone", async () => {
    const view = await openRun();
    const notes = async () => (await view.page.locator("#ledger-notes li").allTextContents()).join(" ");
    expect(await notes()).not.toContain("Between two records");
    await view.send({ kind: "ended", rssPeak: 1900 * 2 ** 20 });
    await drawn(view);
    expect(await notes()).toMatch(
      /Between two records the script's main process reached 1900\.0 MiB \(RSS\), the run's peak; here it is \d+\.\d MiB\./,
    );
    await press(view, "Home");
    await drawn(view);
    expect(await notes()).not.toContain("Between two records");
  });

  test("where the GPU's memory cannot be read, the peak is the moment with the least memory available", async () => {
    const view = await openRun("orin");
    expect(await moment(view)).toMatch(/, peak, when the least memory was available$/);
  });

  test("the ledger's rows add up to MemTotal, and say what changed since the baseline and how certain they are", async () => {
    const view = await openRun();
    const sizes = await view.page.locator("[data-row] > tr:first-child > td:nth-child(2)").allTextContents();
    const sum = sizes.reduce((all, size) => all + Number.parseFloat(size), 0);
    expect(Math.abs(sum - 3964)).toBeLessThan(0.05 * sizes.length + 0.05);
    expect(await view.page.locator("#ledger-sum td").first().textContent()).toBe("3964.0 MiB");
    expect(await rowOf(view, "gpu.tensors")).toEqual([
      "Tensors on the GPU (PyTorch)",
      "260.0 MiB",
      "6.6 %",
      "",
      "+260.0 MiB",
      "●exact",
    ]);
    expect(await rowOf(view, "run.anon")).toContain("+940.0 MiB");
  });

  test("what each phase took is a table that folds, with links to the lines that began them", async () => {
    const view = await openRun();
    expect(await view.page.locator("#phases").isVisible()).toBe(false);
    await view.send({ kind: "phases", costs: PHASE_COSTS });
    const cells = (row: number) => view.page.locator("#phases-rows tr").nth(row).locator("th, td").allTextContents();
    expect(await cells(0)).toEqual([
      "starting CUDA",
      "2.1 s",
      "train.py:33",
      "+1.0 MiB",
      "+300.0 MiB",
      "0 B",
      "+20.0 MiB",
      "○ +280.0 MiB",
    ]);
    expect((await cells(1)).slice(2)).toEqual(["–", "–", "–", "–", "–", "–"]);
    await view.page.getByRole("button", { name: "train.py:33", exact: true }).click();
    expect(await view.received()).toContainEqual({ kind: "goTo", place: { path: "train.py", line: 33 } });
    await view.page.locator("#phases summary").click();
    expect(await view.page.locator("#phases-table").isVisible()).toBe(false);
    await view.send(RUN);
    await expect.poll(() => view.page.locator("#phases").isVisible()).toBe(false);
  });

  test("the row of CUDA's context and libraries unfolds to who asked for it, and what the driver took itself", async () => {
    const view = await openRun();
    await view.send({ kind: "ended", gpu: TRAINING_GPU });
    await drawn(view);
    const row = view.page.locator('[data-row="gpu.context"]');
    await row.locator("button").click();
    expect((await row.locator(".part").allInnerTexts()).map((part) => part.split("\t").slice(0, 2))).toEqual([
      ["CUDA context", "190.0 MiB"],
      ["cuDNN", "64.0 MiB"],
      ["cuBLAS", "28.0 MiB"],
      ["Taken by the driver itself", "20.0 MiB"],
      ["Pinned memory", "8.0 MiB"],
    ]);
    expect(await row.locator(".detail").innerText()).toContain("as at the GPU peak of the run's processes");
  });

  test("a row unfolds to how it was obtained and to the processes it is made of", async () => {
    const view = await openRun();
    const desktop = view.page.locator('[data-row="others.desktop"]');
    expect(await desktop.locator(".detail").isVisible()).toBe(false);
    await desktop.locator("button").click();
    expect(await desktop.locator(".detail").isVisible()).toBe(true);
    expect((await desktop.locator(".part th").allTextContents()).join()).toContain("gnome-shell");
    expect(await desktop.locator("button").getAttribute("aria-expanded")).toBe("true");
  });

  test("what a server says itself stands below its row, marked, without share and change", async () => {
    const served = { p: [[900, "llama-server", 1000, 60 * MIB, 40 * MIB, 20 * MIB, 0, 0, null, null]] };
    const servers = [
      [
        900,
        "log",
        [
          ["weights", "CUDA0", 2376 * MIB],
          ["kv_cache", null, 1152 * MIB],
        ],
      ],
    ];
    const lines = boardLines("orin", training(10));
    const told = JSON.stringify({ ...JSON.parse(lines.at(-1) ?? ""), t: 10_500, ...served, servers });
    const view = await openWith(WATCH, [...lines, told]);
    const row = view.page.locator('[data-row="others.servers"]');
    await row.locator("button").click();
    expect(await row.locator(".part:not(.said) th").allTextContents()).toEqual(["llama-server"]);
    expect((await row.locator(".said").allInnerTexts()).map((part) => part.split("\t"))).toEqual([
      ["llama-server: weights (CUDA0)", "2376.0 MiB", "", "", "", "as it says itself"],
      ["llama-server: KV cache", "1152.0 MiB", "", "", "", "as it says itself"],
    ]);
    expect(await row.locator(".detail").innerText()).toContain("is not added up");
  });

  test("what held memory at the baseline and holds none now is told as well", async () => {
    const ended = [1731, 2831, 2950, 3100];
    const [header = "", baseline = "", ...later] = boardLines("nano", training(4));
    const without = later.map((line) => {
      const { p, ...record } = JSON.parse(line) as { readonly p: readonly (readonly [number])[] };
      return JSON.stringify({ ...record, p: p.filter(([pid]) => !ended.includes(pid)), gone: ended });
    });
    const view = await openWith(RUN, [header, baseline, ...without]);
    expect(await rowOf(view, "others.desktop")).toEqual(["Desktop", "0 B", "0.0 %", "", "-322.0 MiB", ""]);
  });

  test("a group of one row stands in one line", async () => {
    const view = await openRun();
    expect(await view.page.locator("tbody.group th").allTextContents()).toEqual([
      "This run",
      "GPU",
      "Other programs",
      "Kernel",
      "Page cache that no program has mapped",
      "Free",
    ]);
  });

  test("what only root may read is an unknown row with its reason and without a bar, never a zero", async () => {
    const view = await openRun("orin");
    const others = view.page.locator('[data-row="gpu.others"]');
    expect((await rowOf(view, "gpu.others")).slice(1)).toEqual(["not read", "", "", "", "?not readable"]);
    expect(await others.locator(".detail").textContent()).toContain("Not readable without root");
    expect(await others.locator(".detail").isVisible()).toBe(true);
    expect(await others.locator(".bar-of").count()).toBe(0);
  });

  test("the mouse reads a moment, a click chooses it, and its line can be opened", async () => {
    const view = await openRun();
    const box = await view.page.locator("#plot").boundingBox();
    if (!box) throw new Error("The chart is not drawn.");
    await view.page.mouse.move(box.x + box.width - 24, box.y + 100);
    expect(await text(view, "#reading-title")).toBe("40.0 s");
    expect(await moment(view)).toBe(PEAK);
    await view.page.mouse.click(box.x + box.width - 24, box.y + 100);
    expect(await moment(view)).toBe("at 40.0 s");
    expect(await text(view, "#open-line")).toBe("Open train.py:33");
    await view.page.locator("#open-line").click();
    expect((await view.received()).at(-1)).toEqual({ kind: "goTo", place: { path: "train.py", line: 33 } });
  });

  test("the keyboard does all of it, and a screen reader is told the moment", async () => {
    const view = await openRun();
    await press(view, "Home");
    expect(await moment(view)).toBe("at before the start, baseline");
    expect(await view.page.locator("#ledger-table").getAttribute("class")).toContain("without-baseline");
    await press(view, "ArrowRight");
    expect(await moment(view)).toBe("at 1.0 s");
    await press(view, "End", "ArrowLeft");
    expect(await moment(view)).toBe("at 39.0 s");
    await press(view, "b");
    expect(await moment(view)).toContain("baseline");
    await press(view, "p", "Enter");
    const valueText = await view.page.locator("#plot").getAttribute("aria-valuetext");
    expect(valueText).toMatch(/^30\.0 s, peak, RAM used \d+\.\d MiB, Available \d+\.\d MiB, train\.py line 33$/);
    expect((await view.received()).at(-1)).toEqual({ kind: "goTo", place: { path: "train.py", line: 33 } });
  });

  test("a click where no record is yet chooses the newest one, not what comes later", async () => {
    const view = await openWith(WATCH, watchLines(0, 10), { folder: "" });
    const box = await view.page.locator("#plot").boundingBox();
    await view.page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - 40, (box?.y ?? 0) + 100);
    await view.send({ kind: "records", lines: watchLines(10, 30) });
    await expect.poll(() => view.page.locator("#plot").getAttribute("aria-valuemax")).toBe("29");
    expect(await moment(view)).toBe("at 9.0 s");
  });

  test("a moment without a known line offers no way there", async () => {
    const view = await openRun();
    await press(view, "Home", "Enter");
    expect(await view.page.locator("#open-line").isDisabled()).toBe(true);
    expect(await view.received()).toHaveLength(1);
  });

  test("the picture is a bar or an icicle; keys move through it and Enter leads to the row in the table", async () => {
    const view = await openRun();
    expect(await view.page.locator("[data-box]").count()).toBe(6);
    await view.page.locator("label", { hasText: "Icicle" }).click();
    const picture = view.page.locator("#picture");
    expect(await picture.locator('[data-box="gpu.tensors"]').count()).toBe(1);
    await picture.press("ArrowRight");
    await picture.press("ArrowRight");
    expect(await text(view, "#picture-text")).toMatch(/^GPU · \d+\.\d MiB · \d+\.\d % of the RAM$/);
    await picture.press("ArrowDown");
    expect(await text(view, "#picture-text")).toMatch(/^Tensors on the GPU \(PyTorch\) · 260\.0 MiB · .* · exact$/);
    await picture.press("Enter");
    expect(await view.page.locator('[data-row="gpu.tensors"] .detail').isVisible()).toBe(true);
    expect(await view.page.evaluate("document.activeElement.textContent")).toContain("Tensors");
  });

  test("a click on the picture leads to the row as well, one on a group to its first row", async () => {
    const view = await openRun();
    await view.page.locator('[data-box="kernel"]').click();
    expect(await view.page.evaluate("document.activeElement.textContent")).toBe("Kernel objects that stay");
    await view.page.locator("label", { hasText: "Icicle" }).click();
    await view.page.locator('[data-box="run.anon"]').click();
    expect(await view.page.locator('[data-row="run.anon"] .detail').isVisible()).toBe(true);
  });

  test("the tools stand in the order of their figures, each with its reason; one without says why", async () => {
    const view = await openWith(
      { ...RUN, massif: { bytes: 700 * 1024 * 1024, pages: false } },
      boardLines("nano", training(40)),
    );
    const rows = view.page.locator("#tools-rows tr");
    const figures = await rows.locator("td.number").allTextContents();
    const known = figures.filter((figure) => figure !== "not read").map(Number.parseFloat);
    expect(known).toEqual([...known].sort((a, b) => b - a));
    expect(figures).toContain("700.0 MiB");
    expect(figures.slice(known.length).every((figure) => figure === "not read")).toBe(true);
    for (const why of await rows.locator(".why p:first-child").allTextContents()) expect(why).toMatch(/\w.*\.$/);
    expect(await rows.locator(".formula").count()).toBe(await rows.count());
  });

  test("the ledger and the tools' figures can be copied as text", async () => {
    const view = await openRun();
    await view.page.locator("#copy").click();
    const message = (await view.received()).at(-1) as { readonly kind: string; readonly text: string };
    expect(message.kind).toBe("copy");
    expect(message.text).toContain("train.py, Jetson Nano · JetPack 4.6.1, 30.0 s, peak, simulated: Jetson Nano");
    expect(message.text).toContain("Tensors on the GPU (PyTorch)");
    expect(message.text).toContain("htop");
    await view.page.locator("#status", { hasText: "Copied" }).waitFor();
  });
});
