"""The Littlestone dimension: how often every learner without coins can be made to err on a class (Littlestone 1988)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from thresher.bounds.printed import counted
from thresher.classes.bits import Words, unpack, words_for
from thresher.classes.concepts import ConceptClass
from thresher.classes.named import as_class
from thresher.errors import ParameterError

__all__ = ["MOST_CONCEPTS", "MOST_PLACES", "MOST_STEPS", "Littlestone", "definition", "littlestone_dimension"]

#: What is tried: concepts and kinds of examples at most, and how many splits before a class is given up. Most classes take a
#: fraction of a second; 4,096 random concepts on 4,096 points take half a minute and 3/4 of the splits, and with few ones
#: in the table they are given up.
MOST_CONCEPTS = 2**12
MOST_PLACES = 2**12
MOST_STEPS = 2**24


def definition(concepts: Collection[Sequence[int]]) -> int:
    """The dimension as on the blackboard: the deepest complete tree of examples all whose ways some concept takes."""
    if not concepts:
        return -1
    depth = 0
    for x in range(len(next(iter(concepts)))):
        plus, minus = [c for c in concepts if c[x]], [c for c in concepts if not c[x]]
        if plus and minus:
            depth = max(depth, 1 + min(definition(plus), definition(minus)))
    return depth


def littlestone_dimension(concepts: object) -> int:
    """The Littlestone dimension of a class, exactly: a small one, because the time is exponential.

    It is tried for up to 4,096 concepts on as many kinds of examples, and given up (`ParameterError`) after 2^24 splits.

    It is what `Optimal` errs at most, and no learner without coins can promise less; 0 for a single concept, and never above
    ⌊lg|C|⌋.

    >>> from thresher.classes import AllFunctions, Thresholds, littlestone_dimension
    >>> littlestone_dimension(AllFunctions(3)), littlestone_dimension(Thresholds(range(7)))
    (3, 3)
    >>> littlestone_dimension([[int(i == j) for j in range(7)] for i in range(7)])          # one point each
    1
    """
    solver = Littlestone(as_class(concepts))
    return solver.dimension(solver.everything)


class Littlestone:
    """The dimension of a class and of parts of it, which are bits of an int; what was found is kept.

    Whether a part has at least dimension d is asked, rather than the dimension: then only examples matter that leave 2^(d−1)
    concepts on both sides. Concepts that agree everywhere are one, and so are examples that split a part alike.
    """

    def __init__(self, concepts: ConceptClass) -> None:
        if (size := concepts._enough) > MOST_CONCEPTS or concepts.places > MOST_PLACES:
            raise ParameterError(
                f"found {counted(size)} concepts on {counted(concepts.places)} kinds of examples: too large for the "
                f"Littlestone dimension, which takes exponential time: it is tried up to {MOST_CONCEPTS:,} and "
                f"{MOST_PLACES:,}, and given up after {MOST_STEPS:,} splits (Halving takes more)"
            )
        self.concepts = concepts
        matrix = np.array([concepts.at(place) for place in range(concepts.places)]).reshape(-1, words_for(concepts.size))
        self._places = [as_int(row) for row in matrix]
        by_concept = np.packbits(unpack(matrix, concepts.size).T, axis=1)
        self._distinct = sum(1 << int(i) for i in np.unique(by_concept, axis=0, return_index=True)[1])
        self._known: dict[int, tuple[int, int]] = {}
        self._steps = 0

    @property
    def everything(self) -> int:
        """The whole class."""
        return (1 << self.concepts.size) - 1

    def dimension(self, part: int) -> int:
        """The dimension of a part that some examples leave; −1 if nothing is left."""
        part &= self._distinct
        self._steps = 0
        found = -1
        while self._at_least(part, found + 1, self._places):
            found += 1
        return found

    def split(self, part: int) -> int | None:
        """A place both sides of which have at least the dimension of the part less one; None for a single concept."""
        part &= self._distinct
        dimension = self.dimension(part)
        for place, plus in enumerate(self._places):
            sides = part & plus, part & ~plus
            if all(sides) and all(self._at_least(side, dimension - 1, self._places) for side in sides):
                return place
        return None

    def part(self, part: int, place: int, label: int) -> int:
        """What of a part says this label there."""
        plus = part & self._places[place]
        return plus if label == +1 else part ^ plus

    def _at_least(self, part: int, dimension: int, splits: Collection[int]) -> bool:
        count = part.bit_count()
        if count < 1 << dimension or dimension <= 1:  # distinct concepts: two of them are split by some example
            return count >= 1 << dimension
        least, most = self._known.get(part, (1, count.bit_length() - 1))
        if not least < dimension <= most:
            return dimension <= least
        self._steps += len(splits)
        if self._steps > MOST_STEPS:
            raise ParameterError(
                f"gave up the Littlestone dimension of {self.concepts!r} after {MOST_STEPS:,} splits: it is at least {least}; "
                "take a smaller class, or Halving"
            )
        smaller = _smaller_sides(part, splits)
        enough = sorted(
            (side for side, size in smaller.items() if size >= 1 << dimension - 1), key=smaller.__getitem__, reverse=True
        )
        found = any(all(self._at_least(side, dimension - 1, smaller) for side in (s, part ^ s)) for s in enough)
        self._known[part] = (dimension, most) if found else (least, dimension - 1)
        return found


def _smaller_sides(part: int, splits: Collection[int]) -> dict[int, int]:
    """The smaller side of each split of a part, once, and its size; none where nothing is split."""
    count, found = part.bit_count(), dict[int, int]()
    for split in splits:
        side = part & split
        size = side.bit_count()
        if 2 * size > count:
            side, size = part ^ side, count - size
        found[side] = size
    found.pop(0, None)
    return found


def as_int(words: Words) -> int:
    """Packed bits as one number.

    >>> as_int(np.array([1, 1], dtype=np.uint64)) == 2**64 + 1
    True
    """
    return int.from_bytes(words.astype("<u8", copy=False).tobytes(), "little")
