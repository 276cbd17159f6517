/** Which board it is, by what it says of itself. What cannot be told is absent. */
import { defined } from "../../profile/defined.ts";
import { printable } from "../../profile/text/text.ts";
import { t } from "../../words/t.ts";
import { deviceTreeStrings } from "../parse/deviceTree.ts";
import { COMPUTE_CAPABILITY, CUDA, FAMILIES, JETPACK, MODULES, type Module, SIZES } from "./tables.ts";

export interface BoardFacts {
  /** The device tree's `model`. */
  readonly model?: string;
  /** The device tree's `compatible`, or its last item. */
  readonly compatible?: string;
  /** `32.7.1`. */
  readonly l4t?: string;
  /** As installed. */
  readonly cuda?: string;
  /** Bytes. */
  readonly memTotal?: number;
}

export interface BoardKind {
  /** `Nano`, `AGX Orin`, … */
  readonly family?: string;
  /** The module's size, where there are several: `4 GB`. */
  readonly variant?: string;
  /** `tegra210`. */
  readonly soc?: string;
  readonly jetpack?: string;
  readonly l4t?: string;
  /** As installed, else the one that this L4T release brings. */
  readonly cuda?: string;
  readonly computeCapability?: string;
  /** `NVIDIA Jetson Nano Developer Kit, JetPack 4.6.1 (L4T 32.7.1)`. */
  readonly title: string;
  /** A Jetson, whose GPU shares the RAM. */
  readonly tegra: boolean;
}

export function identifyBoard(facts: BoardFacts): BoardKind {
  const compatible = deviceTreeStrings(facts.compatible ?? "");
  const model = deviceTreeStrings(facts.model ?? "")[0];
  const soc = compatible.flatMap((item) => /^nvidia,(tegra\d{2,3})$/.exec(item)?.[1] ?? []).at(-1);
  const { l4t } = facts;
  const tegra = soc !== undefined || l4t !== undefined || (model !== undefined && /\bjetson\b/i.test(model));
  const module = tegra ? moduleOf(compatible, model) : undefined;
  const variant = module?.variant ?? (module && sizeOf(module.family, facts.memTotal));
  const jetpack = l4t === undefined ? undefined : jetpackOf(l4t);
  const cuda = facts.cuda ?? (l4t === undefined ? undefined : cudaOf(l4t));
  const computeCapability = soc === undefined ? undefined : COMPUTE_CAPABILITY[soc];
  return {
    ...defined({ family: module?.family, variant, soc, jetpack, l4t, cuda, computeCapability }),
    title: [model === undefined ? unnamed(tegra, module) : printable(model), releaseText(l4t, jetpack)]
      .filter((part) => part !== undefined)
      .join(", "),
    tegra,
  };
}

function unnamed(tegra: boolean, module: Module | undefined): string {
  if (module !== undefined) return `NVIDIA Jetson ${module.family}`;
  return tegra ? t("NVIDIA Jetson board") : t("Linux computer");
}

/** `JetPack 4.6.1 (L4T 32.7.1)`. */
export function releaseText(l4t: string | undefined, jetpack: string | undefined): string | undefined {
  if (l4t === undefined) return undefined;
  return jetpack === undefined
    ? t("JetPack unknown for L4T {0}", printable(l4t))
    : `JetPack ${jetpack} (L4T ${printable(l4t)})`;
}

/** `compatible` names the carrier board and the module in one item: `nvidia,p3768-0000+p3767-0005`. */
function moduleOf(compatible: readonly string[], model: string | undefined): Module | undefined {
  for (const [number] of compatible.join(" ").matchAll(/p\d{4}-\d{4}/g)) {
    const module = MODULES[number];
    if (module !== undefined) return module;
  }
  const family = FAMILIES.find((name) => model !== undefined && new RegExp(`\\b${name}\\b`, "i").test(model));
  return family === undefined ? undefined : { family };
}

function sizeOf(family: string, memTotal: number | undefined): string | undefined {
  if (memTotal === undefined) return undefined;
  return SIZES[family]?.find(([least]) => memTotal >= least)?.[1];
}

/** The JetPack that an L4T release belongs to. A release that nobody here knows has none. */
function jetpackOf(l4t: string): string | undefined {
  return JETPACK.find(([release]) => isRelease(l4t, release))?.[1];
}

/** The CUDA that comes with an L4T release. */
export function cudaOf(l4t: string): string | undefined {
  return CUDA.find(([release]) => isRelease(l4t, release))?.[1];
}

/** `38.2.0` and `38.2` are the same. */
function isRelease(l4t: string, pattern: string): boolean {
  if (pattern.endsWith(".*")) return `${l4t}.`.startsWith(pattern.slice(0, -1));
  return withoutZeros(l4t) === withoutZeros(pattern);
}

function withoutZeros(release: string): string {
  return release.replace(/(\.0)+$/, "");
}
