"""What the board says of itself and of its processes."""
