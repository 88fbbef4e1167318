"""Predict the labels of a source with a model.

One line on stdout for each example: its label, spelled as in the data that the model learned from. If SOURCE has labels, the
table of mistakes goes to stderr. A score (--scores) is what the learner compares: w·x with 0 for the perceptrons (for the
averaged one the average's), passive-aggressive, balanced-winnow, arow, adagrad and invariant, with the threshold for winnow
(scaled-winnow: w·u/θ − 1, with 0); for elimination it is the number of literals left that are true, and what was never met
counts as left; for a portfolio it is the mean of its learners' scores, each in units of its usual size, by the weights that
the master gives them.

A portfolio has probabilities: its score, calibrated while it learned (Platt scaling, online). So have adagrad with the logistic
loss and invariant. A portfolio's label is its vote, so a probability near 1/2 may point the other way; with --cost-positive
labels follow the costs, and probabilities do not.
"""

from __future__ import annotations

import argparse

from thresher.cli.reading import add_reading_options, add_source

__all__ = ["add_options", "run"]

EPILOG = """\
examples:
  thresher predict mail.thresher new.vw > labels.txt
  thresher predict mail.thresher new.vw --probabilities
  thresher predict mail.thresher new.vw --scores --id tag
  thresher predict visits.thresher new.csv --id visitor"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = EPILOG
    parser.add_argument("model", metavar="MODEL", help="a file that thresher learn --save wrote")
    add_source(parser)
    group = parser.add_argument_group("what is shown")
    group.add_argument("--scores", action="store_true", help="the score behind each label, after a tab")
    group.add_argument("--probabilities", action="store_true", help="the chance of the positive label, where the model has one")
    group.add_argument(
        "--id",
        metavar="COLUMN",
        help="this column of a table first, then a tab, whether the model knows it or not; in Vowpal Wabbit text: tag",
    )
    group.add_argument("--ignore-labels", action="store_true", help="labels in SOURCE mean nothing; do not look at them")
    add_reading_options(parser)


def run(options: argparse.Namespace) -> int:
    """Predicts."""
    from thresher.cli.predicting import predict

    return predict(options)
