"""One run: the process beside the script, and what it records."""
