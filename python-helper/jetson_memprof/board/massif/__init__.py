"""Engine massif on the board's side: valgrind's start, its log and its files."""
