"""Find what can be proven of a source, and check it again.

SOURCE is read several times. Comparators are found in hindsight that make the proven bounds as small as they can be; then each
learner plays from its start, and every theorem whose premises were seen to hold is shown, with what was counted. At the end the
Perceptron stands beside Winnow: which of the two the data favour, and why.

--save writes the certificates to a file, with the witnesses and a fingerprint of the examples. --check FILE plays the learners
of such a file on SOURCE again, believes nothing that it says, and names the first field that is not so.
"""

from __future__ import annotations

import argparse

from thresher.cli.learners import add_options_of
from thresher.cli.reading import add_reading_options, add_source, whole

__all__ = ["add_options", "run"]

EPILOG = """\
examples:
  thresher certify demo:oranges
  thresher certify mushroom.svm --n 126 --no-bias --threshold 126
  thresher certify mail.vw.gz --save mail.proof.json
  thresher certify mail.vw.gz --check mail.proof.json"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = EPILOG
    add_source(parser)
    group = parser.add_argument_group("what learns")
    add_options_of(group, "threshold", "factor", "strict")
    group.add_argument("--no-bias", action="store_true", default=None, help="no constant feature; by default there is one of 1")
    group = parser.add_argument_group("what looks for witnesses")
    group.add_argument(
        "--memory",
        type=whole,
        default=256,
        metavar="MB",
        help="programs, on examples of up to so many megabytes in memory (256); of more, learners in two or three passes",
    )
    group = parser.add_argument_group("certificates")
    what = group.add_mutually_exclusive_group()
    what.add_argument("--save", metavar="FILE", help="write the certificates to this file")
    what.add_argument("--check", metavar="FILE", help="check the certificates of this file on SOURCE, in place of all else")
    group = parser.add_argument_group("what is shown")
    group.add_argument("--json", action="store_true", help="one JSON object on stdout, and nothing else")
    group.add_argument("--report", metavar="FILE.html", help="a page with all of it, and pictures, in one file")
    group.add_argument("--quiet", action="store_true", help="no progress on stderr")
    add_reading_options(parser, "a proof remembers all of this but --format and the last two")


def run(options: argparse.Namespace) -> int:
    """Finds, plays, saves, and shows; or checks."""
    from thresher.cli.certifying import certify
    from thresher.cli.verifying import verify

    return certify(options) if options.check is None else verify(options)
