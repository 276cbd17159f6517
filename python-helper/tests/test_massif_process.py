"""What a process under valgrind massif leaves in its run folder: chosen lines, children, checkpoints, refusals."""
import os
import re
import signal
import unittest

from massif import harness, reader

M = harness.M
#: What a difference may be off by: headers of objects, and the profiler's table of names where it grew in the line.
SLACK = 16 << 10
#: The last line of libraries.py: there everything is held.
LAST_OF_LIBRARIES = 51


def promises(script):
    found = {}
    with open(os.path.join(harness.SCRIPTS, script)) as source:
        for number, text in enumerate(source, 1):
            comment = re.search(r"#: (net=.*)", text)
            if comment:
                figures = dict(word.split("=") for word in comment.group(1).split(", "))
                figures = dict((key, eval(value, {"M": M})) for key, value in figures.items())
                found[number + figures.pop("at", 0)] = figures
    return found


@unittest.skipUnless(harness.VALGRIND, "valgrind is not installed")
class Process(unittest.TestCase):
    maxDiff = None

    def test_chosen_lines(self):
        expected = promises("chosen.py")
        with harness.MassifRun("chosen.py", lines=sorted(expected), max_hits=10) as massif:
            main = massif.of("main")
            self.assertEqual((0, [], "massif-lines", True),
                             (massif.run.status, main.warnings, main.implementation, main.finished), massif.run.stderr)
            header, hits, lines = massif.measured(main.pid)
            self.assertLess(header["noise_bytes"], 512)
            hits_of_lines = massif.hits("main", "chosen.py")
            for line, figures in expected.items():
                with self.subTest(line=line):
                    found = lines[line]
                    self.assertEqual((figures["hits"], figures.get("measured", figures["hits"])),
                                     (found["hits"], found["measured"]))
                    self.assertEqual(figures["hits"], hits_of_lines[line])
                    self.assertLess(abs(found["net"] - figures["net"]), SLACK)
                    of_line = [hit for hit in hits if hit["line"] == line]
                    self.assertEqual(found["net"], sum(hit["after"] - hit["before"] for hit in of_line))
                    for hit in of_line:
                        roots = tuple(massif.tree(main.pid, hit["tree"], side)[0][1] for side in ("before", "after"))
                        self.assertEqual((hit["before"], hit["after"]), roots)
            self.assertEqual([], [name for name in os.listdir(massif.folder) if name.startswith(".")])
            self.assertIn("Thread-1", " ".join(hit["thread"] for hit in hits))

    def test_library_code_costs_no_line(self):
        with harness.MassifRun("libraries.py", lines=[LAST_OF_LIBRARIES]) as massif:
            main = massif.of("main")
            self.assertEqual((0, [], "massif-lines"), (massif.run.status, main.warnings, main.implementation),
                             massif.run.stderr)
            self.assertEqual(b"4194304 ['_split_chunks', 'fill', 'in_thread', 'wrap']\n", massif.run.stdout)
            hits = massif.hits("main", "libraries.py")
            with open(os.path.join(harness.SCRIPTS, "libraries.py")) as source:
                texts = source.read().split("\n")
            found = dict((text.strip(), hits.get(number, 0)) for number, text in enumerate(texts, 1) if "kept.append" in text)
            self.assertEqual({"kept.append(match.group())  # called by re": 6, "kept.append(1)  # called by contextlib": 5,
                              "kept.append(2)": 5, "kept.append(3)  # called by threading": 5}, found)
            # Where a module is imported, what it takes is below the import, with no import system between them.
            tree, names = massif.tree(main.pid, 1, "before"), massif.names(main.pid)
            owners = reader.by_owner(tree, names)
            self.assertGreaterEqual(owners.get(("imported.py", 2, "line"), 0), 4 * M)
            stacks = [[names[name]["path"] for name in re.findall(r"py_\d{5}", " ".join(labels)) if name in names]
                      for labels, _ in reader.leaves(tree)]
            below = [stack for stack in stacks if "imported.py" in stack]
            self.assertNotEqual([], below)
            self.assertEqual([], [stack for stack in below if any("importlib" in path for path in stack)])

    def test_children_have_files_of_their_own(self):
        with harness.MassifRun("children.py") as massif:
            self.assertEqual((0, []), (massif.run.status, massif.run.warnings), massif.run.stderr)
            fork, spawn, status = map(int, massif.run.stdout.split(b"\n")[-2].split())
            self.assertEqual((b"spawned 1", 0), (massif.run.stdout.split(b"\n")[0], status))
            main = massif.of("main")
            kinds = dict((view.pid, view.kind) for view in massif.run.processes)
            self.assertEqual(("main", "fork", "spawn"), tuple(kinds[pid] for pid in (main.pid, fork, spawn)))
            inherited = reader.records(massif.path("massif.frames.%d.jsonl", main.pid))
            own = reader.records(massif.path("massif.frames.%d.jsonl", fork))
            self.assertEqual(("header", fork, "lines"), (own[0]["record"], own[0]["pid"], own[0]["frames"]))
            takes = [record for record in inherited if record.get("function") == "takes"]
            self.assertEqual(takes, [record for record in own if record in takes])
            self.assertTrue(any(record.get("function") == "only_here" for record in own))
            self.assertFalse(any(record.get("function") == "only_here" for record in inherited))
            self.assertEqual({"takes", "spawned"} & set(record["function"] for record in massif.names(spawn).values()),
                             {"takes", "spawned"})
            for pid, line, size in ((main.pid, 11, M), (fork, 11, 4 * M), (fork, 20, 2 * M), (spawn, 11, 4 * M)):
                with self.subTest(pid=kinds[pid], line=line):
                    names, owner = massif.names(pid), ("children.py", line, "line")
                    got = max(reader.by_owner(snapshot["tree"], names).get(owner, 0)
                              for snapshot in reader.snapshots(massif.path("massif.exit.%d", pid)))
                    self.assertLess(abs(got - size), SLACK)

    def test_killed_leaves_a_checkpoint(self):
        with harness.MassifRun("killed.py", checkpoint_s=0.3, arguments=True) as massif:
            self.assertEqual(128 + signal.SIGKILL, massif.run.status, massif.run.stderr)
            pid = massif.of("main").pid
            self.assertFalse(os.path.exists(massif.path("massif.exit.%d", pid)))
            snapshots = reader.snapshots(massif.path("massif.out.%d", pid))
            self.assertGreater(max(snapshot["mem_heap_B"] for snapshot in snapshots), M)
            self.assertTrue(any(record["record"] == "mapped" and record["path"].endswith(".so")
                                for record in reader.records(massif.path("massif.frames.%d.jsonl", pid))))

    def test_the_program_runs_as_always(self):
        expected = harness.bare("stress.py")
        with harness.MassifRun("stress.py") as massif:
            self.assertEqual((expected, [], "massif-lines"),
                             ((massif.run.status, massif.run.stdout, massif.run.stderr), massif.run.warnings,
                              massif.of("main").implementation))

    def test_what_it_cannot_be_sure_of_is_not_used(self):
        expected = harness.bare("chosen.py")
        for spoilt, implementation, frames in (("layout", "massif-plain", "none"),
                                               ("lines", "massif-functions", "functions"),
                                               ("memory", "massif-lines", "lines")):
            with self.subTest(spoilt=spoilt), harness.MassifRun(
                    "chosen.py", lines=[11], first_path=[harness.REFUSED], JETSON_MEMPROF_SPOILT=spoilt) as massif:
                main = massif.of("main")
                self.assertEqual(expected, (massif.run.status, massif.run.stdout, massif.run.stderr))
                self.assertEqual(implementation, main.implementation)
                self.assertEqual([] if frames == "lines" else ["massif-frames-refused"], massif.run.warnings)
                names = reader.records(massif.path("massif.frames.%d.jsonl", main.pid))
                self.assertEqual(frames, names[0]["frames"])
                kinds = set(record.get("kind") for record in names) - {None, "profiler"}
                self.assertEqual({"none": set(), "functions": {"function"}, "lines": {"function", "line"}}[frames], kinds)

    def test_frames_can_be_left_out(self):
        with harness.MassifRun("chosen.py", frames=False) as massif:
            self.assertEqual((0, [], "massif-plain"),
                             (massif.run.status, massif.run.warnings, massif.of("main").implementation))
            self.assertFalse(os.path.exists(massif.path("massif.frames.%d.jsonl", massif.of("main").pid)))


if __name__ == "__main__":
    unittest.main()
