"""Takes memory as it is imported."""
kept = bytearray(b"x") * (4 << 20)
