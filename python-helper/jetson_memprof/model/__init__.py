"""Inside the profiled process: which layer of a PyTorch model holds which bytes, and changes to it that are tried out."""
