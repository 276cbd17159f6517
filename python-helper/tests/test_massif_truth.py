"""The ground truth of engine massif: scripts of known allocations under real valgrind."""
import unittest

from massif import harness, reader


@unittest.skipUnless(harness.VALGRIND, "valgrind is not installed")
class Truth(unittest.TestCase):
    def test_bytes_are_below_their_lines(self):
        held, end = harness.promised("allocations.py")
        with harness.MassifRun("allocations.py", lines=[end]) as massif:
            main = massif.of("main")
            self.assertEqual((0, [], "massif-lines"), (massif.run.status, main.warnings, main.implementation),
                             massif.run.stderr)
            self.assertEqual(harness.bare("allocations.py"), (0, massif.run.stdout, massif.run.stderr))
            tree = massif.tree(main.pid, 1, "before")
            owners = reader.by_owner(tree, massif.names(main.pid))
        wrong = []
        for line, expected in held.items():
            got = owners.get(("allocations.py", line, "line"), 0)
            if abs(got - expected) > max(4096, expected * 0.01):
                wrong.append("line %d holds %d, not %d" % (line, got, expected))
        self.assertEqual([], wrong)
        of_project = dict((owner, count) for owner, count in owners.items() if owner is not None)
        on_lines = sum(count for owner, count in of_project.items() if owner[2] == "line")
        self.assertGreaterEqual(on_lines, 0.95 * sum(of_project.values()))


if __name__ == "__main__":
    unittest.main()
