"""Inside a process that runs under valgrind massif: Python lines in the native stacks, checkpoints, chosen lines."""
