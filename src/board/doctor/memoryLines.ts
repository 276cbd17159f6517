/** RAM, swap, and what takes them before a script has begun. */
import { formatBytes } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { sentences, t } from "../../words/t.ts";
import { processKind } from "../ledger/processKinds.ts";
import type { ProcessMemory } from "../moments/model.ts";
import { largestFreeBlock } from "../parse/buddyinfo.ts";
import { parseSwaps, type SwapArea } from "../parse/swaps.ts";
import { parseZramStat, type ZramStat } from "../parse/zram.ts";
import { addSwapFile, REMOVE_SWAP_FILE } from "../swapFile.ts";
import type { Facts } from "./facts.ts";
import type { DoctorLine, Remedy } from "./model.ts";
import { asRoot, rootLine } from "./remedies.ts";

const GIB = 1024 ** 3;
/** With less of its RAM available than this a board is near its limit before anything was started. */
const LITTLE = 0.2;
/** Boards with this much RAM can do without more swap, and with a desktop. */
const PLENTY = 15 * GIB;

export function memoryLines(facts: Facts): readonly DoctorLine[] {
  return [ram(facts), ...limit(facts), swap(facts), desktop(facts)];
}

function ram({ meminfo, survey }: Facts): DoctorLine {
  const line = {
    id: "ram",
    topic: "memory",
    title: "RAM",
    goodFor: t("The script, its libraries and the GPU of a Jetson share it."),
  } as const;
  const { MemTotal: total, MemFree: free, MemAvailable: available, NvMapMemUsed: nvmap } = meminfo;
  if (total === undefined) return { ...line, status: "unknown", found: t("/proc/meminfo could not be read") };
  const block = largestFreeBlock(survey.files["proc/buddyinfo"] ?? "");
  const found = [
    t("{0} in all", formatBytes(total)),
    available === undefined ? undefined : t("{0} available now", formatBytes(available)),
    free === undefined ? undefined : t("{0} free", formatBytes(free)),
    nvmap === undefined ? undefined : t("{0} held through NvMap, mostly for the GPU", formatBytes(nvmap)),
    block === undefined ? undefined : t("largest free block {0}", formatBytes(block.bytes)),
  ];
  const text = found.filter((part) => part !== undefined).reduce((all, part) => t("{0}, {1}", all, part));
  if (available === undefined || available >= LITTLE * total) return { ...line, status: "ok", found: text };
  const largest = [...survey.processes].sort((a, b) => own(b) - own(a)).slice(0, 3);
  return {
    ...line,
    status: "limited",
    found: text,
    ...(largest.length === 0
      ? {}
      : {
          remedy: {
            text: t(
              "Little is left for a script. What takes the most now: {0}. End what is not needed.",
              largest
                .map((process) => `${printable(process.name)} (pid ${process.pid}) ${formatBytes(own(process))}`)
                .join(t(", ")),
            ),
          },
        }),
  };
}

/** What a process has for itself, bytes: its share of files is left out, as others use them too. */
function own(process: ProcessMemory): number {
  return process.uss ?? process.anon ?? process.rss;
}

function limit({ survey, meminfo }: Facts): readonly DoctorLine[] {
  const { memoryLimit } = survey;
  if (memoryLimit === undefined || memoryLimit >= (meminfo["MemTotal"] ?? Number.POSITIVE_INFINITY)) return [];
  return [
    {
      id: "memory-limit",
      topic: "memory",
      title: t("Memory limit"),
      status: "limited",
      found: t("your processes may take {0} together (a memory group of the kernel)", formatBytes(memoryLimit)),
      goodFor: t("A script is ended at this limit, even where the board has memory left."),
      remedy: {
        text: t("It is set where the account, the service or the container is set up, and can be raised there."),
      },
    },
  ];
}

function swap(facts: Facts): DoctorLine {
  const line = {
    id: "swap",
    topic: "memory",
    title: t("Swap"),
    goodFor: t("When RAM is short, a script's own memory can move there; memory of the GPU cannot."),
  } as const;
  const text = facts.survey.files["proc/swaps"];
  if (text === undefined) return { ...line, status: "unknown", found: t("/proc/swaps could not be read") };
  const areas = parseSwaps(text);
  const onDisk = areas.filter(({ kind }) => kind !== "zram");
  const found = [describeDisk(onDisk), describeZram(facts, areas)].filter((part) => part !== undefined).join(t("; "));
  if (onDisk.length > 0 || (facts.meminfo["MemTotal"] ?? 0) >= PLENTY) {
    return { ...line, status: "ok", found: found === "" ? t("none") : found };
  }
  return {
    ...line,
    status: areas.length === 0 ? "missing" : "limited",
    found: areas.length === 0 ? t("none") : t("{0}; none on a disk", found),
    remedy: swapRemedy(facts),
  };
}

function describeDisk(areas: readonly SwapArea[]): string | undefined {
  if (areas.length === 0) return undefined;
  return areas
    .map(({ path, size, used }) =>
      t("{0} on disk ({1}), {2} used", formatBytes(size), printable(path), formatBytes(used)),
    )
    .join(t("; "));
}

