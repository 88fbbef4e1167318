"""Show what a model is, what it learned, and its heaviest weights with their names.

Of a portfolio its learners come first, from the best down, with their mistakes and how much each counts in the vote; the
weights are those of the best one. Invariant's are in the order of the weight times the largest size of the attribute so far.
"""

from __future__ import annotations

import argparse

from thresher.cli.reading import whole

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("model", metavar="MODEL", help="a file that thresher learn --save wrote")
    parser.add_argument("--top", type=whole, default=10, metavar="K", help="so many weights on either side (10)")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, and nothing else")


def run(options: argparse.Namespace) -> int:
    """Shows the model."""
    from thresher.cli.inspecting import inspect

    return inspect(options)
