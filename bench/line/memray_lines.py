"""Prints {figure: {line: bytes}} of SCRIPT from Memray's files of its processes: what was not freed, and what was there
at the process's highest moment, on each line that was open when it was allocated."""
import sys

from memray import FileReader


def by_line(records, path):
    sizes = {}
    for record in records:
        for line in {line for _, file, line in record.stack_trace() if file == path}:
            sizes[line] = sizes.get(line, 0) + record.size
    return sizes


if __name__ == "__main__":
    script, net, peak = sys.argv[1], {}, {}
    for path in sys.argv[2:]:
        with FileReader(path) as reader:
            for line, size in by_line(reader.get_leaked_allocation_records(merge_threads=True), script).items():
                net[line] = net.get(line, 0) + size
            for line, size in by_line(reader.get_high_watermark_allocation_records(merge_threads=True), script).items():
                peak[line] = max(peak.get(line, 0), size)
    print({"net": net, "peak": peak})
