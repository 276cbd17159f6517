/** What cannot be recorded of PyTorch on a board, or changes what the script sees, told before the script is started. */
import { isOlder } from "../../board/parse/version.ts";
import { printable } from "../../profile/text/text.ts";
import type { TorchRequest } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";

interface Note {
  readonly code: string;
  readonly message: string;
}

/** @param torch the version that the board's Python has; undefined where it has none that was found */
export function torchNotes(request: TorchRequest, torch: string | undefined): readonly Note[] {
  if (torch === undefined) {
    const message = t(
      "PyTorch was not found for the Python used on the board, so there may be nothing of it to record. If another Python has it, name that one.",
    );
    return [{ code: "torch-missing", message }];
  }
  const notes: Note[] = [];
  const name = t("PyTorch {0}", printable(torch));
  if (request.snapshots !== undefined && isOlder(torch, [1, 13]) === true) {
    const message = t(
      "{0} cannot record its allocator's history, so there will be no allocator snapshots: that needs PyTorch 1.13 or newer.",
      name,
    );
    notes.push({ code: "no-allocator-history", message });
  }
  if (request.exactPeaks) {
    const message = t(
      "With exact CUDA peaks PyTorch's own peak is reset at each line that changed it, so torch.cuda.max_memory_allocated() in the script tells the peak since then, not since its start.",
    );
    notes.push({ code: "exact-cuda-peaks", message });
  }
  if (request.model !== undefined && isOlder(torch, [1, 10]) === true) {
    const message = t(
      "{0} does not report which tensors are kept for the backward pass (1.10 and newer do), so activations in the model account are each layer's outputs, a stand-in.",
      name,
    );
    notes.push({ code: "activations-by-outputs", message });
  }
  return notes;
}
