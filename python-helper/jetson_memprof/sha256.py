"""SHA-256 without hashlib, which would load OpenSSL: some MiB, and 10 ms."""
try:
    from _sha256 import sha256
except ImportError:
    try:
        from _sha2 import sha256
    except ImportError:
        from hashlib import sha256

__all__ = ["sha256"]
