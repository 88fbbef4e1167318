"""Combine forecasters into one forecast, and show what is proven about it.

SOURCE is a table with a row for each round: a column for each forecaster, and one for the outcome. A forecaster whose cell is
empty is asleep in that round. A row whose outcome is empty is forecast and not learned: tomorrow's, say.

With several outcomes (--outcome home,draw,away) there is a column of 0 and 1 for each, and each forecaster has a column of
probabilities for each, such as NAME_home, NAME_draw and NAME_away; with --odds these are decimal odds.
"""

from __future__ import annotations

import argparse

__all__ = ["LOSSES", "RULES", "add_options", "run"]

LOSSES = ("squared", "absolute", "log", "brier")

#: The rules by name, and which of the options each takes.
RULES: dict[str, tuple[str, ...]] = {
    "adahedge": (),
    "hedge": ("eta",),
    "fixed-share": ("eta", "alpha"),
    "weighted-majority": ("beta",),
    "randomized-majority": ("beta", "seed"),
    "improved-majority": ("beta", "seed"),
    "follow-the-leader": (),
}

EPILOG = """\
examples:
  thresher experts demo:forecasts
  thresher experts load.csv --outcome load --report load.html
  thresher experts load.parquet --outcome load --experts 'model_*' --time hour --forecasts combined.csv
  thresher experts rain.csv --outcome rained --loss brier
  thresher experts matches.csv --outcome home,draw,away --odds"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = EPILOG
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="a table with a first line of names: CSV, TSV or Parquet; - for standard input, or demo:forecasts; gzip and "
        "Zstandard are known by content",
    )
    group = parser.add_argument_group("which columns")
    group.add_argument("--outcome", metavar="COLUMN", help="what happened; several with commas, of which one happens")
    group.add_argument(
        "--experts",
        metavar="NAMES",
        help="the forecasters, with commas, or a pattern such as 'model_*'; by default every column of numbers but the outcome",
    )
    group.add_argument("--time", metavar="COLUMN", help="when a round was: no forecaster, and the axis of the pictures")
    group.add_argument(
        "--odds", action="store_true", help="several outcomes: the columns are decimal odds, with a margin to remove"
    )

    group = parser.add_argument_group("how they are combined")
    group.add_argument(
        "--loss",
        choices=LOSSES,
        help="what is to be small (squared; absolute where all is 0 or 1; log for several outcomes)",
    )
    group.add_argument(
        "--rule",
        choices=tuple(RULES),
        metavar="RULE",
        help=f"one of {', '.join(RULES)} (adahedge); the majorities and the leader need zeros and ones",
    )
    group.add_argument(
        "--against",
        choices=("mixture", "expert"),
        help="what the proof compares with: the best fixed mixture, or the best forecaster (mixture, where there is a choice)",
    )
    group.add_argument(
        "--range", metavar="A,B", help="squared: all forecasts and outcomes lie from A to B; then the regret does not grow"
    )
    group.add_argument("--eta", type=_number, metavar="E", help="hedge, fixed-share: the rate (falls as 2√(ln n/t); 0.5)")
    group.add_argument("--alpha", type=_number, metavar="A", help="fixed-share: what each weight hands on to the others (0.01)")
    group.add_argument("--beta", type=_number, metavar="B", help="the majorities: what a wrong forecaster keeps, below 1 (0.5)")
    group.add_argument("--seed", type=_whole, metavar="S", help="randomized-majority, improved-majority: of their coins (0)")

    group = parser.add_argument_group("what is shown")
    group.add_argument(
        "--forecasts",
        metavar="OUT",
        help="write each row's combined forecast beside its other columns: CSV, or Parquet by its name",
    )
    group.add_argument(
        "--report", metavar="FILE.html", help="write a page, in HTML, with the course of weights, scores and regret"
    )
    group.add_argument("--json", action="store_true", help="one JSON object on stdout, and nothing else")
    group.add_argument("--quiet", action="store_true", help="no progress on stderr")


def run(options: argparse.Namespace) -> int:
    """Combines, writes, and shows."""
    from thresher.cli.experting import experts

    return experts(options)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number") from None


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number") from None
