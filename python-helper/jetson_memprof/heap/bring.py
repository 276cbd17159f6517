"""`python3 -B bring.py FOLDER OUT_FOLDER PROJECT_ROOT SECONDS`: collect.bring_in in a process of its own, whose memory goes
with it. Prints a line of JSON for each process, then {"done": true}."""
import os
import sys


def main(folder, out_folder, project_root, seconds):
    os.closerange(3, 4096)  # the run's lock is not ours to hold
    if not sys.flags.isolated:
        del sys.path[0]  # this folder: its files have plain names
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from jetson_memprof import lean_json
    from jetson_memprof.heap.collect import bring_in
    for summary in bring_in(folder, out_folder, project_root, float(seconds)):
        sys.stdout.write(lean_json.dumps(dict(summary._asdict(), notes=[list(note) for note in summary.notes])) + "\n")
        sys.stdout.flush()
    sys.stdout.write('{"done": true}\n')


if __name__ == "__main__":
    main(*sys.argv[1:])
