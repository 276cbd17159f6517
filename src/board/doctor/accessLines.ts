/** What the account may read on the board, and what follows where it may not. */
import { formatBytes } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { t } from "../../words/t.ts";
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
    title: t("Root"),
    goodFor: t("A few figures and most of the commands here need it; profiling does not."),
  } as const;
  const { user } = survey;
  if (user === undefined) return { ...line, status: "unknown", found: t("the account could not be determined") };
  const name = printable(user.name ?? t("uid {0}", user.uid));
  if (isRoot) return { ...line, status: "ok", found: t("the account is {0} itself", name) };
  switch (user.sudo) {
    case "free":
      return { ...line, status: "ok", found: t("{0}, with sudo that asks for no password", name) };
    case "password":
      return { ...line, status: "ok", found: t("{0}, with sudo that asks for the password", name) };
    case "none":
      return { ...line, status: "limited", found: t("{0}, without sudo", name) };
    default:
      return { ...line, status: "unknown", found: t("{0}; whether it may use sudo could not be determined", name) };
  }
}

/** On a Jetson the GPU's devices belong to the group video. */
function gpuDevices(facts: Facts): readonly DoctorLine[] {
  const { kind, survey, isRoot } = facts;
  if (!kind.tegra || survey.user === undefined) return [];
  const line = {
    id: "gpu-devices",
    topic: "access",
    title: "GPU",
    goodFor: t("CUDA opens the GPU's devices."),
  } as const;
  if (isRoot) return [{ ...line, status: "ok", found: t("root may open its devices") }];
  if (survey.user.groups.includes("video"))
    return [{ ...line, status: "ok", found: t("your account is in the group video") }];
  return [
    {
      ...line,
      status: "limited",
      found: t("your account is not in the group video, so CUDA may find no GPU"),
      remedy: joinGroup(facts, "video", t("open the GPU's devices")),
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
    title: t("GPU memory by process"),
    goodFor: t("NvMap's table says which process holds how much of the GPU's memory."),
  } as const;
  if (table !== undefined) {
    const count = table.clients.length;
    const found =
      table.total === undefined
        ? t("readable: {0} clients", count)
        : t("readable: {0} clients, {1} in all", count, formatBytes(table.total));
    return [{ ...line, status: "ok", found }];
  }
  const used = meminfo["NvMapMemUsed"];
  const instead =
    used === undefined
      ? t("the GPU's memory shows only as what the run added to the kernel's")
      : t("the total is known from /proc/meminfo, not whose it is");
  if (survey.unreadable[NVMAP_CLIENTS] !== "permission-denied") {
    return [{ ...line, status: "unknown", found: t("NvMap's table was not found; {0}", instead) }];
  }
  return [
    {
      ...line,
      status: "limited",
      found: t("only root may read it; {0}", instead),
      remedy: asRoot(
        facts,
        t(
          "This lets every account of the board look into the kernel's debugging files (debugfs) until the next restart.",
        ),
        "mount -o remount,mode=755 /sys/kernel/debug",
        "mount -o remount,mode=700 /sys/kernel/debug",
      ),
    },
  ];
}

function otherProcesses({ survey, isRoot }: Facts): DoctorLine {
  const read = isRoot ? t("RSS, PSS and USS of all") : t("RSS of all, PSS and USS of your own only");
  return {
    id: "processes",
    topic: "access",
    title: t("Other processes"),
    status: isRoot ? "ok" : "limited",
    found:
      survey.capabilities["smaps_rollup"] === false
        ? t("{0}; this kernel has no smaps_rollup, so PSS and USS are read less often", read)
        : read,
    goodFor: t("The ledger says what other programs take; RSS is enough for its rows."),
  };
}

function peaks({ survey }: Facts): readonly DoctorLine[] {
  const works = survey.capabilities["clear_refs"];
  const line = {
    id: "clear_refs",
    topic: "access",
    title: t("Peak above entry"),
    goodFor: t("The most that a line held for a moment, even where it gave it back."),
  } as const;
  if (works === undefined)
    return [
      { ...line, status: "unknown", found: t("whether this kernel allows it to be measured could not be determined") },
    ];
  return [
    works
      ? { ...line, status: "ok", found: t("measured: this kernel allows the high-water mark to be reset") }
      : {
          ...line,
          status: "limited",
          found: t("not measured: this kernel does not allow the high-water mark to be reset"),
        },
  ];
}
