"""The heap sampler: allocations by native stack and Python line, sampled inside the process (accel/heap)."""
