/** A checkpoint that is in memory twice while it is loaded, and how the installed libraries avoid that. */
import type { LineLoad } from "../../../profile/loads/lineLoads.ts";
import { loadedFiles, loadFigures } from "../../../profile/loads/loadText.ts";
import { sentences, t } from "../../../words/t.ts";
import { atLeast, type ExecutedLine, type Rule, type RunFacts, versionOf } from "../facts.ts";
import type { Advice } from "../model.ts";
import { KERNEL_MEMORY, SAFETENSORS_UNIFIED, TORCH_LOADING, TRANSFORMERS_UNIFIED } from "../sources.ts";

const MIB = 2 ** 20;
const STATE = /\.load_state_dict\(/;

/** `copies`: in the CPU's memory. `gpu`: there and on the GPU, which is the same RAM. `state`: beside the model's own. */
interface Doubled {
  readonly load: LineLoad;
  readonly text: string;
  readonly kind: "copies" | "gpu" | "state";
  /** Bytes that were there a second time. */
  readonly extra: number;
  readonly into?: ExecutedLine;
}

export const loadedTwice: Rule = (facts) => {
  const { loads, memTotal, tight } = facts;
  if (memTotal === undefined) return undefined;
  const least = tight ? 32 * MIB : Math.max(32 * MIB, 0.05 * memTotal);
  const [found] = loads
    .flatMap((load) => doubled(load, facts) ?? [])
    .filter(({ extra }) => extra >= least)
    .sort((a, b) => b.extra - a.extra);
  if (found === undefined) return undefined;
  const { load, kind, extra, into } = found;
  const { path, line } = load;
  const { remedy, source } = fixOf(found, facts);
  return {
    rule: "loaded-twice",
    symptom: {
      copies: t("A file is in memory twice while it is loaded."),
      gpu: t("Weights are in the CPU's and the GPU's memory while they are loaded, which is the same RAM here."),
      state: t("Weights from a file stay in memory beside the model's own."),
    }[kind],
    evidence: [
      t("{0}:{1} loaded {2}", path, line, loadedFiles(load)),
      ...loadFigures(load),
      ...(into === undefined ? [] : [t("{0}:{1} copies them into the model", into.path, into.line)]),
    ],
    remedy,
    steps: [],
    saves: { bytes: extra, how: t("what line {0} held a second time", line) },
    source,
    place: { path, line },
    strength: "likely",
  };
};

function doubled(load: LineLoad, facts: RunFacts): Doubled | undefined {
  const { size, kept, mapped = 0, copied = 0, others = 0, gpu = 0 } = load;
  if (load.peak === undefined) return undefined;
  const peak = load.peak - others;
  const text = facts.source(load.path)?.[load.line - 1] ?? "";
  const half = size / 2;
  if (sharesMemory(facts) && Math.min(gpu, peak) >= half) {
    return { load, text, kind: "gpu", extra: Math.min(gpu, peak, size) };
  }
  // The file's own pages are no copy: the kernel can drop them. After the last look all of them may have come.
  const pages = Math.max(0, Math.min(mapped, peak) - copied);
  const own = peak - pages;
  if (STATE.test(text)) {
    const extra = own - Math.max(0, (kept ?? 0) - others);
    return extra >= half ? { load, text, kind: "state", extra } : undefined;
  }
  // Of a line that was ended in it is known what it held only: once the file is its due.
  const left = kept === undefined ? size : kept - pages - others;
  const over = own - left;
  if (left >= half && over >= half) return { load, text, kind: "copies", extra: over };
  const into = facts.executed.find((one) => one.path === load.path && one.line > load.line && STATE.test(one.text));
  return into !== undefined && kept !== undefined && left >= half
    ? { load, text, kind: "state", extra: left, into }
    : undefined;
}

function sharesMemory({ board, last, tightest }: RunFacts): boolean {
  const own = [last, tightest].some((moment) => moment?.cuda?.integrated === false);
  const shared = [last, tightest].some((moment) => moment?.cuda?.integrated === true || moment?.noGpuMemory === true);
  return !own && (board.tegra || shared);
}

type Fix = readonly [remedies: readonly (string | false)[], source: Advice["source"], name?: string];

function fixOf(found: Doubled, facts: RunFacts): Pick<Advice, "remedy" | "source"> {
  const [remedies, source, name] = callFix(found, facts);
  const version = name === undefined ? undefined : facts.run.versions[name === "PyTorch" ? "torch" : name];
  const had = version !== undefined && t("This run had {0}.", `${name} ${version}`);
  return { remedy: sentences(...[...remedies, had].map((one) => one || undefined)), source };
}

/** What is to be done about the call that the line makes. */
function callFix({ kind, text }: Doubled, { torch, run }: RunFacts): Fix {
  const onGpu = kind === "gpu";
  if (/\btorch\.load\(/.test(text)) {
    const maps = torch === undefined || atLeast(torch, 2, 1);
    const fixes = [
      /BytesIO\(|\.read\(/.test(text) && pathNotBytes(),
      onGpu && t("`map_location=device` has `torch.load` move each tensor as it is read."),
      maps &&
        t(
          "`torch.load(path, mmap=True)` (PyTorch 2.1 and newer) leaves tensors in the file's pages, which the kernel can drop.",
        ),
      maps &&
        kind === "state" &&
        t('`load_state_dict(…, assign=True)` into a model made under `torch.device("meta")` copies nothing.'),
      !maps &&
        t(
          "`del` the dictionary once its weights are in the model: only PyTorch 2.1 and newer can map the file (`mmap=True`).",
        ),
    ];
    return [fixes, TORCH_LOADING, "PyTorch"];
  }
  const oneByOne = () => t("Take one tensor at a time from `safe_open`, and move its copy: `.clone().to(device)`.");
  if (onGpu && /\b(?:safe_open|load_file|load_model)\(/.test(text)) {
    const reads = t('`backend="pread"` of `load_file` (safetensors 0.8 and newer) holds no pages of the file.');
    const fixes = [reads, !atLeast(versionOf(run.versions["safetensors"]), 0, 8) && oneByOne()];
    return [fixes, SAFETENSORS_UNIFIED, "safetensors"];
  }
  if (/\.from_pretrained\(/.test(text)) {
    const fixes = [
      atLeast(versionOf(run.versions["transformers"]), 5, 0)
        ? t('`dtype="auto"` keeps the type that the file has.')
        : t(
            "`low_cpu_mem_usage=True` (with accelerate) makes no weights that the file's replace; transformers 5 never does.",
          ),
      onGpu && oneByOne(),
    ];
    return [fixes, TRANSFORMERS_UNIFIED, "transformers"];
  }
  const mapped = t(
    'Map the file (`mmap`, `numpy.load(path, mmap_mode="r")`), or read it into what keeps it (`readinto`).',
  );
  return [[mapped, pathNotBytes()], KERNEL_MEMORY];
}

const pathNotBytes = (): string => t("Give libraries the file's path, not its bytes.");
