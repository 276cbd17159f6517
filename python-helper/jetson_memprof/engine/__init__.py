"""The line engine: what runs inside the profiled process, and how its counters are read from beside it."""
