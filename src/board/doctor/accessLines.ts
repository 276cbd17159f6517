/** What the account may read on the board, and what follows where it may not. */
import { formatBytes } from "../../profile/format.ts";
import { printable } from "../../profile/text.ts";
import { type Facts, NVMAP_CLIENTS } from "./facts.ts";
import type { DoctorLine } from "./model.ts";
import { asRoot, joinGroup } from "./remedies.ts";

export function accessLines(facts: Facts): readonly DoctorLine[] {
  return [root(facts), ...gpuDevices(facts), ...nvmap(facts), otherProcesses(facts), ...peaks(facts)];
}

function root({ survey, isRoot }: Facts): DoctorLine {
  const line = {
    id: "root",
    topic: "access",
    title: "Root",
    goodFor: "A few figures and most of the commands here need it; profiling does not.",
  } as const;
  const { user } = survey;
  if (user === undefined) return { ...line, status: "unknown", found: "the account could not be told" };
  const name = printable(user.name ?? `uid ${user.uid}`);
  if (isRoot) return { ...line, status: "ok", found: `the account is ${name} itself` };
  switch (user.sudo) {
    case "free":
      return { ...line, status: "ok", found: `${name}, with sudo that asks for no password` };
    case "password":
      return { ...line, status: "ok", found: `${name}, with sudo that asks for the password` };
    case "none":
      return { ...line, status: "limited", found: `${name}, without sudo` };
    default:
      return { ...line, status: "unknown", found: `${name}; whether it may use sudo could not be told` };
  }
}

/** On a Jetson the GPU's devices belong to the group video. */
function gpuDevices(facts: Facts): readonly DoctorLine[] {
  const { kind, survey, isRoot } = facts;
  if (!kind.tegra || survey.user === undefined) return [];
  const line = { id: "gpu-devices", topic: "access", title: "GPU", goodFor: "CUDA opens the GPU's devices." } as const;
  if (isRoot) return [{ ...line, status: "ok", found: "root may open its devices" }];
  if (survey.user.groups.includes("video"))
    return [{ ...line, status: "ok", found: "your account is in the group video" }];
  return [
    {
      ...line,
      status: "limited",
      found: "your account is not in the group video, so CUDA may find no GPU",
      remedy: joinGroup(facts, "video", "open the GPU's devices"),
    },
  ];
}

function nvmap(facts: Facts): readonly DoctorLine[] {
  const { kind, survey, meminfo, nvmap: table } = facts;
  // Thor's GPU is driven by nvidia.ko, which has no such table.
  if (!kind.tegra || kind.soc === "tegra264") return [];
  const line = {
    id: "nvmap",
    topic: "access",
    title: "GPU memory by process",
    goodFor: "NvMap's table says which process holds how much of the GPU's memory.",
  } as const;
  if (table !== undefined) {
    const total = table.total === undefined ? "" : `, ${formatBytes(table.total)} in all`;
    return [{ ...line, status: "ok", found: `readable: ${table.clients.length} clients${total}` }];
  }
  const used = meminfo["NvMapMemUsed"];
  const instead =
    used === undefined
      ? "the GPU's memory shows only as what the run added to the kernel's"
      : "the total is known from /proc/meminfo, not whose it is";
  if (survey.unreadable[NVMAP_CLIENTS] !== "permission-denied") {
    return [{ ...line, status: "unknown", found: `NvMap's table was not found; ${instead}` }];
  }
  return [
    {
      ...line,
      status: "limited",
      found: `only root may read it; ${instead}`,
      remedy: asRoot(
        facts,
        "This lets every account of the board look into the kernel's debugging files (debugfs) until the next restart.",
        "mount -o remount,mode=755 /sys/kernel/debug",
        "mount -o remount,mode=700 /sys/kernel/debug",
      ),
    },
  ];
}

function otherProcesses({ survey, isRoot }: Facts): DoctorLine {
  const slow =
    survey.capabilities["smaps_rollup"] === false
      ? "; this kernel has no smaps_rollup, so PSS and USS are read less often"
      : "";
  return {
    id: "processes",
    topic: "access",
    title: "Other processes",
    status: isRoot ? "ok" : "limited",
    found: `${isRoot ? "RSS, PSS and USS of all" : "RSS of all, PSS and USS of your own only"}${slow}`,
    goodFor: "The ledger says what other programs take; RSS is enough for its rows.",
  };
}

function peaks({ survey }: Facts): readonly DoctorLine[] {
  const works = survey.capabilities["clear_refs"];
  const line = {
    id: "clear_refs",
    topic: "access",
    title: "Peak above entry",
    goodFor: "The most that a line held for a moment, even where it gave it back.",
  } as const;
  if (works === undefined)
    return [{ ...line, status: "unknown", found: "whether this kernel lets it be measured could not be told" }];
  return [
    works
      ? { ...line, status: "ok", found: "measured: this kernel lets the high-water mark be reset" }
      : { ...line, status: "limited", found: "not measured: this kernel does not let the high-water mark be reset" },
  ];
}
