import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MOST_BYTES, readImport } from "./readImport.ts";

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "import-"));
});
afterEach(() => rmSync(project, { recursive: true }));

const place = (name: string, text = "") => {
  writeFileSync(join(project, name), text);
  return join(project, name);
};

describe("readImport", () => {
  it("takes the project's source that agrees with the report, but none from outside of the project", async () => {
    place("train.py", "import a\nnet = f()\n");
    symlinkSync("/etc/hostname", join(project, "link.py"));
    const rows = (name: string) => `Filename: /b/${name}\n     2 2081.602 MiB 1585.188 MiB           1   net = f()\n`;
    const file = place("report.txt", rows("train.py") + rows("link.py"));
    const { sources, profile } = await readImport({ file, project });
    expect(sources.get("train.py")).toBe("import a\nnet = f()\n");
    expect(sources.get("link.py")).toBe("\nnet = f()\n");
    expect(profile.run.imported?.file).toBe("report.txt");
  });

  it("refuses in words what it cannot read", async () => {
    await expect(readImport({ file: join(project, "gone"), project })).rejects.toThrow(/it does not exist/);
    await expect(readImport({ file: project, project })).rejects.toThrow(/it is a folder/);
    await expect(readImport({ file: place("empty"), project })).rejects.toThrow(/is empty/);
    const large = place("large", "MEM 1.0 1.0\n");
    // It takes no room on the disk.
    truncateSync(large, MOST_BYTES + 1);
    await expect(readImport({ file: large, project })).rejects.toThrow(/up to 256\.0 MiB/);
  });
});
