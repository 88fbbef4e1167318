"""What a finder keeps of the examples: rows as a learner sees them, signed by their labels; all of them or a sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from thresher._core import Rounds
from thresher.bounds import Certificate
from thresher.bounds.arguments import positive
from thresher.errors import ExampleError
from thresher.evaluate.parts import Examples, Part, parts
from thresher.ledger import Comparator, Ledger
from thresher.linear import LinearLearner

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["MEMORY", "Floats", "Rows", "Signed", "held", "lengths", "power_of_two"]

Floats = NDArray[np.float64]

#: How many bytes of rows a finder holds, unless it is told.
MEMORY = 2**28

_LIFT = 500  # norms are kept times 2^500, where a denormal number is none


class Some(NamedTuple):
    """Some rows y·x, which of all they are, from 0, whether their label is positive, and a coin for each."""

    z: csr_matrix
    numbers: NDArray[np.int64]
    positive: NDArray[np.bool_]
    coins: Floats

    @property
    def bytes(self) -> int:
        return int(self.z.data.nbytes + self.z.indices.nbytes + self.z.indptr.nbytes)

    def where(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Some:
        """Those of them."""
        return Some(self.z[chosen], self.numbers[chosen], self.positive[chosen], self.coins[chosen])

    @classmethod
    def joined(cls, given: Sequence[Some]) -> Some:
        """All of them, in this order."""
        from scipy.sparse import vstack

        stacked = cast("csr_matrix", vstack([some.z for some in given], format="csr"))
        return cls(stacked, *(np.concatenate([some[k] for some in given]) for k in (1, 2, 3)))


@dataclass(frozen=True)
class Signed:
    """Rows z = y·x as a learner sees them, the dummy behind, divided by `scale`, a power of two: the largest |zᵢ| is near 1.

    `each` is how many of all rows each stands for: 1.0 unless they are a sample. `terms` is the most nonzero terms in any row
    of all, `largest` the largest |zᵢ| of all, and `radius` at least, `inner` at most, the largest ‖z‖ of all.
    """

    rows: Some
    each: float
    scale: float
    terms: int
    largest: float
    radius: float
    inner: float

    @property
    def z(self) -> csr_matrix:
        """The rows themselves."""
        return self.rows.z

    def plus(self, more: Some) -> Signed:
        """With these added that are not among them."""
        new = ~np.isin(more.numbers, self.rows.numbers)
        return replace(self, rows=Some.joined([self.rows, more.where(new)]))


class Rows:
    """The examples of a finder: read once when it is made, by a learner that checks them, and again in each pass.

    Rows are kept up to so many bytes; of more than that, a sample: each time the memory is full, half of the rows go, by coins
    that are the same each time.
    """

    def __init__(self, examples: Examples, learner: Callable[[int], LinearLearner], memory: int) -> None:
        positive(memory=memory)
        self._examples, self._learner, self._memory = examples, learner, memory
        self.passes = 0
        self.n = 0
        self.rounds = 0
        self.signed = self._read()

    @property
    def sampled(self) -> bool:
        """Whether not all rows are kept."""
        return self.signed.each != 1.0

    @property
    def how(self) -> str:
        """What is kept, in words."""
        kept = self.signed.z.shape[0]
        return f"a sample of {kept:,} of {self.rounds:,} rows" if self.sampled else f"all {self.rounds:,} rows in memory"

    def parts(self) -> Iterator[Part]:
        """The examples once more."""
        self.passes += 1
        return parts(self._examples)

    def played(self) -> Iterator[Rounds]:
        """The rounds of one pass by a fresh learner."""
        learner = self._learner(self.n)
        for part in self.parts():
            yield learner.learn_many(part.X, part.y, part.weights)

    def held(self, *comparators: Comparator) -> list[list[Certificate]]:
        """What is proven of one pass by a fresh learner with each of these."""
        return held(self.played(), *comparators)

    def blocks(self) -> Iterator[Some]:
        """All rows, signed and scaled: those in memory, or block by block in one more pass."""
        if not self.sampled:
            yield self.signed.rows
            return
        start = 0
        for part in self.parts():
            some = self._some(part, start)
            start += len(some.numbers)
            yield _divided(some, self.signed.scale)

    def lowest(
        self,
        v: Floats,
        below: float,
        *,
        among: Callable[[Some], NDArray[np.bool_]] | None = None,
        most: int | None = None,
    ) -> tuple[float, Some]:
        """The smallest v·z of all rows, and rows whose v·z is below this: of each block the lowest, about `most` of all blocks.

        By default as many as a small part of the memory holds.
        """
        least, kept = math.inf, []
        limit = self._memory // (64 * max(1, self.signed.terms)) if most is None else most
        for block in self.blocks():
            some = block if among is None else block.where(among(block))
            products = some.z @ v
            chosen = np.argsort(products, kind="stable")[: max(1, limit * len(block.numbers) // self.rounds)]
            kept.append(some.where(chosen[products[chosen] < below]))
            least = min(least, float(products.min(initial=math.inf)))
        return least, Some.joined(kept)

    def exactly(self, numbers: Sequence[int]) -> list[dict[int, Fraction]]:
        """These rows, in this order: y·x with the dummy behind, exactly as given and neither scaled nor divided by a norm."""
        found: dict[int, dict[int, Fraction]] = {}
        start = 0
        for part in self.parts():
            end = start + part.X.shape[0]
            inside = [number for number in numbers if start <= number < end]
            if inside:
                x, plus = part.matrix(), part.positive().tolist()
                found |= {number: self._exact(x, number - start, plus[number - start]) for number in inside}
            start = end
        return [found[number] for number in numbers]

    def _exact(self, x: csr_matrix, k: int, plus: bool) -> dict[int, Fraction]:
        here = slice(int(x.indptr[k]), int(x.indptr[k + 1]))
        row = dict(zip(x.indices[here].tolist(), x.data[here].tolist(), strict=True))
        bias = self._learner(1).rule.bias
        if bias is not None:
            row[self.n] = bias
        return {i: Fraction(value) if plus else -Fraction(value) for i, value in row.items() if value}

    def _read(self) -> Signed:
        coins, share = np.random.default_rng(0), 1.0
        kept: list[Some] = []
        learner: LinearLearner | None = None
        largest, longest, terms, held = 0.0, 0.0, 0, 0
        for part in self.parts():
            if learner is None:
                self.n = part.n
                learner = self._learner(self.n)
            learner.learn_many(part.X, part.y, part.weights)
            some = self._some(part, self.rounds)._replace(coins=coins.random(part.X.shape[0]))
            some.coins[some.numbers == 0] = 0.0  # the first stays: no finder has to do without a row
            self.rounds += len(some.numbers)
            largest = max(largest, float(np.abs(some.z.data).max(initial=0.0)))
            longest = max(longest, float(lengths(some.z, _LIFT).max()))
            terms = max(terms, int(np.diff(some.z.indptr).max()))
            kept.append(some.where(some.coins < share))
            held += kept[-1].bytes
            while held > self._memory and share > 2.0**-60:
                share /= 2
                kept = [each.where(each.coins < share) for each in kept]
                held = sum(each.bytes for each in kept)
        if learner is None:
            raise ExampleError("found no examples, expected one at least")
        rows, scale, slack = Some.joined(kept), power_of_two(largest), (terms + 8) * 2.0**-52
        return Signed(
            rows=_divided(rows, scale),
            each=1.0 if share == 1.0 else self.rounds / max(1, len(rows.numbers)),
            scale=scale,
            terms=terms,
            largest=largest / scale,
            radius=longest / math.ldexp(scale, _LIFT) * (1 + slack),
            inner=longest / math.ldexp(scale, _LIFT) * (1 - slack),
        )

    def _some(self, part: Part, start: int) -> Some:
        """The rows of a part, as the learner sees them."""
        from scipy.sparse import csr_matrix

        x, plus, rule = part.matrix(), part.positive(), self._learner(1).rule
        data, indices, indptr, columns = x.data, x.indices, x.indptr, self.n
        if rule.bias is not None:  # behind the others in each row
            data, indices = np.insert(data, indptr[1:], rule.bias), np.insert(indices, indptr[1:], self.n)
            indptr, columns = indptr + np.arange(len(indptr)), self.n + 1
        z = csr_matrix((data, indices, indptr), shape=(x.shape[0], columns))
        factor = np.where(plus, 1.0, -1.0)
        if rule.normalize:
            units = _units(z)  # first: a row may be so short that one over its length is no number
            z.data = z.data / np.repeat(units, np.diff(indptr))
            factor /= lengths(z)
        z.data = z.data * np.repeat(factor, np.diff(indptr))
        return Some(z, np.arange(start, start + x.shape[0]), plus, np.zeros(x.shape[0]))


def held(played: Iterable[Rounds], *comparators: Comparator) -> list[list[Certificate]]:
    """What is proven of these rounds with each of these comparators."""
    ledger, watchers = Ledger(), [comparator.watch() for comparator in comparators]
    for rounds in played:
        ledger.enter(rounds)
        for watcher in watchers:
            watcher.enter(rounds)
    return [watcher.certificates(ledger.tally) for watcher in watchers]


def lengths(z: csr_matrix, lift: int = 0) -> Floats:
    """The norm of each row times 2^lift, within a few units in the last place, if that is no denormal number."""
    units = _units(z)
    rows = np.repeat(np.arange(z.shape[0]), np.diff(z.indptr))
    squares = np.bincount(rows, weights=np.square(z.data / units[rows]), minlength=z.shape[0])
    return np.sqrt(squares) * np.ldexp(units, lift)


def _units(z: csr_matrix) -> Floats:
    """A power of two near each row's largest: divided by it, squares neither overflow nor underflow."""
    filled, units = np.flatnonzero(np.diff(z.indptr)), np.ones(z.shape[0])
    if len(filled):
        units[filled] = np.ldexp(1.0, np.frexp(np.maximum.reduceat(np.abs(z.data), z.indptr[filled]))[1])
    return units


def power_of_two(size: float) -> float:
    """The least power of two above it.

    >>> power_of_two(3.0), power_of_two(4.0)
    (4.0, 8.0)
    """
    return math.ldexp(1.0, math.frexp(size)[1])


def _divided(some: Some, scale: float) -> Some:
    some.z.data = some.z.data / scale
    return some
