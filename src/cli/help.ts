export const HELP = `Usage:
  jetson-memprof profile [options] SCRIPT [arguments of the script]
  jetson-memprof profile [options] -m MODULE [arguments of the module]
  jetson-memprof show RUN [--json] [--file FILE] [--format table|memory_profiler] [--metric METRIC]
  jetson-memprof runs
  jetson-memprof attach RUN [--python PYTHON]
  jetson-memprof why RUN [--json]
  jetson-memprof doctor --target TARGET [--python PYTHON] [--json | --fix LINE]
  jetson-memprof watch --target TARGET [--interval SECONDS] [--python PYTHON] [--json]
  jetson-memprof ledger RUN [--at peak|baseline|SECONDS] [--tools] [--json]
  jetson-memprof snapshot FILE|RUN [--at max|end|oom|EVENTS] [--device DEVICE] [--top LINES] [--json]
  jetson-memprof model RUN [--free MIB] [--depth N] [--json]
  jetson-memprof model SCRIPT --target TARGET [--batches B,B… [--batch-argument NAME]] [--check [B]] [arguments]
  jetson-memprof whatif RUN [KIND[:N]] [--verify [--exclude PATTERN]] [--json]
  jetson-memprof shared-layers [--json]
  jetson-memprof massif FILE [--json | --folded | --flame OUT.svg] [--snapshot SNAPSHOT | --diff SNAPSHOT SNAPSHOT]
  jetson-memprof trace FILE [--json]

profile: runs a Python script on a board and prints its source with the memory every line took.
  --target TARGET     where to run: ssh://user@host[:port], user@host, a name from ~/.ssh/config,
                      "local" (this computer) or "loopback" (a simulated board: this computer, over SSH)
  --python PYTHON     the interpreter on the board: a name, a path or the folder of a virtual environment
  --engine ENGINE     line (default), memory_profiler (the package, where the board has it) or massif (under valgrind's
                      massif: native call stacks with the Python lines in them; slow, see below)
  --exact             read the memory more often (down to 1.5 µs apart, not 10 µs); slower, less is left uncertain
  --no-accelerator    measure in pure Python, without the compiled library
  --env NAME=VALUE    set a variable for the script; may be given several times
  --exclude PATTERN   leave files out that match, as in .gitignore; may be given several times
  --project FOLDER    the folder that is sent to the board and measured (default: the current folder where the
                      script lies below it and it is not your home folder, else the script's own)
  --out FOLDER        where the run's folder is made (default: .jetson-memprof/runs in the project)
  --metric METRIC     which memory stands beside the lines: rss (the process's own, default), cuda (PyTorch's on the
                      GPU), system (the whole board's) or all, where the run has them
  --json              print the figures as JSON on standard output; the script's output goes to standard error
  --quiet             no progress and no notes, only the script's output and the figures

  With --engine massif:
  --massif-line FILE:LINE  measure the heap before and after this line; may be given several times (default: the
                      heaviest lines of the script's last run with the line engine, else its imports)
  --pages-as-heap     count mapped pages, not heap blocks: sees CUDA's mappings, needs less memory on the board
  --gpu               let the script use the GPU, which valgrind may not get along with
  --threshold N       sum up call stacks below N per cent of the heap (default: 0.1); smaller makes larger files
  --no-python-frames  leave the stacks as valgrind sees them, without the Python lines
  --anyway            start even where the board seems to have too little memory or too old a valgrind

  Of PyTorch, with the line engine (docs/run-folder.md):
  --snapshots[=ENTRIES]  record PyTorch's CUDA allocator, with so many events kept (default: 100000); needs 1.13
  --exact-cuda-peaks  reset PyTorch's own peaks so that those of lines are exact; torch.cuda.max_memory_allocated() in
                      the script then tells the peak since the last reset
  --model[=STEPS]     account the models layer by layer, over so many training steps (default: 3)
  --try CHANGE        make a change to the model for this run, to measure what it saves: checkpoint:LAYERS,
                      nano-batch:CHUNKS, amp or in-place; the files stay as they are

  The options of profile may stand before the script or after it, so an option of the script's own that has one of
  these names goes after "--":  jetson-memprof profile --target nano train.py -- --out model.pt
  Everything after SCRIPT that is not one of these options, and everything after "--", is the script's.

show: prints a run again. RUN is a run's folder, its name or the beginning of its name, or "last".
  --file FILE         only this file (its path in the project)
  --metric METRIC     as for profile
  --format FORMAT     table (default), or memory_profiler for that package's columns
runs: lists the runs of a project, newest first.
attach: follows a run that this computer lost sight of until it ends, then prints it.
why: tells why a run ended for want of memory, on which line, and what could be done about its memory.
  show, runs, attach, why and ledger look for runs in --project FOLDER (default: the current folder).

doctor: checks a board: what it is, what it has, what may be read there, and what to do where something is missing.
  --fix LINE          show the command for a line of the report, ask, and run it on the board
  --json              print the report as JSON

watch: prints a board's memory, a line each time it was read, until Ctrl-C.
  --interval SECONDS  from 0.25 to 60 (default: 1)
  --json              print the records as docs/run-folder.md has them (moments.jsonl), a line each

ledger: prints where all of the board's RAM was at one moment of a run, and what changed since the moment before it.
  --at MOMENT         peak (default: the run held the most), baseline (before the run) or seconds after its start
  --tools             also what htop, free, smem, jtop and others would have called "used", and why they differ
  --json              print both as JSON

snapshot: prints what a snapshot of PyTorch's CUDA allocator holds: a file, or the newest one of a run.
  --at MOMENT         when the lines' live memory is counted: "max" (default: when most was held), "end", "oom" (the
                      last request that failed) or after so many of the recorded events
  --device DEVICE     only the GPU with this number
  --top LINES         how many lines are listed (default: 15)
  --json              print the figures as JSON

model: prints which layer of a PyTorch model holds which memory, and the largest batch that fits. RUN was made with
  "profile --model"; with --target the script is run first, and the options of profile may be given too.
  --batches 8,16      run once for each batch size; two or more tell how memory grows with the batch
  --batch-argument NAME  the script's own option that takes the batch size (default: --batch-size)
  --check=B           run once more with a batch of B and compare; --check alone takes the largest that fits
  --free MIB          the memory the training may take (default: what was available before the run)
  --depth N           how deep the tree of layers is printed (default: 3)
whatif: estimates what changes to the training would save: checkpoint[:LAYERS], nano-batch[:CHUNKS], amp,
  accumulation[:PARTS], in-place, on-device, loader. Without KIND all are listed.
  --verify            make the run again with the change, on the same target, and compare
  --exclude PATTERN   with --verify, as for profile: leave out what was left out of the run
shared-layers: lists layers that the models of the project's runs have alike, and what merging them would save.

massif: prints what a massif.out file holds: of a run's folder, with the names of its Python lines, or of any program.
  --snapshot SNAPSHOT which one the tables are of: its number, "last" or "peak" (default)
  --diff A B          what changed from snapshot A to snapshot B
  --json              print the snapshots and the tables as JSON
  --folded            print the stacks as flamegraph.pl, speedscope and others read them
  --flame OUT.svg     write a flame graph
  --direction DIRECTION  of --folded and --flame: callers-first (default) or allocators-first
  --all-frames        keep the Python interpreter's own frames, which --folded and --flame leave out of Python stacks

trace: prints what a trace of torch.profiler (profile_memory=True) says of memory: each device's peak, and the operators
  that had allocated what it held then. FILE is a .pt.trace.json or .json, packed with gzip or not.
  --json              print the same as JSON

  --help, --version

Ctrl-C ends the run, or the watch, on the board and prints what was measured until then; a second Ctrl-C quits at once.
Exit status: the script's own; 128 + the signal's number where a signal ended it; 64 where the command line is
wrong; 70 where the run could not be made or its figures not be fetched.
`;
