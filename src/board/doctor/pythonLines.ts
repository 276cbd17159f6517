/** The interpreters, and the packages that matter to a run. */
import { defined } from "../../profile/defined.ts";
import { printable } from "../../profile/text/text.ts";
import { sentences, t } from "../../words/t.ts";
import { isOlder } from "../parse/version.ts";
import type { SurveyedPython } from "../survey.ts";
import type { Facts } from "./facts.ts";
import type { DoctorLine, Remedy } from "./model.ts";
import { asRoot, hasApt, pipIsRefused, plainPath, rootLine } from "./remedies.ts";

export function pythonLines(facts: Facts): readonly DoctorLine[] {
  const { python } = facts;
  if (python === undefined) return [pythons(facts)];
  return [pythons(facts), torch(facts, python), memoryProfiler(facts, python)];
}

function pythons({ survey, python }: Facts): DoctorLine {
  const named = ({ path, version }: SurveyedPython) => `${printable(version)} (${printable(path)})`;
  const others = survey.pythons.filter((one) => one !== python).map(named);
  const used = python === undefined ? t("which one runs scripts is not known") : t("{0} runs scripts", named(python));
  return {
    id: "python",
    topic: "python",
    title: "Python",
    status: python === undefined ? "unknown" : "ok",
    found: others.length === 0 ? used : t("{0}; also {1}", used, others.join(t(", "))),
    goodFor: t("Scripts run with it; another one can be named in jetsonMemprof.python or with --python."),
    ...(survey.capabilities["gil"] === false
      ? { remedy: { text: t("It is a free-threaded build: native stacks under Massif show no Python lines with it.") } }
      : {}),
  };
}

const FOR_JETSON = "https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform/";
const FOR_JETPACK_4 = "https://forums.developer.nvidia.com/t/pytorch-for-jetson/72048";

function torch(facts: Facts, python: SurveyedPython): DoctorLine {
  const line = {
    id: "torch",
    topic: "python",
    title: "PyTorch",
    goodFor: t("Its allocator reports how much of the GPU's memory is tensors."),
  } as const;
  if (python.torch === undefined) {
    return {
      ...line,
      status: "missing",
      found: t("not installed for {0}", printable(python.path)),
      remedy: torchRemedy(facts),
    };
  }
  const version = `PyTorch ${printable(python.torch)}`;
  const build = buildOf(python.torch, python.torch_cuda);
  if (build.kind === "cpu") {
    const found = t("{0}, a build without CUDA", version);
    return facts.kind.tegra
      ? { ...line, status: "limited", found: t("{0}: it does not use the GPU", found), remedy: torchRemedy(facts) }
      : { ...line, status: "ok", found };
  }
  if (!facts.kind.tegra) {
    return {
      ...line,
      status: "ok",
      found: build.cuda === undefined ? version : t("{0}, for CUDA {1}", version, build.cuda),
    };
  }
  const { cuda } = facts.kind;
  if (build.cuda !== undefined && cuda !== undefined && major(build.cuda) !== major(cuda)) {
    return {
      ...line,
      status: "limited",
      found: t("{0} for CUDA {1}, but the board has CUDA {2}: it cannot use the GPU", version, build.cuda, cuda),
      remedy: torchRemedy(facts),
    };
  }
  if (build.kind === "nvidia") return { ...line, status: "ok", found: t("{0}, NVIDIA's build for Jetson", version) };
  if (build.kind === "cuda")
    return { ...line, status: "ok", found: t("{0}, for CUDA {1}", version, build.cuda ?? "?") };
  return {
    ...line,
    status: "unknown",
    found: t("{0}; its version does not show whether it is built for the GPU of a Jetson", version),
    ...torchCheck(python),
  };
}

interface TorchBuild {
  /** `unknown`: it may be for this board's GPU or not. */
  readonly kind: "nvidia" | "cuda" | "cpu" | "unknown";
  readonly cuda?: string;
}

/**
 * NVIDIA's builds for Jetson say `nv` and a date from JetPack 5 on; earlier ones are named as any other. Builds of
 * pytorch.org say `+cpu`, or `+cu126` for servers, which on a Jetson before Thor find no GPU.
 */
