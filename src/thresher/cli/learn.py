"""Learn from a source, and show what is proven about it.

One pass over SOURCE (or --passes), with a table as it goes: mistakes so far beside those of two baselines, the best constant
and repeating the last label. Tables of progress go to stderr, results to stdout.

By default a portfolio learns: many learners side by side (its lanes), none of them tuned, and a master that weighs them by
what they lost so far. They vote. At the end comes which of them won, and by how much, and what is proven: the portfolio's
loss, which is the weight on learners that were wrong, is at most the loss of the best of them plus the master's regret. That
assumes nothing and needs no second look at SOURCE.

With another --learner the source is read once more to check its theorems, with the final weights as witness, and the ledger
is shown.
"""

from __future__ import annotations

import argparse

from thresher.cli.learners import add_learner_options
from thresher.cli.reading import add_reading_options, add_source, at_least_two, whole

__all__ = ["add_options", "run"]

EPILOG = """\
examples:
  thresher learn demo:oranges
  thresher learn demo:drift --master fixed-share
  thresher learn visits.csv --label bought --ignore visitor
  thresher learn mail.tsv --label kind --text subject --ngrams 2
  thresher learn clicks.vw --cost-positive 20
  thresher learn mail.vw.gz --save mail.thresher --report mail.html
  thresher learn mail.vw.gz --learner winnow --factor 1.5
  thresher learn mail.vw.gz --proof mail.proof.json
  thresher learn more.vw --from mail.thresher --save mail.thresher
  zcat big.svm.gz | thresher learn - --save big.thresher"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = EPILOG
    add_source(parser)
    group = parser.add_argument_group("what learns")
    add_learner_options(group)
    group.add_argument("--passes", type=whole, metavar="K", help="read SOURCE so many times (1)")

    group = parser.add_argument_group("models")
    group.add_argument("--save", metavar="MODEL", help="write what was learned to this file, at the end or at Ctrl-C")
    start = group.add_mutually_exclusive_group()
    start.add_argument("--from", dest="start", metavar="MODEL", help="start from a model, and learn all of SOURCE")
    start.add_argument(
        "--resume",
        metavar="MODEL",
        help="go on with an interrupted run of the same SOURCE where it stopped; saved to MODEL unless --save names another",
    )

    group = parser.add_argument_group("what is shown")
    check = group.add_mutually_exclusive_group()
    check.add_argument(
        "--certify",
        action="store_true",
        help="look for better witnesses in hindsight than the final weights; of a portfolio, replay its best learner alone, in "
        "float64, and check that one's own theorems, if it has any",
    )
    check.add_argument(
        "--no-check",
        action="store_true",
        help="do not read SOURCE again to check the theorems; a portfolio's certificate needs none of that",
    )
    group.add_argument(
        "--proof",
        metavar="FILE",
        help="play SOURCE once more and write what is proven to this file, which thresher certify SOURCE --check FILE checks",
    )
    group.add_argument("--trace", type=whole, metavar="K", help="the blackboard table of the first K rounds")
    group.add_argument(
        "--window",
        type=whole,
        metavar="W",
        help="accuracy, F1, log loss and their kin of the last W rounds, beside those so far (1000 in --json and --report)",
    )
    group.add_argument(
        "--holdout-every",
        type=at_least_two,
        metavar="K",
        help="predict each K-th example and never learn it; its metrics stand apart, and what is proven is of the others",
    )
    group.add_argument(
        "--metrics",
        metavar="FILE.csv",
        help="how the metrics went, a row each tenth of a window, as they stood then; with --resume from where the run goes "
        "on, and an earlier FILE is replaced",
    )
    group.add_argument("--report", metavar="FILE.html", help="a page with all of it, and pictures, in one file")
    group.add_argument("--json", action="store_true", help="one JSON object on stdout, and nothing else")
    group.add_argument("--quiet", action="store_true", help="no progress on stderr")
    add_reading_options(parser)


def run(options: argparse.Namespace) -> int:
    """Learns, saves, checks, and shows."""
    from thresher.cli.learning import learn

    return learn(options)
