/** Which board and which release it is, and what room its disk has. */
import { formatBytes } from "../../profile/format.ts";
import { printable } from "../../profile/text.ts";
import { cudaOf, releaseText } from "../identity/identify.ts";
import type { Facts } from "./facts.ts";
import type { DoctorLine, Remedy } from "./model.ts";
import { asRoot, hasApt } from "./remedies.ts";

const GIB = 1024 ** 3;

export function boardLines(facts: Facts): readonly DoctorLine[] {
  return [board(facts), ...jetpack(facts), ...system(facts), ...cuda(facts), ...disk(facts)];
}

function board({ kind, survey }: Facts): DoctorLine {
  const line = { id: "board", topic: "board", title: "Board" } as const;
  const machine = survey.kernel?.machine === undefined ? "" : ` (${printable(survey.kernel.machine)})`;
  if (!kind.tegra) {
    return {
      ...line,
      status: "ok",
      found: `${kind.title}${machine}, not a Jetson`,
      goodFor: "Lines, timeline and ledger work as on a Jetson; only what NVIDIA's files tell is not there.",
    };
  }
  const { family, variant, soc, computeCapability } = kind;
  const parts = [
    family === undefined ? undefined : `Jetson ${family}${variant === undefined ? "" : ` ${variant}`}`,
    soc,
    computeCapability === undefined ? undefined : `compute capability ${computeCapability}`,
  ].filter((part) => part !== undefined);
  return {
    ...line,
    status: family === undefined ? "unknown" : "ok",
    found: family === undefined ? [`${kind.title}: a module not known here`, ...parts].join(", ") : parts.join(", "),
    goodFor: "Advice and commands are chosen for this board.",
  };
}

function jetpack({ kind }: Facts): readonly DoctorLine[] {
  if (!kind.tegra) return [];
  const line = {
    id: "jetpack",
    topic: "board",
    title: "JetPack",
    goodFor: "Says which CUDA, Python and PyTorch belong together.",
  } as const;
  const found = releaseText(kind.l4t, kind.jetpack);
  if (found === undefined) {
    return [
      { ...line, status: "unknown", found: "neither /etc/nv_tegra_release nor the package nvidia-l4t-core tells it" },
    ];
  }
  if (kind.l4t === "36.4.7") {
    return [
      {
        ...line,
        status: "limited",
        found,
        remedy: {
          text:
            "With L4T 36.4.7 CUDA may fail with NvMap error 12 although memory is free. Restarting the board helps for a " +
            "while; JetPack 6.2.2 (L4T 36.5) is newer.",
        },
      },
    ];
  }
  return [{ ...line, status: kind.jetpack === undefined ? "unknown" : "ok", found }];
}

function system({ os, survey }: Facts): readonly DoctorLine[] {
  const { release, machine } = survey.kernel ?? {};
  const parts = [os.name, release && `kernel ${release}`, machine].filter((part) => part);
  if (parts.length === 0) return [];
  return [
    {
      id: "system",
      topic: "board",
      title: "System",
      status: "ok",
      found: printable(parts.join(", ")),
      goodFor: "The commands below are for this system.",
    },
  ];
}

function cuda(facts: Facts): readonly DoctorLine[] {
  const { kind, installedCuda, survey } = facts;
  const line = { id: "cuda", topic: "board", title: "CUDA", goodFor: "PyTorch on the GPU needs it." } as const;
  if (installedCuda !== undefined) return [{ ...line, status: "ok", found: `CUDA ${installedCuda}` }];
  if (!kind.tegra) {
    const smi = survey.programs["nvidia-smi"];
    return smi ? [{ ...line, status: "unknown", found: "an NVIDIA driver, but no /usr/local/cuda" }] : [];
  }
  const remedy = cudaRemedy(facts);
  return [
    { ...line, status: "missing", found: "nothing in /usr/local/cuda", ...(remedy === undefined ? {} : { remedy }) },
  ];
}

function cudaRemedy(facts: Facts): Remedy | undefined {
  const { l4t } = facts.kind;
  const version = l4t === undefined ? undefined : cudaOf(l4t);
  if (version === undefined) return undefined;
  // NVIDIA's apt repositories for boards began with JetPack 4.3.
  if (!hasApt(facts) || facts.kind.jetpack === undefined || /^(3|4\.2)/.test(facts.kind.jetpack)) {
    return { text: `CUDA ${version} belongs to this release. Install it with NVIDIA's SDK Manager.` };
  }
  return asRoot(
    facts,
    `This installs CUDA ${version}, which belongs to this release, and takes some GiB on the disk.`,
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
    title: "Disk",
    found: `${formatBytes(free)} free at ${printable(path)}`,
    goodFor: "Runs are recorded there before they come home; a swap file needs room too.",
  } as const;
  if (free >= GIB) return [{ ...line, status: "ok" }];
  const text = "Old runs lie in ~/.jetson-memprof/runs and may be deleted.";
  return [
    {
      ...line,
      status: "limited",
      remedy: hasApt(facts)
        ? asRoot(
            facts,
            `${text} The command deletes installation packages that apt keeps but no longer needs.`,
            "apt-get clean",
          )
        : { text },
    },
  ];
}
