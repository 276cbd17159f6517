"""The board's side beside the profiled process: commands, supervisor, sync."""
