"""What the kit found: figures, how they are judged, results.json and the rows for docs/measured.md. See bench/README.md."""
import json
import os

SCHEMA = 1
PASS, FAIL, UNKNOWN = "pass", "fail", "unknown"
_SIGNS = {"equal": "=", "at most": "≤", "at least": "≥"}
_CHECK_KEYS = {"name", "title", "row", "state", "why", "seconds", "figures", "notes"}
_FIGURE_KEYS = {"what", "ours", "theirs", "unit", "relation", "allowed", "because", "state", "why"}
_KEYS = {"schema", "version", "device", "is_stand_in", "driver", "cuda", "torch", "python", "machine", "kernel", "libraries",
         "began", "seconds", "limit_s", "load", "checks"}


def figure(what, ours, theirs, unit="B", relation="equal", allowed=0, because="both read the same counters", why=None):
    """`ours` is to be equal to `theirs`, or at most or at least so much, within `allowed`. None: not known, `why` may say
    for what reason."""
    return {"what": what, "ours": ours, "theirs": theirs, "unit": unit, "relation": relation, "allowed": allowed,
            "because": because, "state": judge(ours, theirs, relation, allowed), "why": why}


def judge(ours, theirs, relation, allowed):
    if ours is None or theirs is None:
        return UNKNOWN
    if isinstance(ours, str) or isinstance(theirs, str):
        return PASS if ours == theirs else FAIL
    above, below = ours - theirs > allowed, theirs - ours > allowed
    wrong = {"equal": above or below, "at most": above, "at least": below}[relation]
    return FAIL if wrong else PASS


def check_state(figures):
    """What failed counts most; without a figure, and where one is not known, nothing was shown to be right."""
    states = [one["state"] for one in figures]
    if FAIL in states:
        return FAIL
    return UNKNOWN if UNKNOWN in states or not states else PASS


def problems(results):
    """What of results.json is not as bench/README.md has it, in words."""
    found = _keys("results", results, _KEYS)
    for check in results.get("checks", ()):
        name = str(check.get("name"))
        found += _keys(name, check, _CHECK_KEYS)
        if check.get("state") not in (PASS, FAIL, UNKNOWN):
            found.append("%s has no state" % name)
        if check.get("state") == PASS and check_state(check["figures"]) != PASS:
            found.append("%s passed without its figures" % name)
        if check.get("state") != PASS and not check.get("why"):
            found.append("%s does not say why" % name)
        for one in check.get("figures", ()):
            found += _keys("%s: %s" % (name, one.get("what")), one, _FIGURE_KEYS)
    return found


def _keys(name, found, wanted):
    return ["%s lacks or has too much: %s" % (name, key) for key in sorted(set(found) ^ wanted)]


def why_of(figures):
    """The sentence of a check that did not pass."""
    wrong = [one for one in figures if one["state"] == FAIL] or [one for one in figures if one["state"] == UNKNOWN]
    if not wrong:
        return None
    one, more = wrong[0], " (and %d more)" % (len(wrong) - 1) if len(wrong) > 1 else ""
    if one["state"] == UNKNOWN:
        return "%s: %s%s" % (one["what"], one["why"] or "not known", more)
    return "%s is %s, not %s %s, within %s%s" % (one["what"], shown(one["ours"], one["unit"]), _SIGNS[one["relation"]],
                                               shown(one["theirs"], one["unit"]), shown(one["allowed"], one["unit"]), more)


def shown(value, unit):
    if value is None:
        return "unknown"
    if isinstance(value, str):
        return value
    if unit == "B":
        return "%d bytes" % value if abs(value) < 1 << 20 else "%.2f MiB" % (value / (1 << 20))
    text = "%d" % value if value == int(value) else "%.3g" % value
    return text + ("" if unit == "×" else " " + unit) if unit else text


def place(results):
    return "%s, driver %s, CUDA %s, torch %s, Python %s" % (
        results["device"], results["driver"] or "unknown", results["cuda"] or "unknown", results["torch"], results["python"])


def markdown(results):
    """The rows for docs/measured.md, and the table that they stand in."""
    lines = ["Checked by `python3 bench/cuda/kit.py` on %s (%s)." % (place(results), results["began"][:10]), "",
             "| figure | against | figures | result |", "|---|---|---|---|"]
    for check in results["checks"]:
        lines.append("| %s | %s | %s | %s |" % tuple(_cell(text) for text in (
            check["row"], check["title"], _compared(check["figures"]), _result(check))))
    return "\n".join(lines) + "\n"


def _compared(figures):
    """As a reader wants it: the figures themselves where they are few, else how many and the largest difference."""
    known = [one for one in figures if one["state"] != UNKNOWN]
    if 0 < len(known) <= 3:
        return "; ".join("%s: %s %s %s" % (one["what"], shown(one["ours"], one["unit"]), _SIGNS[one["relation"]],
                                           shown(one["theirs"], one["unit"])) for one in known)
    if not known:
        return "–"
    return "%d figures, %d as they are to be" % (len(known), sum(one["state"] == PASS for one in known))


def _result(check):
    notes = "".join("; " + note for note in check["notes"])
    return (check["state"] if check["state"] == PASS else "%s: %s" % (check["state"], check["why"])) + notes


def _cell(text):
    return " ".join(text.replace("|", "\\|").split())


def write(folder, results):
    os.makedirs(folder, exist_ok=True)
    data = json.dumps(results, indent=2, ensure_ascii=False) + "\n"
    for name, text in (("results.json", data), ("table.md", markdown(results))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
