"""Play the theorems: every algorithm against the streams that are hardest for it.

Without THEOREM it lists all: what each says, of what, and by whom. With one it plays the algorithm on streams that force the
bound, on adversaries and on random streams of growing sizes, and shows how much of the bound they attain.

--learner plays a class of your own in the place of the algorithm, against the same adversaries: it needs predict(x), which
returns +1 or -1 and changes nothing, and learn(x, y). Of many classes it returns one, of forecasts a number, of a vote a
th.Prediction with the weight that says +1; for Hedge and its kin it needs weights and learn_losses(losses) instead. What a
theorem asks for stands below its table. It is called with what the theorem gives, as far as it takes it: Mine(n), or Mine().
This runs the code in that file, with all your rights: play only learners that you trust.

Ends with status 1 if a learner or a bound of your own is refuted: with the round, and with the seed that plays it again.
"""

from __future__ import annotations

import argparse

__all__ = ["add_options", "run"]

EPILOG = """\
examples:
  thresher lab
  thresher lab perceptron-separable
  thresher lab winnow-disjunction --code
  thresher lab halving --figure halving.pdf
  thresher lab perceptron-separable --learner mine.py:Perceptron --seed 7
  thresher lab --all --quick
  thresher lab --all --report lab.html"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = EPILOG
    parser.add_argument("theorem", nargs="?", metavar="THEOREM", help="its name, or how it begins; without one all are listed")
    group = parser.add_argument_group("what is played")
    group.add_argument("--all", action="store_true", help="play every theorem")
    group.add_argument("--quick", action="store_true", help="the three smallest sizes, and one random stream of each kind")
    group.add_argument("--seed", type=_seed, metavar="S", help="what random streams are made from (0); the same again")
    group.add_argument("--learner", metavar="FILE.py:CLASS", help="play this class; the file is run")
    group.add_argument(
        "--bound", metavar="FILE.py:NAME", help="hold this function of the theorem's numbers against it; the file is run"
    )
    group = parser.add_argument_group("what is shown")
    group.add_argument("--code", action="store_true", help="the algorithm, as on the blackboard, and nothing else")
    group.add_argument("--figure", metavar="F.pdf", help="draw what was attained under the bound: .pdf, .svg or .png")
    group.add_argument("--report", metavar="FILE.html", help="a page with figures, and learners to step through, in one file")
    group.add_argument("--json", action="store_true", help="one JSON object on stdout, and nothing else")
    group.add_argument("--quiet", action="store_true", help="no progress on stderr")


def run(options: argparse.Namespace) -> int:
    """Lists, prints, or plays."""
    from thresher.cli.laboratory import laboratory

    return laboratory(options)


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number of at least 0")
    return int(text)