/** What lies in zram still takes RAM, only less of it: how much is the point. */
function describeZram({ survey }: Facts, areas: readonly SwapArea[]): string | undefined {
  const zram = areas.filter(({ kind }) => kind === "zram");
  if (zram.length === 0) return undefined;
  const size = zram.reduce((sum, area) => sum + area.size, 0);
  const stats = Object.entries(survey.files).flatMap(([path, text]) =>
    /^sys\/block\/zram\d+\/mm_stat$/.test(path) ? (parseZramStat(text) ?? []) : [],
  );
  return zramText(formatBytes(size), stats);
}

function zramText(size: string, stats: readonly ZramStat[]): string {
  if (stats.length === 0) return t("{0} of compressed swap in RAM (zram)", size);
  const stored = stats.reduce((sum, stat) => sum + stat.stored, 0);
  const used = stats.reduce((sum, stat) => sum + stat.used, 0);
  return stored === 0
    ? t("{0} of compressed swap in RAM (zram), empty now", size)
    : t(
        "{0} of compressed swap in RAM (zram), {1} are in it and take {2} of RAM themselves",
        size,
        formatBytes(stored),
        formatBytes(used),
      );
}

function swapRemedy(facts: Facts): Remedy {
  const free = facts.survey.disk?.free ?? 0;
  const size = [4, 2].find((gib) => free >= (gib + 4) * GIB);
  const why = t(
    "Swap on a disk lets a script outgrow the RAM for a while, slowly; swap in RAM (zram) only packs the RAM tighter.",
  );
  if (size === undefined) {
    return { text: sentences(why, t("The board's disk has too little room for a swap file.")) };
  }
  return asRoot(
    facts,
    sentences(
      why,
      t(
        "This makes a swap file of {0} GiB, uses it at once and after every restart. On an SD card it is slow and wears the card.",
        size,
      ),
    ),
    addSwapFile(size),
    REMOVE_SWAP_FILE,
  );
}

/** Programs that show the screen; others of a desktop also run without one. */
const DISPLAY =
  /^(x|xorg|xwayland|gnome-shell|compiz|mutter.*|kwin.*|plasmashell|lxsession|xfce4-session|weston|labwc|wayfire|sway)$/i;
const TARGET_LINKS = [
  "etc/systemd/system/default.target",
  "lib/systemd/system/default.target",
  "usr/lib/systemd/system/default.target",
];

function desktop(facts: Facts): DoctorLine {
  const { survey, kind, meminfo } = facts;
  const line = {
    id: "desktop",
    topic: "memory",
    title: t("Desktop"),
    goodFor: t("A desktop takes hundreds of MiB that a script could have."),
  } as const;
  if (survey.processes.length === 0)
    return { ...line, status: "unknown", found: t("the processes could not be listed") };
  const link = TARGET_LINKS.map((path) => survey.links[path]).find((target) => target !== undefined);
  if (!survey.processes.some(({ name }) => DISPLAY.test(name))) {
    return { ...line, status: "ok", found: t("not running") };
  }
  const processes = survey.processes.filter(({ name }) => DISPLAY.test(name) || processKind(name) === "desktop");
  const taken = processes.reduce((sum, process) => sum + own(process), 0);
  const gpu = gpuOf(facts, processes);
  const found =
    gpu === undefined
      ? t("running: its programs hold {0} for themselves", formatBytes(taken))
      : t("running: its programs hold {0} for themselves and {1} through NvMap", formatBytes(taken), formatBytes(gpu));
  if (!kind.tegra && (meminfo["MemTotal"] ?? 0) >= PLENTY) return { ...line, status: "ok", found };
  return { ...line, status: "limited", found, ...desktopRemedy(facts, link) };
}

function gpuOf({ nvmap }: Facts, processes: readonly ProcessMemory[]): number | undefined {
  if (nvmap === undefined) return undefined;
  const pids = new Set(processes.map(({ pid }) => pid));
  return nvmap.clients.filter(({ pid }) => pids.has(pid)).reduce((sum, { bytes }) => sum + bytes, 0);
}

function desktopRemedy(facts: Facts, link: string | undefined): { readonly remedy?: Remedy } {
  // No such link: not systemd, or not to be read; then nobody knows what starts it.
  if (link === undefined) return {};
  if (!link.endsWith("/graphical.target")) {
    return {
      remedy: asRoot(
        facts,
        t(
          "The board does not start a desktop by itself, but one was started. This ends it now, with all its windows; what is not saved there is lost.",
        ),
        "systemctl isolate multi-user.target",
        "systemctl isolate graphical.target",
      ),
    };
  }
  return {
    remedy: asRoot(
      facts,
      t(
        "The board starts without a desktop from the next restart on. SSH works as before. To end the desktop at once, with all its windows: `{0}`.",
        rootLine(facts, "systemctl isolate multi-user.target"),
      ),
      "systemctl set-default multi-user.target",
      "systemctl set-default graphical.target",
    ),
  };
}
