import { describe, expect, it } from "vitest";
import { NANO } from "./doctor/testing.ts";
import { decodeSurvey } from "./survey.ts";

describe("a survey", () => {
  it("is read with everything in it", () => {
    const read = decodeSurvey({ ...NANO, simulated: "Jetson Nano", memory_limit: 5e9 });
    expect(read).toMatchObject({
      simulated: "Jetson Nano",
      unreadable: { "sys/kernel/debug/nvmap/iovmm/clients": "permission-denied" },
      user: { uid: 1000, groups: ["nano", "sudo", "video"], sudo: "password" },
      programs: { tegrastats: { path: "/usr/bin/tegrastats" }, valgrind: null },
      pythons: [{ torch: "1.10.0", torch_cuda: "10.2", used: true }],
      memoryLimit: 5e9,
    });
    expect(read.processes.map(({ name }) => name)).toEqual(["Xorg", "gnome-shell", "python3"]);
    expect(read.files["proc/device-tree/model"]).toBe("NVIDIA Jetson Nano Developer Kit\0");
  });

  it("may say nothing but its format", () => {
    expect(decodeSurvey({ schema: 1 })).toEqual({
      files: {},
      unreadable: {},
      links: {},
      programs: {},
      packages: {},
      pythons: [],
      processes: [],
      capabilities: {},
    });
  });

  it("loses only the parts that are wrong", () => {
    const read = decodeSurvey({
      schema: 1,
      files: { "proc/meminfo": "MemTotal: 1 kB", "proc/swaps": 7 },
      unreadable: { a: "missing", b: "on holiday" },
      user: { uid: "root" },
      programs: { valgrind: { path: 5 }, smem: null },
      pythons: [{ path: "/usr/bin/python3", version: "3.8.10", torch: 5, torch_cuda: 7, used: "yes" }, "python"],
      processes: [[1, "init", 0, 1000, null, null, null, null, null, null], [2], null],
      capabilities: { gil: "no" },
      disk: { path: "/", free: -1 },
      memory_limit: "all",
      something: { else: true },
    });
    expect(read).toEqual({
      files: { "proc/meminfo": "MemTotal: 1 kB" },
      unreadable: { a: "missing" },
      links: {},
      programs: { smem: null },
      packages: {},
      pythons: [{ path: "/usr/bin/python3", version: "3.8.10", used: false }],
      processes: [{ pid: 1, name: "init", uid: 0, rss: 1000 }],
      capabilities: {},
    });
  });

  it("keeps apart a torch without CUDA and one of which that is not known", () => {
    const torchOf = (python: object) =>
      decodeSurvey({ schema: 1, pythons: [{ path: "/p", version: "3.8.1", torch: "2.0", ...python }] }).pythons[0];
    expect(torchOf({ torch_cuda: null })).toHaveProperty("torch_cuda", null);
    expect(torchOf({})).not.toHaveProperty("torch_cuda");
  });

  it.each([null, [], "survey", {}, { schema: "1" }])("is damaged: %j", (value) => {
    expect(() => decodeSurvey(value)).toThrow(expect.objectContaining({ code: "survey-damaged" }));
  });

  it("of a newer format is refused", () => {
    expect(() => decodeSurvey({ schema: 2 })).toThrow(expect.objectContaining({ code: "schema-too-new" }));
  });
});
