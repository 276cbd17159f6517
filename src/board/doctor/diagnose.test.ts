import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { diagnoseBoard } from "./diagnose.ts";
import type { DoctorLine } from "./model.ts";
import { NANO, ORIN, PI, surveyOf } from "./testing.ts";

function linesOf(board: object, changes: object = {}): Readonly<Record<string, DoctorLine>> {
  return Object.fromEntries(diagnoseBoard(surveyOf(board, changes)).lines.map((line) => [line.id, line]));
}

const python = (one: object) => ({ pythons: [{ path: "/usr/bin/python3", version: "3.10.12", used: true, ...one }] });
const os = (board: { files: object }, id: string, version: string) => ({
  files: { ...board.files, "etc/os-release": `ID=${id}\nVERSION_ID="${version}"\n` },
});

describe("a Nano as JetPack 4.6 leaves it", () => {
  const report = diagnoseBoard(surveyOf(NANO));
  const lines = linesOf(NANO);

  it("has a line for everything, in the order of the topics", () => {
    expect(report.title).toBe("NVIDIA Jetson Nano Developer Kit, JetPack 4.6.1 (L4T 32.7.1)");
    expect(report.simulated).toBeUndefined();
    expect(report.lines.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "board ok",
      "jetpack ok",
      "system ok",
      "cuda ok",
      "disk ok",
      "ram ok",
      "swap limited",
      "desktop limited",
      "python ok",
      "torch ok",
      "memory_profiler ok",
      "valgrind missing",
      "tegrastats ok",
      "smem ok",
      "jtop limited",
      "root ok",
      "gpu-devices ok",
      "nvmap limited",
      "processes limited",
      "clear_refs ok",
    ]);
  });

  it("is told what it is, with figures", () => {
    expect(lines["board"]?.found).toBe("Jetson Nano 4 GB, tegra210, compute capability 5.3");
    expect(lines["cuda"]?.found).toBe("CUDA 10.2.300");
    expect(lines["ram"]?.found).toBe(
      "3964.1 MiB in all, 1464.8 MiB available now, 732.4 MiB free, 239.0 MiB held through NvMap, mostly for the GPU, largest free block 2.0 MiB",
    );
    expect(lines["torch"]?.found).toBe("PyTorch 1.10.0, for CUDA 10.2");
  });

  it("is told what zram costs, and gets a swap file on its disk", () => {
    expect(lines["swap"]?.found).toBe(
      "1982.0 MiB of compressed swap in RAM (zram), 40.0 MiB are in it and take 13.0 MiB of RAM themselves; none on a disk",
    );
    expect(lines["swap"]?.remedy).toMatchObject({ asRoot: true });
    expect(lines["swap"]?.remedy?.command).toMatch(/^sudo sh -c 'set -e; .*fallocate -l 4G .* swapon/);
    expect(lines["swap"]?.remedy?.undo).toMatch(/^sudo sh -c 'swapoff /);
  });

  it("can do without its desktop", () => {
    expect(lines["desktop"]?.found).toBe("running: its programs hold 200.3 MiB for themselves");
    expect(lines["desktop"]?.remedy).toMatchObject({
      command: "sudo systemctl set-default multi-user.target",
      undo: "sudo systemctl set-default graphical.target",
    });
  });

  it("gets the commands of its release, none of which asks anything", () => {
    expect(lines["valgrind"]?.remedy?.command).toBe("sudo apt-get install -y --no-install-recommends valgrind");
    expect(lines["memory_profiler"]?.remedy?.command).toBe(
      "/usr/bin/python3 -m pip install --user memory_profiler==0.61.0",
    );
    expect(lines["memory_profiler"]?.remedy?.text).toContain(
      "Run `sudo apt-get install -y python3-pip python3-psutil` first.",
    );
    expect(lines["jtop"]?.remedy?.command).toBe('sudo usermod -aG jtop "$USER"');
    expect(lines["nvmap"]?.remedy).toMatchObject({
      command: "sudo mount -o remount,mode=755 /sys/kernel/debug",
      undo: "sudo mount -o remount,mode=700 /sys/kernel/debug",
    });
    expect(lines["nvmap"]?.found).toContain("the total is known from /proc/meminfo");
  });
});

describe("a board that is set up well", () => {
  it("has nothing to be done but what no account can change", () => {
    const { lines } = diagnoseBoard(surveyOf(ORIN));
    expect(lines.filter(({ status }) => status !== "ok").map(({ id }) => id)).toEqual(["nvmap", "processes"]);
    expect(lines.filter(({ status, remedy }) => status === "ok" && remedy !== undefined)).toEqual([]);
    expect(linesOf(ORIN)["torch"]?.found).toBe("PyTorch 2.5.0a0+872d972e41.nv24.08, NVIDIA's build for Jetson");
  });
});

describe("a computer without NVIDIA's files", () => {
  const lines = linesOf(PI);

  it("is not told that they are missing", () => {
    expect(lines["board"]).toMatchObject({
      status: "ok",
      found: "Raspberry Pi 4 Model B Rev 1.4 (aarch64), not a Jetson",
    });
    for (const id of ["jetpack", "cuda", "tegrastats", "jtop", "nvmap", "gpu-devices"]) {
      expect(lines).not.toHaveProperty(id);
    }
    expect(JSON.stringify(lines)).not.toMatch(/L4T|JetPack|tegra/i);
  });

  it("gets its distribution's package where pip is refused", () => {
    expect(lines["memory_profiler"]?.remedy?.command).toBe("sudo apt-get install -y python3-memory-profiler");
  });

  it("with much RAM needs neither swap nor to be without its desktop", () => {
    const files = { ...PI.files, "proc/meminfo": "MemTotal: 33554432 kB\nMemAvailable: 30000000 kB\n" };
    const desktop = { processes: NANO.processes, links: NANO.links };
    const rich = linesOf(PI, { files, ...desktop });
    expect(rich["swap"]).toMatchObject({ status: "ok", found: "none" });
    expect(rich["desktop"]?.status).toBe("ok");
    expect(rich["desktop"]?.remedy).toBeUndefined();
  });

  it("of another family of Linux gets no command of apt", () => {
    for (const line of Object.values(linesOf(PI, os(PI, "fedora", "40")))) {
      expect(line.remedy?.command ?? "").not.toContain("apt");
    }
  });
});

describe("an account", () => {
  it("that is root gets commands without sudo", () => {
    const root = linesOf(NANO, { user: { uid: 0, name: "root", groups: ["root"], sudo: "none" } });
    for (const { remedy } of Object.values(root)) {
      expect(JSON.stringify(remedy ?? {})).not.toMatch(/\bsudo\b|asRoot/);
    }
    expect(root["desktop"]?.remedy?.command).toBe("systemctl set-default multi-user.target");
    expect(root["processes"]?.status).toBe("ok");
  });

  it("without sudo is told whom to ask", () => {
    const lines = linesOf(NANO, { user: { uid: 1001, name: "guest", groups: ["guest"], sudo: "none" } });
    expect(lines["root"]).toMatchObject({ status: "limited", found: "guest, without sudo" });
    expect(lines["gpu-devices"]).toMatchObject({ status: "limited" });
    expect(lines["gpu-devices"]?.remedy?.command).toBe('sudo usermod -aG video "$USER"');
    expect(lines["gpu-devices"]?.remedy?.text).toContain("ask the board's administrator");
  });
});

describe("every command of every board", () => {
  const boards = [NANO, ORIN, PI, { ...NANO, programs: {}, pythons: [], links: ORIN.links }];
  const remedies = boards.flatMap((board) =>
    diagnoseBoard(surveyOf(board)).lines.flatMap(({ remedy }) => remedy ?? []),
  );

  it("has sudo at its beginning or nowhere, and says so", () => {
    for (const { command, asRoot } of remedies) {
      expect((command ?? "").replace(/^sudo /, "")).not.toContain("sudo ");
      expect(command?.startsWith("sudo ") ?? false).toBe(asRoot === true);
    }
  });

  it("of apt and pip asks nothing", () => {
    for (const { command = "", undo = "" } of remedies) {
      for (const line of [command, undo]) {
        if (/apt-get (install|remove)|uninstall/.test(line)) expect(line).toMatch(/ -y /);
      }
    }
  });
});

describe("PyTorch on a Jetson", () => {
  it("built without CUDA does not use the GPU", () => {
    for (const build of [{ torch: "2.1.0", torch_cuda: null }, { torch: "2.1.0+cpu" }]) {
      expect(linesOf(ORIN, python(build))["torch"]).toMatchObject({
        status: "limited",
        found: `PyTorch ${build.torch}, a build without CUDA: it does not use the GPU`,
      });
    }
  });

  it("built for another CUDA cannot use the board's", () => {
    expect(linesOf(ORIN, python({ torch: "2.0.0+nv23.05", torch_cuda: "11.4" }))["torch"]).toMatchObject({
      status: "limited",
      found: "PyTorch 2.0.0+nv23.05 for CUDA 11.4, but the board has CUDA 12.6.11: it cannot use the GPU",
    });
  });

  it("of which nothing more is known can be asked itself", () => {
    expect(linesOf(ORIN, python({ torch: "2.3.0" }))["torch"]).toMatchObject({
      status: "unknown",
      remedy: { command: "/usr/bin/python3 -c 'import torch; print(torch.version.cuda, torch.cuda.is_available())'" },
    });
  });

  it("is not asked where the interpreter's path could say more than a path to a shell", () => {
    const odd = python({ path: "/home/x; rm -rf ~/bin/python3", torch: "2.3.0" });
    const lines = linesOf(ORIN, odd);
    expect(lines["torch"]?.remedy).toBeUndefined();
    expect(lines["memory_profiler"]?.remedy).toBeUndefined();
  });

  it("that is missing is to be NVIDIA's for the release", () => {
    expect(linesOf(ORIN, python({}))["torch"]?.remedy?.text).toContain("JetPack 6.2");
    expect(linesOf(NANO, python({ version: "3.6.9" }))["torch"]?.remedy?.text).toContain("Python 3.6, PyTorch 1.10");
  });
});

describe("memory_profiler", () => {
  it("goes into a virtual environment itself, not into the account", () => {
    const path = "/home/orin/venv/bin/python3";
    expect(linesOf(ORIN, python({ path }))["memory_profiler"]?.remedy?.command).toBe(
      `${path} -m pip install memory_profiler==0.61.0`,
    );
  });

  it.each([
    ["ubuntu", "18.04", "pip"],
    ["ubuntu", "22.04", "pip"],
    ["ubuntu", "24.04", "apt"],
    ["debian", "11", "pip"],
    ["debian", "13", "apt"],
  ])("on %s %s comes by %s", (id, version, way) => {
    const lines = linesOf(ORIN, { ...os(ORIN, id, version), ...python({}) });
    expect(lines["memory_profiler"]?.remedy?.command).toContain(way === "apt" ? "apt-get" : "-m pip");
  });
});

describe("valgrind", () => {
  const old = { programs: { valgrind: { path: "/usr/bin/valgrind", version: "3.13.0" } } };

  it("of JetPack 4 is right for a Nano", () => {
    expect(linesOf(NANO, old)["valgrind"]).toMatchObject({ status: "ok", found: "valgrind 3.13.0" });
  });

  it("of JetPack 4 is too old for a Xavier", () => {
    const files = { ...NANO.files, "proc/device-tree/compatible": "nvidia,p3509-0000+p3668-0000\0nvidia,tegra194\0" };
    const line = linesOf(NANO, { ...old, files })["valgrind"];
    expect(line).toMatchObject({ status: "limited", found: "valgrind 3.13.0, too old for this processor" });
    expect(line?.remedy?.text).toContain("SIGILL");
    expect(line?.remedy?.command).toBeUndefined();
  });
});

it("a release with a known fault is told of it", () => {
  const files = { ...ORIN.files, "etc/nv_tegra_release": "# R36 (release), REVISION: 4.7, GCID: 42132812" };
  const line = linesOf(ORIN, { files })["jetpack"];
  expect(line).toMatchObject({ status: "limited", found: "JetPack 6.2.1 (L4T 36.4.7)" });
  expect(line?.remedy?.text).toContain("NvMap error 12");
  expect(line?.remedy?.command).toBeUndefined();
});

describe("CUDA that is missing", () => {
  it.each([
    ["32.7.1", "cuda-toolkit-10-2"],
    ["35.4.1", "cuda-toolkit-11-4"],
    ["36.4.3", "cuda-toolkit-12-6"],
    ["38.2", "cuda-toolkit-13-0"],
  ])("under L4T %s is %s", (l4t, name) => {
    const [major, ...revision] = l4t.split(".");
    const release = `# R${major} (release), REVISION: ${revision.join(".")}, GCID: 1`;
    const files = { ...ORIN.files, "etc/nv_tegra_release": release, "usr/local/cuda/version.json": "" };
    expect(linesOf(ORIN, { files })["cuda"]?.remedy?.command).toBe(`sudo apt-get install -y ${name}`);
  });

  it("under a release that nobody knows has no command", () => {
    const files = {
      ...ORIN.files,
      "etc/nv_tegra_release": "# R37 (release), REVISION: 1",
      "usr/local/cuda/version.json": "",
    };
    const lines = linesOf(ORIN, { files });
    expect(lines["jetpack"]).toMatchObject({ status: "unknown", found: "JetPack unknown for L4T 37.1" });
    expect(lines["cuda"]).toMatchObject({ status: "missing" });
    expect(lines["cuda"]?.remedy).toBeUndefined();
  });
});

describe("memory", () => {
  it("that is nearly used up says by whom", () => {
    const files = { ...NANO.files, "proc/meminfo": "MemTotal: 4059240 kB\nMemAvailable: 400000 kB\n" };
    const line = linesOf(NANO, { files })["ram"];
    expect(line?.status).toBe("limited");
    expect(line?.remedy?.text).toContain(
      "gnome-shell (pid 2831) 171.7 MiB, python3 (pid 3000) 47.7 MiB, Xorg (pid 1731) 28.6 MiB",
    );
  });

  it("with a limit of its own is told", () => {
    expect(linesOf(NANO, { memory_limit: 1024 ** 3 })["memory-limit"]?.found).toContain("1024.0 MiB");
    expect(linesOf(NANO, { memory_limit: 64 * 1024 ** 3 })).not.toHaveProperty("memory-limit");
  });

  it("gets no swap file that its disk has no room for", () => {
    const swap = (gib: number) => linesOf(NANO, { disk: { path: "/", free: gib * 1024 ** 3 } })["swap"]?.remedy;
    expect(swap(7)?.command).toContain("fallocate -l 2G");
    expect(swap(5)).not.toHaveProperty("command");
  });

  it.runIf(existsSync("/bin/sh"))("the commands for a swap file are whole for a shell", () => {
    const { command = "", undo = "" } = linesOf(NANO)["swap"]?.remedy ?? {};
    for (const line of [command, undo]) {
      // With `sudo` standing for nothing, -n reads without running; the inner shell's words are read too.
      const inner = /^sudo sh -c '(.*)'$/s.exec(line)?.[1] ?? "";
      expect(inner).not.toBe("");
      expect(spawnSync("/bin/sh", ["-n", "-c", inner]).status).toBe(0);
    }
    const table = "/swapfile-jetson-memprof none swap sw 0 0\n/dev/sda1 / ext4 defaults 0 1\n";
    const expression = /sed -i ("[^"]+")/.exec(undo)?.[1] ?? "";
    const left = spawnSync("/bin/sh", ["-c", `sed ${expression}`], { input: table, encoding: "utf8" });
    expect(left.stdout).toBe("/dev/sda1 / ext4 defaults 0 1\n");
  });

  it("a desktop that was started by hand is ended, not its start forbidden", () => {
    expect(linesOf(NANO, { links: ORIN.links })["desktop"]?.remedy?.command).toBe(
      "sudo systemctl isolate multi-user.target",
    );
  });

  it("a desktop whose start nobody knows gets no command", () => {
    expect(linesOf(NANO, { links: {} })["desktop"]).toMatchObject({ status: "limited" });
    expect(linesOf(NANO, { links: {} })["desktop"]?.remedy).toBeUndefined();
  });

  it("a display server that the ledger sorts elsewhere is counted", () => {
    const processes = [[700, "weston", 1000, 49e6, 40 * 1024 ** 2, 5e6, 0, 0, null, null]];
    expect(linesOf(NANO, { processes })["desktop"]?.found).toBe("running: its programs hold 40.0 MiB for themselves");
  });

  it("services that a desktop also uses make no desktop", () => {
    const processes = [[900, "pulseaudio", 1000, 9e6, 4e6, 5e6, 0, 0, null, null]];
    expect(linesOf(NANO, { processes })["desktop"]).toMatchObject({ status: "ok", found: "not running" });
  });

  it("of the GPU is told for the desktop where NvMap's table may be read", () => {
    const clients = "CLIENT PROCESS PID SIZE\nuser gnome-shell 2831 20480K\nuser python3 3000 100K\ntotal 20580K\n";
    const files = { ...NANO.files, "sys/kernel/debug/nvmap/iovmm/clients": clients };
    const lines = linesOf(NANO, { files });
    expect(lines["desktop"]?.found).toContain("and 20.0 MiB through NvMap");
    expect(lines["nvmap"]).toMatchObject({ status: "ok", found: "readable: 2 clients, 20.1 MiB in all" });
  });
});

describe("a board that tells hardly anything", () => {
  it("has lines that say so, and no command", () => {
    const { title, lines } = diagnoseBoard(surveyOf({ schema: 1 }));
    expect(title).toBe("Linux computer");
    expect(Object.fromEntries(lines.map(({ id, status }) => [id, status]))).toMatchObject({
      ram: "unknown",
      swap: "unknown",
      desktop: "unknown",
      python: "unknown",
      root: "unknown",
      clear_refs: "unknown",
    });
    expect(lines.filter(({ remedy }) => remedy?.command !== undefined)).toEqual([]);
  });

  it("and garbage for the rest, has no more", () => {
    const garbage = "\u0000\u001b[2J'; rm -rf ~ #\u202e".repeat(500);
    const names = Object.keys(NANO.files);
    const survey = {
      schema: 1,
      files: Object.fromEntries([...names, "sys/block/zram0/mm_stat"].map((name) => [name, garbage])),
      links: { "etc/systemd/system/default.target": garbage.slice(0, 900) },
      user: { uid: 1000, name: garbage.slice(0, 900), groups: [garbage.slice(0, 900)] },
      programs: { valgrind: { path: garbage.slice(0, 900), version: garbage.slice(0, 900) } },
      packages: { "nvidia-l4t-core": garbage.slice(0, 900) },
      pythons: [
        { path: garbage.slice(0, 900), version: garbage.slice(0, 900), torch: garbage.slice(0, 900), used: true },
      ],
      processes: [[1, garbage.slice(0, 90), 0, 1, null, null, null, null, null, null]],
    };
    const { title, lines } = diagnoseBoard(surveyOf(survey));
    for (const { remedy } of lines) expect(remedy?.command ?? "").not.toContain("rm -rf");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(title + JSON.stringify(lines.map(({ found }) => found))).not.toMatch(/[\u0000-\u001f\u202e]/);
  });

  it("a simulated one is named", () => {
    expect(diagnoseBoard(surveyOf(NANO, { simulated: "Jetson Nano" })).simulated).toBe("Jetson Nano");
  });
});

describe("a board on which scripts run in a container", () => {
  const inside = surveyOf(PI, {
    ...python({ path: "/opt/python3", version: "3.10.12", torch: "2.7.0+cpu", torch_cuda: null }),
    memory_limit: 2 ** 30,
  });
  const report = diagnoseBoard({ ...surveyOf(NANO), container: { place: "container:trainer", survey: inside } });
  const line = (id: string) => report.lines.find((one) => one.id === id);

  it("is told of the container's Python, packages, valgrind and limit, and else of the board", () => {
    expect(report.title).toBe("container:trainer on NVIDIA Jetson Nano Developer Kit, JetPack 4.6.1 (L4T 32.7.1)");
    expect(line("python")).toMatchObject({ title: "Python in container:trainer", status: "ok" });
    expect(line("python")?.found).toContain("/opt/python3");
    expect(line("torch")?.found).toBe("PyTorch 2.7.0+cpu, a build without CUDA");
    expect(line("memory-limit")?.found).toContain("1024.0 MiB");
    expect(line("swap")?.found).toContain("zram");
    const topics = report.lines.map(({ topic }) => topic);
    expect(topics).toEqual([...topics].sort((a, b) => topics.indexOf(a) - topics.indexOf(b)));
  });

  it("has no command to run for what is the container's: it would change the board", () => {
    const { remedy, status } = line("valgrind") ?? {};
    expect(status).toBe("missing");
    expect(remedy?.command).toBeUndefined();
    expect(remedy?.text).toMatch(/In the container, or where its image is built: `.*apt-get install .*valgrind`\./);
    expect(line("swap")?.remedy?.command).toContain("fallocate");
  });
});
