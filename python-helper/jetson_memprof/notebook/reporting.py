"""From what a session found to what its user sees."""
import os

from . import report

#: Less than this is not worth a word; in bytes.
_LITTLE = 64 << 10


class Reporting(object):
    """`files` are [(name of the code, title, lines of text, {line: row}, {line: (cuda net, peak)} or None)], the measured
    cell first."""

    def __init__(self, cells, measured, chosen, name):
        self.measured = measured
        self._chosen = chosen
        view = measured.view()
        has_cuda, rows, cuda = view.cuda_reading is not None, {}, {}
        for row in view.changed_rows():
            rows.setdefault(row[0], {})[row[1]] = row[2:]
        for row in view.changed_cuda():
            cuda.setdefault(row[0], {})[row[1]] = row[2], row[5]
        self._highest = view.highest_rss
        self._warnings = [message for _, message in view.warnings]
        self.files = []
        for index in sorted(range(len(view.files)), key=lambda index: view.files[index] != name):
            found = view.files[index]
            of_cuda = cuda.get(index, {}) if has_cuda else None
            if cells.is_one(found):
                title, lines = self._title(cells, found, name), cells.lines(found)
            else:
                title, lines = os.path.relpath(found, measured.folder), _lines_of(found)
            self.files.append((found, title, lines, rows.get(index, {}), of_cuda))
        self.cells = cells
        self.name = name

    @staticmethod
    def _title(cells, found, name):
        if found == name:
            return "This cell" if not found.startswith("<memprof ") else "This statement"
        number = cells.number(found)
        return "Cell %d" % number if number else "An earlier cell"

    @property
    def highest(self):
        """The highest RSS that was seen, in bytes."""
        return max(self._highest or 0, self.measured.before, self.measured.after)

    @property
    def hits(self):
        return sum(row[0] for _, _, _, rows, _ in self.files for row in rows.values())

    def head(self):
        before, after = self.measured.before, self.measured.after
        top = ", at most %s" % report.size(self.highest) if self._highest else ""
        return ["RSS of this process %s before, %s after (%s%s)." % (
            report.size(before), report.size(after), report.change(after - before), top)]

    def notes(self):
        found = list(self._warnings)
        if not self.measured.whole:
            found.append("Another tracer (a debugger, a coverage tool) took over, or an exception was raised while a line was "
                         "looked at. What ran after that was not measured.")
        if self.measured.others >= _LITTLE:
            found.append("Up to %s of it may belong to the kernel's own threads, which ran meanwhile."
                         % report.size(self.measured.others))
        if not self.hits:
            found.append("No line ran that could be measured.")
        return found

    def parts(self):
        parts = []
        for found, title, lines, rows, cuda in self.files:
            one = report.part(title, lines, rows, cuda)
            if found != self.name:  # of others only what ran
                one = one._replace(lines=[line for line in one.lines if line.hits])
            parts.append(one)
        return report.chosen([one for one in parts if one.lines], self._chosen)

    def bundle(self):
        """What IPython displays: {MIME type: text}."""
        shown = self.head(), self.parts(), self.notes(), self._chosen.metric
        return {"text/plain": report.plain(*shown), "text/html": report.html(*shown)}


def _lines_of(path):
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []
