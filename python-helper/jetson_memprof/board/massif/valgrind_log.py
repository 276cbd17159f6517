"""What valgrind's own messages mean for the person who profiles."""
import os
import re

NAME = "valgrind.%s.log"
NEED_LESS = ("Run fewer or smaller batches, count mapped pages instead of heap blocks (--pages-as-heap), choose fewer "
             "lines to measure, or raise the threshold.")

_NAME = re.compile(r"valgrind\.\d+\.log\Z")
_MOST_LOGS = 200
_END_BYTES = 256 << 10
# (mask, value, what the instruction belongs to, the first version that knows it); the first that fits counts.
_ARM64 = (
    (0x3FFFFC00, 0x38BFC000, "load-acquire (LDAPR)", "3.26"),
    (0x3B200C00, 0x38200000, "atomic (LSE)", "3.16"),
    (0x3FA07C00, 0x08A07C00, "atomic (LSE)", "3.16"),
    (0xBFA07C00, 0x08207C00, "atomic (LSE)", "3.16"),
    (0x9FE0FC00, 0x0E809400, "dot product", "3.23"),
    (0x9FC0F400, 0x0F80E000, "dot product", "3.23"),
    (0xFFFFFFE0, 0xD5380000, "processor identification (MRS MIDR_EL1)", "3.24"))
_UNKNOWN_ARM64 = re.compile(r"disInstr\(arm64\): unhandled instruction 0x([0-9A-Fa-f]{1,8})\b")
_UNKNOWN = re.compile(r"unhandled instruction bytes: ((?:0x[0-9A-Fa-f]{1,2} ?){1,16})|"
                      r"valgrind: Unrecognised instruction")
_OUT_OF_MEMORY = re.compile(r"Valgrind's memory management: out of memory")
_FAULT = re.compile(r"valgrind: (\S+:\d+ \([^)\n]*\): Assertion [^\n]*|the 'impossible' happened[^\n]*)")
_NO_SYMBOLS = re.compile(r"which is mandatory for this platform-tool combination")
_KERNEL_CALL = re.compile(r"WARNING: unhandled \S+ syscall: (\d+)")


def findings(folder, version):
    """[(code, message)] for what the logs in a run's folder say; `version` is valgrind's, where it is known."""
    try:
        logs = sorted(name for name in os.listdir(folder) if _NAME.match(name))
    except OSError:
        return []
    found = []
    for name in logs[:_MOST_LOGS]:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _END_BYTES))
                text = file.read(_END_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        found += [one for one in meaning(text, version) if one not in found]
    return found


def meaning(text, version=None):
    """[(code, message)] of one log's text."""
    named = "Valgrind %s" % version if version else "The board's valgrind"
    found = []
    unknown = _UNKNOWN_ARM64.search(text)
    if unknown is not None or _UNKNOWN.search(text):
        found.append(("massif-instruction", _unknown_instruction(text, unknown, named)))
    if _OUT_OF_MEMORY.search(text):
        found.append(("massif-out-of-memory", "Valgrind itself could get no more memory on the board and ended the "
                      "script. %s" % NEED_LESS))
    fault = _FAULT.search(text)
    if fault is not None:
        found.append(("massif-valgrind-failed", "%s itself failed (%s). What was written before that is kept. Try a "
                      "newer valgrind." % (named, fault.group(1)[:200])))
    if _NO_SYMBOLS.search(text):
        found.append(("massif-symbols-missing", "%s could not start, as it needs the debug symbols of the board's C "
                      "library. Install them there: sudo apt-get install libc6-dbg." % named))
    call = _KERNEL_CALL.search(text)
    if call is not None:
        found.append(("massif-kernel-call", "%s does not know the kernel's call number %s, which the script or one of "
                      "its libraries used; it was answered as if the kernel did not have it." % (named, call.group(1))))
    return found


def _unknown_instruction(text, unknown, named):
    kept = "What was recorded before that is kept."
    if unknown is not None:
        word = int(unknown.group(1), 16)
        for mask, value, kind, since in _ARM64:
            if word & mask == value:
                return ("%s does not know the processor's %s instructions, and the script or one of its libraries used "
                        "one. %s Valgrind %s or newer knows them; install it on the board, or use a library built "
                        "without them." % (named, kind, kept, since))
        detail = " (0x%08X)" % word
    else:
        given = _UNKNOWN.search(text).group(1)
        detail = " (%s)" % given.strip() if given else ""
    return ("%s does not know an instruction%s that the script or one of its libraries used. %s Install a newer "
            "valgrind on the board, or use a library built for an older processor." % (named, detail, kept))
