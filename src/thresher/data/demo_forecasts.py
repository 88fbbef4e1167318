"""The table behind `demo:forecasts`: who knows how many crates of oranges a market will sell?

Each evening three forecasters say how many crates the market will sell the next day, Sundays too. The **almanac** knows the
season and the day of the week, and nothing of this year. The **trader** asks around, and hopes for more than comes. The
**scales** weigh what was sold before, and are the best of the three by far, until round 400: that day they get stuck, and from
then on repeat one number. The last `COMING` days are yet to come: they have forecasts and no outcome.

Only sums, products and whole numbers make it, so that it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from random import Random

__all__ = ["BREAKS", "COLUMNS", "COMING", "ROUNDS", "lines"]

#: How many days have an outcome, and how many are yet to come.
ROUNDS, COMING = 793, 7

#: The round in which the scales get stuck.
BREAKS = 400

COLUMNS = ("day", "almanac", "scales", "trader", "crates")

_BEGINS = date(2023, 1, 2)
_WEEK = (0, 15, 20, 30, 60, 85, -70)  # what each weekday adds, from Monday on
_YEAR = 365


def lines() -> Iterator[str]:
    r"""The head, and a line for each day.

    >>> made = list(lines())
    >>> made[0], made[1]
    ('day,almanac,scales,trader,crates\n', '2023-01-02,331,325,343,319\n')
    >>> len(made) == 1 + ROUNDS + COMING, made[-1]
    (True, '2025-03-11,384,234,404,\n')
    """
    draw = Random(1723).random  # the one method whose sequence Python promises to keep
    yield ",".join(COLUMNS) + "\n"
    trend, stuck = 0.0, 0
    for t in range(1, ROUNDS + COMING + 1):
        day = _BEGINS + timedelta(days=t - 1)
        usual = 330.0 + _season(t) + _WEEK[day.weekday()]
        trend = 0.97 * trend + 7.0 * _bell(draw)  # what is different this year
        crates = round(usual + trend + 14.0 * _bell(draw))
        almanac = round(usual + 3.0 * _bell(draw))
        trader = round(usual + 0.6 * trend + 12.0 + 20.0 * _bell(draw))
        scales = round(usual + trend + 9.0 * _bell(draw))
        stuck = scales if t < BREAKS else stuck
        yield f"{day},{almanac},{stuck},{trader},{crates if t <= ROUNDS else ''}\n"


def _season(t: int) -> float:
    """From −40 to 40 over a year, smooth: two parabolas."""
    x = t % _YEAR / _YEAR * 2
    return 160 * x * (1 - x) if x < 1 else -160 * (x - 1) * (2 - x)


def _bell(draw: Callable[[], float]) -> float:
    """Nearly normal: the sum of twelve draws."""
    return sum(draw() for _ in range(12)) - 6.0
