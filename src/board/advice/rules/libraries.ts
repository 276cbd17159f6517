/** What the libraries of CUDA take of the CPU's memory when they are loaded. */
import { formatBytes } from "../../../profile/text/format.ts";
import { sentences, t } from "../../../words/t.ts";
import { atLeast, type ExecutedLine, type Rule, type RunFacts } from "../facts.ts";
import type { AdviceStep } from "../model.ts";
import { LAZY_LOADING } from "../sources.ts";

const USES_CUDA = /\.cuda\(|\.to\(|\bdevice\s*=|torch\.cuda\./;
/** Less is not worth a word: no set of CUDA's libraries is smaller. */
const LEAST = 150 * 2 ** 20;
/** Of the board's RAM, where the run had enough all the same. */
const LARGE_SHARE = 0.2;

export const libraryLoad: Rule = (facts) => {
  const { cudaUsed, executed, memTotal, tight } = facts;
  if (!cudaUsed || memTotal === undefined) return undefined;
  const line = heaviest(executed.filter(({ text }) => USES_CUDA.test(text)));
  const bytes = line?.row.maxIncrement ?? 0;
  if (line === undefined || bytes < (tight ? LEAST : Math.max(LEAST, LARGE_SHARE * memTotal))) return undefined;
  const { remedy, steps } = lazyLoading(facts);
  return {
    rule: "library-load",
    symptom: t("The first use of CUDA takes far more memory than the tensors it moves."),
    evidence: [
      t("{0}:{1} added {2} to the process in one execution", line.path, line.line, formatBytes(bytes)),
      t("That is the CPU's memory, where CUDA's and cuDNN's libraries go; tensors on the GPU are not in it"),
    ],
    remedy: sentences(
      t("It is paid once for each process that uses CUDA."),
      remedy,
      t(
        "To see what cuDNN's part is, try `torch.backends.cudnn.enabled = False`: convolutions get slower. For inference alone, TensorRT needs less than PyTorch.",
      ),
    ),
    steps,
    source: LAZY_LOADING,
    place: { path: line.path, line: line.line },
    strength: "likely",
  };
};

function heaviest(lines: readonly ExecutedLine[]): ExecutedLine | undefined {
  return [...lines].sort((a, b) => (b.row.maxIncrement ?? 0) - (a.row.maxIncrement ?? 0))[0];
}

/** Lazy loading came with CUDA 11.7; PyTorch 1.13 asks for it by itself, and CUDA 12.2 does it by itself. */
function lazyLoading({ cuda, torch, run, board }: RunFacts): { readonly remedy: string; readonly steps: AdviceStep[] } {
  if (cuda === undefined) return { remedy: "", steps: [] };
  const named = `CUDA ${cuda.major}.${cuda.minor}${board.jetpack === undefined ? "" : ` (JetPack ${board.jetpack})`}`;
  if (!atLeast(cuda, 11, 7)) {
    return {
      remedy: t("Loading only the kernels that are used needs CUDA 11.7 or later; this board has {0}.", named),
      steps: [],
    };
  }
  const eager = run.environment["CUDA_MODULE_LOADING"]?.toUpperCase() === "EAGER";
  if (!eager && (atLeast(torch, 1, 13) || atLeast(cuda, 12, 2))) {
    return { remedy: t("Kernels are already loaded only when they are used here ({0}).", named), steps: [] };
  }
  const label = t("Set CUDA_MODULE_LOADING=LAZY for the script");
  return {
    remedy: eager
      ? t(
          "CUDA_MODULE_LOADING is set to EAGER, which loads every kernel; with LAZY, {0} loads only those that are used.",
          named,
        )
      : t("With CUDA_MODULE_LOADING=LAZY, {0} loads only the kernels that are used.", named),
    steps: [{ kind: "environment", label, name: "CUDA_MODULE_LOADING", value: "LAZY" }],
  };
}
