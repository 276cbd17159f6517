"""Inference servers beside the run: what they say themselves of weights, KV cache and buffers."""
