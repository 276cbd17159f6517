"""A run inside a container: the engine that has it, what the host says of it, and what mirrors the run out of it."""
