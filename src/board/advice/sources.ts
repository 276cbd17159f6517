/** Where the rules' remedies are described by those who know best. */
import type { Advice } from "./model.ts";

type Source = Advice["source"];

export const LAZY_LOADING: Source = {
  title: "NVIDIA: CUDA Programming Guide, Lazy Loading",
  url: "https://docs.nvidia.com/cuda/cuda-programming-guide/04-special-topics/lazy-loading.html",
};
export const CUDA_FOR_TEGRA: Source = {
  title: "NVIDIA: CUDA for Tegra",
  url: "https://docs.nvidia.com/cuda/cuda-for-tegra-appnote/index.html",
};
export const JETSON_RAM: Source = {
  title: "NVIDIA: RAM optimization for Jetson",
  url: "https://github.com/NVIDIA-AI-IOT/jetson-generative-ai-playground/blob/main/docs/tips_ram-optimization.md",
};
export const KERNEL_MEMORY: Source = {
  title: "Linux: memory management concepts, out-of-memory killer",
  url: "https://docs.kernel.org/admin-guide/mm/concepts.html",
};
export const PROC_MEMINFO: Source = {
  title: "Linux: the proc file system, meminfo",
  url: "https://docs.kernel.org/filesystems/proc.html",
};
export const TORCH_ALLOCATOR: Source = {
  title: "PyTorch: CUDA semantics, memory management",
  url: "https://pytorch.org/docs/stable/notes/cuda.html",
};
export const TORCH_FAQ: Source = {
  title: "PyTorch: Frequently Asked Questions, out of memory",
  url: "https://pytorch.org/docs/stable/notes/faq.html",
};
export const TORCH_TUNING: Source = {
  title: "PyTorch: Performance Tuning Guide",
  url: "https://pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
};
export const TORCH_DATA: Source = {
  title: "PyTorch: torch.utils.data",
  url: "https://pytorch.org/docs/stable/data.html",
};
export const NVML_ON_JETSON: Source = {
  title: "PyTorch issue 185240: an NVML assert in place of an out-of-memory error",
  url: "https://github.com/pytorch/pytorch/issues/185240",
};
export const EXPANDABLE_ON_JETSON: Source = {
  title: "unsloth-zoo 1235: expandable segments fail on Tegra boards",
  url: "https://github.com/unslothai/unsloth-zoo/pull/1235",
};
export const NVMAP_ERROR: Source = {
  title: "nvImageCodec issue 43: NvMap error 12 that a restart of the board clears",
  url: "https://github.com/NVIDIA/nvImageCodec/issues/43",
};
export const TORCH_LOADING: Source = {
  title: "PyTorch: Tips for loading an nn.Module from a checkpoint",
  url: "https://pytorch.org/tutorials/recipes/recipes/module_load_state_dict_tips.html",
};
export const SAFETENSORS_UNIFIED: Source = {
  title: "safetensors issue 758: twice the memory where CPU and GPU share it",
  url: "https://github.com/huggingface/safetensors/issues/758",
};
export const TRANSFORMERS_UNIFIED: Source = {
  title: "transformers pull request 47257: twice the memory where CPU and GPU share it",
  url: "https://github.com/huggingface/transformers/pull/47257",
};
