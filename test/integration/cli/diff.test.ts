/** Real runs whose difference is known: the change is found on its line, and equal runs have none. */
import * as path from "node:path";
import { describe, expect, it } from "vitest";
import { listRunFolders, runsFolderOf } from "../../../src/profile/run/runsFolder.ts";
import { readKeeping } from "../../../src/runs/keeping.ts";
import { ended, useProgram } from "./program.ts";

const MIB = 1024 * 1024;

const script = (size: number, above = "") => `${above}import mmap


def load(size):
    data = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, size, 4096):
        data[at] = 1
    return data


def main():
    first = load(16 << 20)
    second = load(${size} << 20)
    copies = [bytes(1000) for _ in range(100)]
    return first, second, copies


kept = main()
print("done")
`;

interface Change {
  readonly before?: number;
  readonly after?: number;
  readonly text: string;
  readonly net: { readonly verdict: string; readonly change_bytes?: number };
}

describe("diff of real runs", () => {
  const program = useProgram();

  async function profile(...options: string[]): Promise<void> {
    const { status, stderr } = await program.run("profile", "load.py", "--target", "local", "--quiet", ...options);
    expect(stderr).toBe("");
    expect(status).toBe(0);
  }

  async function compared(...words: string[]) {
    const { status, stdout, stderr } = await program.run("diff", ...words, "--json");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const json = JSON.parse(stdout);
    return { json, lines: json.files.flatMap((file: { lines: Change[] }) => file.lines) as Change[] };
  }

  it("finds 32 MiB more on the line that took them, below lines that were inserted", async () => {
    program.script("load.py", script(32));
    await profile();
    program.script("load.py", script(64, '"""Loads."""\nimport sys  # for later\n\n'));
    await profile();
    const [after = "", before = ""] = await listRunFolders(runsFolderOf(program.project));
    const { json, lines } = await compared(before, after);
    // What `load` touches is taken within its loop; the two calls of it and `main` have it too.
    const found = new Map(lines.map((line) => [line.text, line]));
    expect([...found.keys()].sort()).toEqual(["data[at] = 1", "kept = main()", "second = load(64 << 20)"]);
    expect(found.get("second = load(64 << 20)")).toMatchObject({ before: 13, after: 16, net: { verdict: "more" } });
    for (const { net } of lines) expect(Math.abs((net.change_bytes ?? 0) - 32 * MIB)).toBeLessThan(MIB);
    expect(json.peak.verdict).toBe("more");
    expect(Math.abs(json.peak.change_bytes - 32 * MIB)).toBeLessThan(MIB);
    const back = await compared(after, before);
    expect(back.json.peak.change_bytes).toBe(-json.peak.change_bytes);
    expect(back.lines.map(({ net }) => net.verdict)).toEqual(lines.map(() => "less"));
  });

  it("calls nothing of five equal runs a change, neither as a series nor one by one", async () => {
    program.script("load.py", script(32));
    await profile("--repeat", "5");
    const folders = (await listRunFolders(runsFolderOf(program.project))).reverse();
    const kept = await Promise.all(folders.map(readKeeping));
    expect(kept.map(({ group }) => group && [group.kind, group.index, group.of])).toEqual(
      [1, 2, 3, 4, 5].map((index) => ["repeat", index, 5]),
    );
    const id = kept[0]?.group?.id ?? "";
    expect(new Set(kept.map(({ group }) => group?.id))).toEqual(new Set([id]));
    for (const folder of folders) {
      const { json, lines } = await compared(id, folder);
      expect(lines).toEqual([]);
      expect(json.peak.verdict).toBe("same");
    }
    const [first = "", ...others] = folders.map((folder) => path.basename(folder));
    const halves = await compared([first, ...others.slice(0, 1)].join(), others.slice(1).join());
    expect(halves.lines).toEqual([]);
    expect(halves.json.peak).toMatchObject({ verdict: "same", noise: { known: true } });
    expect(halves.json.after.runs).toHaveLength(3);
  });

  it("a series has the first exit status that is not 0, and goes on after it", async () => {
    program.script(
      "exit.py",
      'import os\nfirst = not os.path.exists("ran")\nopen("ran", "w").close()\nraise SystemExit(3 if first else 4)\n',
    );
    const result = await program.run("profile", "exit.py", "--target", "local", "--quiet", "--repeat", "2", "--json");
    expect(result.status).toBe(3);
    const json = JSON.parse(result.stdout);
    expect(json).toMatchObject({ series: { planned: 2 }, peak: { runs: 2 } });
    expect(json.notes.join()).toContain(
      "2 of 2 runs of this series ended with exit status 3, ended with exit status 4",
    );
  });

  it.runIf(process.platform !== "win32")(
    "Ctrl-C ends the run and the series, and what was recorded is kept",
    async () => {
      program.script(
        "wait.py",
        'import os, time\nif os.path.exists("second"):\n    print("waiting", flush=True)\n    time.sleep(600)\nopen("second", "w").close()\n',
      );
      const child = program.start(["profile", "wait.py", "--target", "local", "--quiet", "--repeat", "3"]);
      child.stdin.end();
      child.stdout.on("data", (data) => {
        if (String(data).includes("waiting")) child.kill("SIGINT");
      });
      const { status, stdout } = await ended(child);
      expect(status).toBe(130);
      expect(stdout).toContain("2 of 3 runs of wait.py");
      expect(await listRunFolders(runsFolderOf(program.project))).toHaveLength(2);
    },
  );
});
