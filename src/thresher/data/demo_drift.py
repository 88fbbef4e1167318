"""The stream behind `demo:drift`: a market whose taste turns half way.

A stall sells oranges one basket after the other. A line of text is a basket, and whether it was `sold` on its day or `left`::

    sold | size=large colour=deep-orange peel=smooth ... blemish=none day=monday weather=rain stall=north-3 ...

with 16 of 110 names. What people like adds up the points in `TASTE`: a basket above 0 is sold, one below is left; one basket in
eight is bought, or left, on a whim. So it goes for `TURNS` rows. Then a famous cook writes that an orange should be small,
greenish and sour, and from that row on people like exactly what they did not: above 0 is left, below is sold.

Before the turn all is quiet but for the whims, and learners that grow sure do best, as they make little of a whim: AROW makes
732 mistakes, a Perceptron 1,076. After it the sure ones stay wrong for long (AROW 2,532), and the Perceptron comes round at
once (1,130). So the best learner of one half is among the worst of the other, and whoever combines them must let go of it.

Only sums, products and whole numbers make it, so that it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

__all__ = ["ROWS", "TASTE", "TURNS", "lines"]

#: How many baskets there are, and after how many of them the taste turns: where a table has a row at each doubling.
ROWS = 8192
TURNS = ROWS // 2

#: What is seen of a basket: as people like it at first, as they do not mind, as they dislike it.
_SEEN = [
    ("size=large", "size=medium", "size=small"),
    ("colour=deep-orange", "colour=orange", "colour=greenish"),
    ("peel=smooth", "peel=grained", "peel=puffy"),
    ("taste=sweet", "taste=mild", "taste=sour"),
    ("juice=plenty", "juice=fair", "juice=scarce"),
    ("seeds=none", "seeds=few", "seeds=many"),
    ("blemish=none", "blemish=russet", "blemish=bruise"),
    ("leaves=fresh", "leaves=dry", "leaves=none"),
]

#: What is told as well, and matters to nobody.
_TOLD = [
    ("day", ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]),
    ("weather", ["sun", "cloud", "rain", "wind", "fog"]),
    ("stall", [f"{side}-{number}" for side in ("north", "south", "east", "west") for number in range(1, 6)]),
    ("variety", ["navel", "valencia", "hamlin", "jaffa", "salustiana", "moro", "tarocco", "pera", "maltese", "berna"]),
    ("basket", ["willow", "chip", "net", "crate"]),
    ("crier", ["anna", "bruno", "carla", "dario", "elena", "fabio", "gina", "hugo"]),
    ("lot", [f"{number}" for number in range(1, 31)]),
    ("scales", ["old", "new", "none"]),
]

#: The points that decide: above 0 is sold at first, and left after the turn.
TASTE = {
    "size=large": 2,
    "size=small": -2,
    "colour=deep-orange": 2,
    "colour=greenish": -2,
    "taste=sweet": 2,
    "taste=sour": -2,
    "peel=smooth": 1,
    "peel=puffy": -1,
    "seeds=none": 1,
    "seeds=many": -1,
    "blemish=none": 1,
    "blemish=bruise": -1,
}

_WHIM = 1 / 8


def lines() -> Iterator[str]:
    r"""The baskets, one a line.

    >>> made = list(lines())
    >>> len(made) == ROWS, made[0][:40]
    (True, 'sold | size=medium colour=orange peel=gr')
    """
    draw = Random(1812).random  # the one method whose sequence Python promises to keep
    for row in range(ROWS):
        points = 0
        while points == 0:  # nobody knows what to think of such a basket, and it stays at home
            names = [grades[int(3 * draw())] for grades in _SEEN]
            points = sum(TASTE.get(name, 0) for name in names)
        liked = (points > 0) == (row < TURNS)
        sold = liked != (draw() < _WHIM)
        told = [f"{kind}={_one(draw, values)}" for kind, values in _TOLD]
        yield f"{'sold' if sold else 'left'} | {' '.join(names)} {' '.join(told)}\n"


def _one(draw: Callable[[], float], values: list[str]) -> str:
    return values[int(len(values) * draw())]
