"""What was measured, as tables: the lines of the cell, of other cells and files."""
from collections import namedtuple
from html import escape

#: Bytes, None where not known. `cuda` is (net, peak) of PyTorch's allocator, None where CUDA is not in use.
Line = namedtuple("Line", "number text hits net own peak uncertain peak_uncertain cuda")
#: `title` is what the lines are of.
Part = namedtuple("Part", "title lines")

_KIB, _MIB = 1 << 10, 1 << 20
_FIGURES = {"net": "net", "self": "own", "peak": "peak"}


def size(bytes_):
    """As the editor writes it: `1585.2 MiB`, `64 KiB`, `512 B`."""
    amount, sign = abs(bytes_), "-" if bytes_ < 0 else ""
    if round(amount / _KIB) >= _KIB:
        return "%s%.1f MiB" % (sign, amount / _MIB)
    if amount >= _KIB:
        return "%s%d KiB" % (sign, round(amount / _KIB))
    return "%s%d B" % (sign if amount else "", amount)


def change(bytes_):
    return ("+" if bytes_ > 0 else "") + size(bytes_)


def part(title, texts, rows, cuda):
    """A Part of lines `texts`, measured `rows` {line: row of ProcessView.changed_rows from its hits on} and `cuda`
    {line: (net, peak)}; `cuda` is None where CUDA is not in use."""
    lines = []
    for number in sorted(set(range(1, len(texts) + 1)) | set(rows)):
        hits, net, own, _, peak, _, uncertain, peak_uncertain = rows.get(number, (0,) + (None,) * 7)
        of_cuda = None if cuda is None else cuda.get(number, (0, 0) if hits else (None, None))
        text = texts[number - 1] if number <= len(texts) else ""
        lines.append(Line(number, text, hits, net, own, peak, uncertain, peak_uncertain, of_cuda))
    return Part(title, lines)


def chosen(parts, options):
    """The parts with only the lines that `options.top` leaves."""
    if options.top is None:
        return parts
    figure = _FIGURES[options.metric]
    ran = [line for one in parts for line in one.lines if line.hits]
    largest = sorted(ran, key=lambda line: -abs(getattr(line, figure) or 0))[:options.top]
    kept = set(map(id, largest))
    left = [one._replace(lines=[line for line in one.lines if id(line) in kept]) for one in parts]
    return [one for one in left if one.lines]


def _columns(parts, metric):
    """[(heading, text of a Line)]; the metric asked for comes first."""
    columns = [("Net", lambda line: _text(line.net, change)), ("Self", lambda line: _text(line.own, change)),
               ("Peak", lambda line: _text(line.peak, size))]
    first = {"net": 0, "self": 1, "peak": 2}[metric]
    columns.insert(0, columns.pop(first))
    columns.append(("Hits", lambda line: str(line.hits) if line.hits else ""))
    if any(line.uncertain for one in parts for line in one.lines):
        columns.append(("Uncertain", lambda line: _text(line.uncertain or None, size)))
    if any(line.peak_uncertain for one in parts for line in one.lines):
        columns.append(("Peak uncertain", lambda line: _text(line.peak_uncertain or None, size)))
    if any(line.cuda is not None for one in parts for line in one.lines):
        columns.append(("CUDA net", lambda line: _text(line.cuda and line.cuda[0], change)))
        columns.append(("CUDA peak", lambda line: _text(line.cuda and line.cuda[1], size)))
    return columns


def _text(figure, form):
    return "" if figure is None else form(figure)


def plain(head, parts, notes, metric):
    """For a terminal."""
    columns = _columns(parts, metric)
    lines = list(head)
    for one in parts:
        rows = [["Line"] + [heading for heading, _ in columns]]
        rows += [[str(line.number)] + [text(line) for _, text in columns] for line in one.lines]
        widths = [max(map(len, cells)) for cells in zip(*rows)]
        lines += ["", one.title]
        for row, source in zip(rows, ["Source"] + [line.text for line in one.lines]):
            lines.append(("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) + "  " + source).rstrip())
    return "\n".join(lines + [""] * bool(notes) + list(notes))


_CELL = ' style="text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"'
_SOURCE = ' style="text-align:left;white-space:pre;font-family:monospace"'
_LEFT = ' style="text-align:left"'


def html(head, parts, notes, metric):
    """For a notebook; no colors of its own, so it suits each theme."""
    columns = _columns(parts, metric)
    found = ["<div>"] + ["<p>%s</p>" % escape(text) for text in head]
    for one in parts:
        found.append("<table><caption%s>%s</caption><thead><tr><th scope=\"col\"%s>Line</th>"
                     % (_LEFT, escape(one.title), _CELL))
        found += ["<th scope=\"col\"%s>%s</th>" % (_CELL, heading) for heading, _ in columns]
        found.append("<th scope=\"col\"%s>Source</th></tr></thead><tbody>" % _LEFT)
        for line in one.lines:
            found.append("<tr><td%s>%d</td>" % (_CELL, line.number))
            found += ["<td%s>%s</td>" % (_CELL, escape(text(line))) for _, text in columns]
            found.append("<td%s>%s</td></tr>" % (_SOURCE, escape(line.text)))
        found.append("</tbody></table>")
    return "".join(found + ["<p>%s</p>" % escape(note) for note in notes] + ["</div>"])
