"""What goes to the host: frames, and the files of a run as they grow."""
