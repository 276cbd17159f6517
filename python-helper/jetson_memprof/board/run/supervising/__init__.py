"""The parts of the supervisor: what it waits for, whom it answers, what it has looked at, how it ends a run."""
