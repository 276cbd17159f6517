"""What the scripts in truth/ promise of their lines, and how far an answer is from it.

A comment `#: net=8*N, peak=8` states figures of its statement in MiB, N being how often the script does its work
(`at=-7`: of the statement that begins so many lines above). `plain` marks lines whose memory every tool means by its
figure: taken by Python's or NumPy's allocator, kept to the end. `apart` keeps a pair out of the error.
"""
import os
import re
import sys
from collections import namedtuple
from statistics import mean, median

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "python-helper"))

from jetson_memprof.engine import statements  # noqa: E402

FIGURES = ("net", "peak")
#: `truth` in MiB; `plain` and `apart` as above.
Pair = namedtuple("Pair", "case line figure truth plain apart")
#: `said` in MiB, None where the tool said nothing of the line.
Judged = namedtuple("Judged", "pair said")


def promises(path, rounds):
    """[Pair] of a script."""
    case, found = os.path.basename(path)[:-len(".py")], []
    with open(path) as script:
        for number, text in enumerate(script, 1):
            comment = re.search(r"#: (.*)", text)
            if comment:
                words = [word.strip() for word in comment.group(1).split(",")]
                said = dict(word.split("=", 1) for word in words if "=" in word)
                line = number + int(said.pop("at", 0))
                found.extend(Pair(case, line, figure, float(eval(said[figure], {"N": rounds})), "plain" in words,
                                  "apart" in words) for figure in FIGURES if figure in said)
    return found


def judge(path, pairs, answer):
    """{figure: [Judged]} for the figures that the tool gives. Lines of one statement are taken together."""
    with open(path, "rb") as source:
        statement_of = statements.analyse(source.read()).statement_of
    judged = {}
    for figure, lines in answer.items():
        said = {}
        for line, size in lines.items():
            first = statement_of[line]
            said[first] = max(said.get(first, 0), size) if figure == "peak" else said.get(first, 0) + size
        judged[figure] = [Judged(pair, said.get(pair.line)) for pair in pairs if pair.figure == figure]
    return judged


def error(judged):
    """MiB. Saying nothing is saying 0."""
    return abs((judged.said or 0) - judged.pair.truth)


def is_missed(judged):
    return error(judged) > max(1, 0.1 * abs(judged.pair.truth))


def summary(judged):
    """What all of a round's answers come to: mean, median and worst error in MiB, misses of pairs."""
    counted = [each for each in judged if not each.pair.apart]
    errors = [error(each) for each in counted]
    plain = [error(each) for each in counted if each.pair.plain]
    return {"mean": mean(errors), "median": median(errors), "worst": max(errors), "pairs": len(counted),
            "missed": sum(map(is_missed, counted)), "plain": mean(plain), "plain_pairs": len(plain)}


def misses(judged):
    """[{case, line, truth, said, apart}] of the pairs that are missed, in MiB."""
    return [{"case": each.pair.case, "line": each.pair.line, "truth": round(each.pair.truth, 2),
             "said": None if each.said is None else round(each.said, 2), "apart": each.pair.apart}
            for each in judged if is_missed(each)]
