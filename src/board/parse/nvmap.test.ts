import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseNvmapClients } from "./nvmap.ts";

const TABLE = `CLIENT                        PROCESS      PID        SIZE
user                          python3     4242     612344K
user                  Web Content tab     3111          2M
gralloc                          Xorg     1731        512
total                                              614900K
`;

describe("the table of NvMap's clients", () => {
  it("is read with names that hold spaces, sizes of any unit, and its own total", () => {
    expect(parseNvmapClients(TABLE)).toEqual({
      clients: [
        { client: "user", process: "python3", pid: 4242, bytes: 612344 * 1024 },
        { client: "user", process: "Web Content tab", pid: 3111, bytes: 2 * 1024 * 1024 },
        { client: "gralloc", process: "Xorg", pid: 1731, bytes: 512 },
      ],
      total: 614900 * 1024,
    });
  });

  it("is read in the form with each client's mappings too", () => {
    const maps = TABLE.replace(
      "user                  Web",
      "                   7f8a000000       4096K        0      1      0\n                         7f8b000000       128K  user\nuser                  Web",
    );
    expect(parseNvmapClients(maps)).toEqual(parseNvmapClients(TABLE));
  });

  it("may have no clients yet", () => {
    expect(parseNvmapClients("CLIENT PROCESS PID SIZE\n")).toEqual({ clients: [] });
  });

  it("has what came before it was cut off, and no total then", () => {
    expect(parseNvmapClients(TABLE.slice(0, TABLE.indexOf("2M") + 1))).toEqual({
      clients: [
        { client: "user", process: "python3", pid: 4242, bytes: 612344 * 1024 },
        { client: "user", process: "Web Content tab", pid: 3111, bytes: 2 },
      ],
    });
  });

  it.each(["", "\n\n", "cat: Permission denied", "4242\n", "\0"])("is none: %j", (text) => {
    expect(parseNvmapClients(text)).toBeUndefined();
  });
});

const fixture = fileURLToPath(new URL("../../../../shared/fixtures/nvmap/clients_gimbal.txt", import.meta.url));

it.runIf(existsSync(fixture))("a real table of clients: the rows add up to its total", () => {
  const read = parseNvmapClients(readFileSync(fixture, "utf8"));
  expect(read?.clients.map(({ process }) => process)).toEqual(["gem", "gnome-shell", "Xorg", "nvargus-daemon"]);
  expect(read?.total).toBe(141896 * 1024);
  expect(read?.clients.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(read?.total);
});
