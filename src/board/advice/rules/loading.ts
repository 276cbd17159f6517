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
      gpu: t(
        "Weights are in the CPU's memory and in the GPU's while they are loaded; on this board that is the same RAM.",
      ),
      state: t("Weights from a file stay in memory beside those of the model that they are copied into."),
    }[kind],
    evidence: [
      t("{0}:{1} loaded {2}", path, line, loadedFiles(load)),
      ...loadFigures(load),
      ...(into === undefined ? [] : [t("{0}:{1} copies them into the model", into.path, into.line)]),
    ],
    remedy,
    steps: [],
    saves: {
      bytes: extra,
      how: kind === "state" ? t("what line {0} loaded", line) : t("what line {0} held a second time", line),
    },
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

function fixOf(found: Doubled, facts: RunFacts): Pick<Advice, "remedy" | "source"> {
  const { text } = found;
  const had = (name: string, key: string): string | undefined => {
    const version = facts.run.versions[key];
    return version === undefined ? undefined : t("This run had {0}.", `${name} ${version}`);
  };
  if (/\btorch\.load\(/.test(text)) {
    return { remedy: sentences(torchFix(found, facts), had("PyTorch", "torch")), source: TORCH_LOADING };
  }
  if (/\b(?:safe_open|load_file|load_model)\(/.test(text)) {
    return {
      remedy: sentences(safetensorsFix(found, facts), had("safetensors", "safetensors")),
      source: SAFETENSORS_UNIFIED,
    };
  }
  if (/\.from_pretrained\(/.test(text)) {
    return {
      remedy: sentences(transformersFix(found, facts), had("transformers", "transformers")),
      source: TRANSFORMERS_UNIFIED,
    };
  }
  return {
    remedy: /\b(?:np|numpy)\.load\(/.test(text)
      ? t('`numpy.load(path, mmap_mode="r")` maps the file: only what is used comes into memory.')
      : t(
          "Map the file (`mmap`, `numpy.memmap`), or read it into what keeps it (`readinto`): no second copy is made then. Libraries want the file's path, not its bytes.",
        ),
    source: KERNEL_MEMORY,
  };
}

function torchFix({ kind, text }: Doubled, { torch }: RunFacts): string {
  const old = torch !== undefined && !atLeast(torch, 2, 1);
  return sentences(
    /BytesIO\(|\.read\(/.test(text) ? t("Give `torch.load` the file's path, not its bytes.") : undefined,
    kind === "gpu"
      ? t("With `map_location=device`, `torch.load` moves each tensor as it is read: one at a time is there twice.")
      : undefined,
    old
      ? t(
          "PyTorch before 2.1 cannot map the file (`mmap=True`): `del` the dictionary as soon as its weights are in the model.",
        )
      : t(
          "`torch.load(path, mmap=True)` leaves tensors in the file until they are used, in pages that the kernel can drop (PyTorch 2.1 and newer; files saved since 1.6).",
        ),
    kind === "state" && !old
      ? t('With `load_state_dict(…, assign=True)` into a model made under `torch.device("meta")` nothing is copied.')
      : undefined,
  );
}

function safetensorsFix({ kind }: Doubled, { run }: RunFacts): string {
  if (kind !== "gpu") {
    return t(
      "The tensors of `load_file` are pages of the file. `clone()` and another type copy them: do that one by one.",
    );
  }
  return sentences(
    t(
      '`load_file(path, device="cuda", backend="pread")` reads each tensor into a buffer that is given back (safetensors 0.8 and newer).',
    ),
    atLeast(versionOf(run.versions["safetensors"]), 0, 8)
      ? undefined
      : t("Before that, take one tensor at a time from `safe_open` and move its copy: `.clone().to(device)`."),
  );
}

function transformersFix({ kind }: Doubled, { run }: RunFacts): string {
  return sentences(
    atLeast(versionOf(run.versions["transformers"]), 5, 0)
      ? undefined
      : t(
          "`low_cpu_mem_usage=True` (it needs accelerate; transformers 5 always does so) makes no weights that the file's replace, and `torch_dtype=\"auto\"` keeps the file's type.",
        ),
    kind === "gpu"
      ? t("Weights that go to the GPU from a mapped file may leave a copy of its pages until all are loaded.")
      : undefined,
  );
}
