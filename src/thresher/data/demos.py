"""Streams that come with the package. They are made when they are read: the same bytes on every machine, for ever.

**oranges** is a season at a packing house. Truck after truck brings a load from one of 120 orchards; of each load 80 oranges
are looked at, and each goes on `export` or to the `local-market`. A line of text is an orange::

    export | size=large colour=deep-orange peel=smooth ... blemish=none orchard=hillside-12 variety=berna ...

with 15 or 16 of 281 names. The rule behind the labels adds up the points in `RULE`: above 0 an orange travels, below it stays.
An orange with fewer than `MARGIN` points for or against becomes juice and is not in the stream, so the rule separates the first
`RIGHTLY_LABELLED` rows, seven eighths of all. Then a new inspector comes, who labels about two oranges in a hundred wrongly.

The stream also tells what the rule does not look at: some of it goes with fine oranges, such as their shape, some with nothing,
such as the truck. A Perceptron with bias 1 over 2^18 slots makes 6 mistakes before the new inspector comes, and then 52: about
two for each of the 23 errors.

**drift** is a market whose taste turns half way; thresher.data.demo_drift says how.

**forecasts** is a table for `thresher experts`; thresher.data.demo_forecasts says what is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from thresher.data import demo_drift, demo_forecasts
from thresher.errors import ParameterError

__all__ = ["DEMOS", "MARGIN", "RIGHTLY_LABELLED", "RULE", "Demo", "find"]

_BLOCK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Demo:
    r"""A stream that needs no file.

    `about` says in a sentence what it is, `format` how its text is to be read, and `positive` which label means +1. A table
    (csv) of forecasts has an `outcome` and a `time` instead, the names of two columns.

    >>> demo = find("oranges")
    >>> demo.rows, demo.format, demo.positive
    (9600, 'vw', 'export')
    >>> sum(block.count(b"\n") for block in demo.blocks())
    9600
    """

    name: str
    about: str
    format: str
    positive: str | None
    rows: int
    lines: Callable[[], Iterator[str]] = field(repr=False)
    outcome: str | None = None
    time: str | None = None

    def blocks(self) -> Iterator[bytes]:
        """The text from its beginning, in blocks of whole lines: 64 KiB and what completes a line, the last perhaps less."""
        block = bytearray()
        for line in self.lines():
            block += line.encode()
            if len(block) >= _BLOCK:
                yield bytes(block)
                block.clear()
        if block:
            yield bytes(block)


def find(name: str) -> Demo:
    """The demo of that name.

    >>> print(next(find("oranges").lines())[:60])
    local-market | size=small colour=orange peel=puffy firmness=
    >>> find("apples")
    Traceback (most recent call last):
    thresher.errors.ParameterError: found the demo 'apples', expected one of oranges, drift, forecasts
    """
    if name not in DEMOS:
        raise ParameterError(f"found the demo {name!r}, expected one of {', '.join(DEMOS)}")
    return DEMOS[name]


# ---- oranges -------------------------------------------------------------------------------------------------------

#: What is seen of each orange: as it should be, as it may be, as it should not be.
_GRADES = [
    ("size=large", "size=medium", "size=small"),
    ("colour=deep-orange", "colour=orange", "colour=greenish"),
    ("peel=smooth", "peel=grained", "peel=puffy"),
    ("firmness=firm", "firmness=yielding", "firmness=soft"),
    ("sugar=high", "sugar=fair", "sugar=low"),
    ("shape=round", "shape=oval", "shape=lopsided"),
    ("acidity=balanced", "acidity=mild", "acidity=sharp"),
    ("juice=plenty", "juice=fair", "juice=scarce"),
    ("stem=fresh", "stem=dry", "stem=torn"),
]
_SLIGHT = [f"blemish={name}" for name in ("russet", "wind-scar", "leaf-mark", "limb-rub", "water-spot")]
_GRAVE = [f"blemish={name}" for name in ("scale", "bruise", "mould", "split", "fly-sting", "sunburn", "frost", "rind-rot")]

_ORCHARDS = [f"{site}-{number}" for site in ("hillside", "riverside", "terrace", "valley") for number in range(1, 31)]
_VARIETIES = ["navel", "valencia", "hamlin", "jaffa", "salustiana", "cara-cara"]
_VARIETIES += ["moro", "tarocco", "pera", "maltese", "lane-late", "berna"]
_LOTS, _TRUCKS, _LOADS_A_WEEK, _ORANGES_A_LOAD = 60, 30, 5, 80

#: The points that decide; every other name has none.
RULE = {
    "size=large": 2,
    "size=small": -2,
    "colour=deep-orange": 2,
    "colour=greenish": -2,
    "peel=smooth": 1,
    "peel=puffy": -1,
    "firmness=firm": 1,
    "firmness=soft": -1,
    "sugar=high": 1,
    "sugar=low": -1,
    "blemish=none": 1,
    **dict.fromkeys(_GRAVE, -1),
}

#: The fewest points, for or against, of an orange in the stream.
MARGIN = 4

#: How many rows there are before the new inspector comes.
RIGHTLY_LABELLED = 105 * _ORANGES_A_LOAD


def _oranges() -> Iterator[str]:
    draw = Random(1958).random  # the one method whose sequence Python promises to keep
    order = [orchard for _, orchard in sorted((draw(), orchard) for orchard in range(len(_ORCHARDS)))]
    for load, orchard in enumerate(order):
        origin = (
            f"orchard={_ORCHARDS[orchard]} variety={_VARIETIES[orchard % len(_VARIETIES)]} week={1 + load // _LOADS_A_WEEK} "
            f"lot={1 + int(_LOTS * draw())} truck={1 + int(_TRUCKS * draw())}"
        )
        share = 0.25 + draw() / 2  # of fine oranges in this load
        for row in range(load * _ORANGES_A_LOAD, (load + 1) * _ORANGES_A_LOAD):
            points = 0
            while abs(points) < MARGIN:
                names = _orange(draw, fine=draw() < share)
                points = sum(RULE.get(name, 0) for name in names)
            wrong = row >= RIGHTLY_LABELLED and draw() < 0.02
            label = "export" if (points > 0) != wrong else "local-market"
            yield f"{label} | {' '.join(names)} {origin}\n"


def _orange(draw: Callable[[], float], *, fine: bool) -> list[str]:
    """What is seen of one orange."""
    names = [grades[_grade(draw(), fine)] for grades in _GRADES]
    blemishes = _grade(draw(), fine)
    if blemishes == 0:
        return [*names, "blemish=none"]
    if blemishes == 2:
        names.append(_GRAVE[int(len(_GRAVE) * draw())])
    return [*names, _SLIGHT[int(len(_SLIGHT) * draw())]]


def _grade(chance: float, fine: bool) -> int:
    """Mostly 0 for a fine orange, mostly 2 for another."""
    grade = (chance >= 0.75) + (chance >= 0.95)
    return grade if fine else 2 - grade


_ORANGES = Demo(
    name="oranges",
    about="a season at a packing house: which oranges to export, and at its end a new inspector who makes errors",
    format="vw",
    positive="export",
    rows=len(_ORCHARDS) * _ORANGES_A_LOAD,
    lines=_oranges,
)

_DRIFT = Demo(
    name="drift",
    about="a market that half way likes the opposite of what it liked: the best learner before is among the worst after",
    format="vw",
    positive="sold",
    rows=demo_drift.ROWS,
    lines=demo_drift.lines,
)

_FORECASTS = Demo(
    name="forecasts",
    about="three forecasters of what a market sells, one of which is the best until it breaks at round 400",
    format="csv",
    positive=None,
    rows=demo_forecasts.ROUNDS + demo_forecasts.COMING,
    lines=demo_forecasts.lines,
    outcome="crates",
    time="day",
)

DEMOS: dict[str, Demo] = {demo.name: demo for demo in (_ORANGES, _DRIFT, _FORECASTS)}
