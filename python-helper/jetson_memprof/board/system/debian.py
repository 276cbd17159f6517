"""Versions of installed Debian packages, from dpkg's own list: asking dpkg-query takes a small board longer."""
_STATUS = "var/lib/dpkg/status"
_LONGEST = 64 << 20


def installed(system, names):
    """{name: version} of those of the packages that are installed."""
    try:
        data = b"\n" + system.read(_STATUS, _LONGEST)
    except OSError:
        return {}
    found = {}
    for name in names:
        at = -1
        while True:  # a package may be there once for each architecture
            at = data.find(b"\nPackage: " + name.encode("utf-8") + b"\n", at + 1)
            if at < 0:
                break
            end = data.find(b"\n\n", at)
            paragraph = data[at:end if end >= 0 else len(data)] + b"\n"
            version = _field(paragraph, b"Version")
            if version and _field(paragraph, b"Status").endswith(b" ok installed"):
                found[name] = version.decode("utf-8", "replace")
                break
    return found


def _field(paragraph, name):
    _, found, rest = paragraph.partition(b"\n" + name + b":")
    return rest[:rest.index(b"\n")].strip() if found else b""
