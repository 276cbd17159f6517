/** Which board and which release it is, and what room its disk has. */
import { defined } from "../../profile/defined.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { sentences, t } from "../../words/t.ts";
import { cudaOf, releaseText } from "../identity/identify.ts";
import type { Facts } from "./facts.ts";
import type { DoctorLine, Remedy } from "./model.ts";
import { asRoot, hasApt } from "./remedies.ts";

const GIB = 1024 ** 3;

export function boardLines(facts: Facts): readonly DoctorLine[] {
  return [board(facts), ...jetpack(facts), ...system(facts), ...cuda(facts), ...disk(facts)];
}

function board({ kind, survey }: Facts): DoctorLine {
  const line = { id: "board", topic: "board", title: t("Board") } as const;
  const machine = survey.kernel?.machine === undefined ? "" : ` (${printable(survey.kernel.machine)})`;
  if (!kind.tegra) {
    return {
      ...line,
      status: "ok",
      found: t("{0}, not a Jetson", `${kind.title}${machine}`),
      goodFor: t("Lines, timeline and ledger work as on a Jetson; only what comes from NVIDIA's files is missing."),
    };
  }
  const { family, variant, soc, computeCapability } = kind;
  const parts = [
    family === undefined ? undefined : `Jetson ${family}${variant === undefined ? "" : ` ${variant}`}`,
    soc,
    computeCapability === undefined ? undefined : t("compute capability {0}", computeCapability),
  ].filter((part) => part !== undefined);
  return {
    ...line,
    status: family === undefined ? "unknown" : "ok",
    found:
      family === undefined
        ? [t("{0}: a module not known here", kind.title), ...parts].join(t(", "))
        : parts.join(t(", ")),
    goodFor: t("Advice and commands are chosen for this board."),
  };
}

function jetpack({ kind }: Facts): readonly DoctorLine[] {
  if (!kind.tegra) return [];
  const line = {
    id: "jetpack",
    topic: "board",
    title: "JetPack",
    goodFor: t("Says which CUDA, Python and PyTorch belong together."),
  } as const;
  const found = releaseText(kind.l4t, kind.jetpack);
  if (found === undefined) {
    return [
      {
        ...line,
        status: "unknown",
        found: t("neither /etc/nv_tegra_release nor the package nvidia-l4t-core tells it"),
      },
    ];
  }
  if (kind.l4t === "36.4.7") {
    return [
      {
        ...line,
        status: "limited",
        found,
        remedy: {
          text: t(
            "With L4T 36.4.7 CUDA may fail with NvMap error 12 although memory is free. Restarting the board helps for a while; JetPack 6.2.2 (L4T 36.5) is newer.",
          ),
        },
      },
    ];
  }
  return [{ ...line, status: kind.jetpack === undefined ? "unknown" : "ok", found }];
}

function system({ os, survey }: Facts): readonly DoctorLine[] {
  const { release, machine } = survey.kernel ?? {};
  const parts = [os.name, release && t("kernel {0}", release), machine].filter((part) => part);
  if (parts.length === 0) return [];
  return [
    {
      id: "system",
      topic: "board",
      title: t("System"),
      status: "ok",
      found: printable(parts.join(t(", "))),
      goodFor: t("The commands below are for this system."),
    },
  ];
}

function cuda(facts: Facts): readonly DoctorLine[] {
  const { kind, installedCuda, survey } = facts;
  const line = { id: "cuda", topic: "board", title: "CUDA", goodFor: t("PyTorch on the GPU needs it.") } as const;
  if (installedCuda !== undefined) return [{ ...line, status: "ok", found: `CUDA ${installedCuda}` }];
  if (!kind.tegra) {
    const smi = survey.programs["nvidia-smi"];
    return smi ? [{ ...line, status: "unknown", found: t("an NVIDIA driver, but no /usr/local/cuda") }] : [];
  }
  const remedy = cudaRemedy(facts);
  return [{ ...line, status: "missing", found: t("nothing in /usr/local/cuda"), ...defined({ remedy }) }];
}

function cudaRemedy(facts: Facts): Remedy | undefined {
  const { l4t } = facts.kind;
  const version = l4t === undefined ? undefined : cudaOf(l4t);
  if (version === undefined) return undefined;
  // NVIDIA's apt repositories for boards began with JetPack 4.3.
  if (!hasApt(facts) || facts.kind.jetpack === undefined || /^(3|4\.2)/.test(facts.kind.jetpack)) {
    return { text: t("CUDA {0} belongs to this release. Install it with NVIDIA's SDK Manager.", version) };
  }
  return asRoot(
    facts,
    t("This installs CUDA {0}, which belongs to this release, and takes some GiB on the disk.", version),
    `apt-get install -y cuda-toolkit-${version.replace(".", "-")}`,
  );
}

function disk(facts: Facts): readonly DoctorLine[] {
  const { survey } = facts;
  if (survey.disk === undefined) return [];
  const { path, free } = survey.disk;
  const line = {
    id: "disk",
    topic: "board",
    title: t("Disk"),
    found: t("{0} free at {1}", formatBytes(free), printable(path)),
    goodFor: t("Runs are recorded there before they are fetched; a swap file needs room too."),
  } as const;
  if (free >= GIB) return [{ ...line, status: "ok" }];
  const text = t("Old runs are in ~/.jetson-memprof/runs and may be deleted.");
  return [
    {
      ...line,
      status: "limited",
      remedy: hasApt(facts)
        ? asRoot(
            facts,
            sentences(text, t("The command deletes installation packages that apt keeps but no longer needs.")),
            "apt-get clean",
          )
        : { text },
    },
  ];
}