function buildOf(version: string, cuda: string | null | undefined): TorchBuild {
  const known = cuda == null ? {} : { cuda: printable(cuda) };
  if (cuda === null || /\+cpu/.test(version)) return { kind: "cpu" };
  if (/[+.]nv\d/.test(version)) return { kind: "nvidia", ...known };
  if (/\+cu\d/.test(version)) return { kind: "unknown", ...known };
  return { kind: cuda === undefined ? "unknown" : "cuda", ...known };
}

function major(version: string): string {
  return version.split(".")[0] ?? "";
}

function torchCheck({ path }: SurveyedPython): { readonly remedy?: Remedy } {
  const python = plainPath(path);
  if (python === undefined) return {};
  return {
    remedy: {
      text: t(
        "This asks PyTorch itself. It changes nothing: it prints the CUDA version that PyTorch was built for, and True where it finds the GPU.",
      ),
      command: `${python} -c 'import torch; print(torch.version.cuda, torch.cuda.is_available())'`,
    },
  };
}

function torchRemedy({ kind }: Facts): Remedy {
  if (!kind.tegra)
    return {
      text: t("If your scripts need it: https://pytorch.org/get-started/locally/ has the command for this system."),
    };
  const { l4t, jetpack } = kind;
  if (l4t === undefined) return { text: t("Install NVIDIA's build for the board's JetPack: {0}", FOR_JETSON) };
  const release = jetpack === undefined ? `L4T ${printable(l4t)}` : `JetPack ${jetpack}`;
  const old = isOlder(l4t, [34, 0]) === true;
  const builds = old
    ? t("NVIDIA's builds for it are for Python 3.6, PyTorch 1.10 at most; the list is at {0}", FOR_JETPACK_4)
    : t("NVIDIA's builds, one for each release, are at {0}", FOR_JETSON);
  return {
    text: sentences(t("Install the build for {0}; those of PyPI do not use the GPU of most Jetsons.", release), builds),
  };
}

/** The last release; it runs on Python 3.5 and later. */
const MEMORY_PROFILER = "0.61.0";

function memoryProfiler(facts: Facts, python: SurveyedPython): DoctorLine {
  const line = {
    id: "memory_profiler",
    topic: "python",
    title: "memory_profiler",
    goodFor: t("Only the engine memory_profiler needs it, for comparison; the line engine does not."),
  } as const;
  const { memory_profiler: version } = python;
  if (version !== undefined) return { ...line, status: "ok", found: `memory_profiler ${printable(version)}` };
  const remedy = memoryProfilerRemedy(facts, python);
  return {
    ...line,
    status: "ok",
    found: t("not installed, and not needed but for that engine"),
    ...defined({ remedy }),
  };
}

function memoryProfilerRemedy(facts: Facts, installed: SurveyedPython): Remedy | undefined {
  const python = plainPath(installed.path);
  if (python === undefined) return undefined;
  const ofSystem = /^\/usr\/bin\/python3?(\.\d+)?$/.test(python);
  if (ofSystem && pipIsRefused(facts)) {
    return asRoot(
      facts,
      t("This installs the distribution's package, as the system's Python takes none from pip."),
      "apt-get install -y python3-memory-profiler",
      "apt-get remove -y python3-memory-profiler",
    );
  }
  const first = ofSystem && hasApt(facts) ? neededFromApt(facts, installed) : pipFirst(python, installed);
  return {
    text: sentences(
      ofSystem
        ? t("This installs the package for your account.")
        : t("This installs the package into that Python's own folder."),
      first,
    ),
    command: `${python} -m pip install ${ofSystem ? "--user " : ""}memory_profiler==${MEMORY_PROFILER}`,
    undo: `${python} -m pip uninstall -y memory_profiler`,
  };
}

/** Its dependency psutil would have to be compiled by the pip of Ubuntu 18.04; the distribution has it ready. */
function neededFromApt(facts: Facts, { pip, psutil }: SurveyedPython): string | undefined {
  const packages = [pip === false ? "python3-pip" : undefined, psutil === undefined ? "python3-psutil" : undefined];
  const names = packages.filter((name) => name !== undefined).join(" ");
  return names === "" ? undefined : t("Run `{0}` first.", rootLine(facts, `apt-get install -y ${names}`));
}

function pipFirst(python: string, { pip }: SurveyedPython): string | undefined {
  return pip === false ? t("That Python has no pip yet; run `{0} -m ensurepip` first.", python) : undefined;
}
