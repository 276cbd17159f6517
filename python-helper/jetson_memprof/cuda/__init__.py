"""Beside RSS: PyTorch's CUDA memory, the board's memory in use and a run's phases, inside the profiled process.

Nothing here imports torch, initialises CUDA or waits for the GPU.
"""
