"""The sampling allocation engine on the board's side: its start in the script's process, and what comes of its logs."""
