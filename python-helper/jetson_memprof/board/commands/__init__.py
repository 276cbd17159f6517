"""What the host asks for, a command each, and what a request of theirs says."""
