"""Examples that can be read again and again, and what a finder keeps of them: rows as a Perceptron sees them, signed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from thresher import labels
from thresher._core import Rounds
from thresher.bounds.arguments import positive
from thresher.data.stream import Batch
from thresher.errors import ExampleError, ParameterError
from thresher.evaluate.play import Plays
from thresher.examples import many, numeric
from thresher.ledger import Comparator, Ledger
from thresher.linear import Perceptron

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["MEMORY", "Examples", "Floats", "Rows", "Signed", "parts"]

Floats = NDArray[np.float64]

#: A list of parts, each a pair (X, y) or a batch of a stream, or a function that gives them anew.
Examples = Sequence[tuple[Any, Any] | Batch] | Callable[[], Iterable[tuple[Any, Any] | Batch]]

#: How many bytes of rows a finder holds, unless it is told.
MEMORY = 2**28

_EXPECTED = "a list of pairs (X, y), such as [(X, y)], or a function that gives them, or batches of a stream, anew"


@dataclass(frozen=True)
class Part:
    """Some of the examples, as `learn_many` takes them; `batch` is where they come from, if it is a stream."""

    X: Any
    y: Any
    weights: Any = None
    batch: Batch | None = None

    @classmethod
    def of(cls, given: object) -> Part:
        """A pair (X, y), or a batch."""
        if isinstance(given, Batch):
            return cls(given.X, given.y, given.weights, given)
        if not isinstance(given, tuple) or len(given) != 2:
            raise ParameterError(f"found a part of type {type(given).__name__}, expected {_EXPECTED}")
        X = given[0] if hasattr(given[0], "shape") else numeric(given[0], "the examples", "a 2-D array or a SciPy matrix")
        if len(X.shape) != 2 or X.shape[1] == 0:
            raise ExampleError(f"found examples of shape {X.shape}, expected rows and columns")
        return cls(X, given[1])

    @property
    def n(self) -> int:
        """The number of columns."""
        return int(self.X.shape[1])

    def signs(self) -> NDArray[np.int8]:
        """−1 or +1 for each row, of labels that are known to be good."""
        return np.where(labels.read(self.y, self.X.shape[0]).codes > 0, np.int8(1), np.int8(-1))

    def matrix(self) -> csr_matrix:
        """The rows, in float64."""
        from scipy.sparse import csr_matrix

        if self.batch is not None:
            return self.batch.matrix()
        made = csr_matrix(many(self.X, self.n)[1], dtype=np.float64)
        made.eliminate_zeros()
        return made


def parts(examples: Examples) -> Iterator[Part]:
    """The examples once more, part by part; those without a row are left out."""
    if not callable(examples) and not isinstance(examples, Sequence):
        raise ParameterError(f"found {type(examples).__name__}, expected {_EXPECTED}")
    n = None
    for given in examples() if callable(examples) else examples:
        part = Part.of(given)
        if part.n != (n or part.n):
            raise ExampleError(f"found a part with {part.n} columns after one with {n}, expected as many in each")
        n = part.n
        if part.X.shape[0]:
            yield part


@dataclass(frozen=True)
class Signed:
    """Rows z = y·x as a Perceptron sees them, the dummy behind, divided by `scale`, a power of two: the largest |zᵢ| is near 1.

    `numbers` says which of all rows each is, from 0. `each` is how many of all rows each stands for: 1.0 unless they are a
    sample. `terms` is the most nonzero terms in any row of all, and `radius` at least, `inner` at most, the largest ‖z‖ of all.
    """

    z: csr_matrix
    numbers: NDArray[np.int64]
    each: float
    scale: float
    terms: int
    radius: float
    inner: float


class Rows:
    """The examples of a finder: read once when it is made, by a Perceptron that makes its mistakes meanwhile and checks them.

    Rows are kept up to so many bytes; of more than that, a sample: each time the memory is full, half of the rows go, by coins
    that are the same each time.
    """

    def __init__(self, examples: Examples, *, bias: float | None = None, normalize: bool = False, memory: int = MEMORY) -> None:
        positive(memory=memory)
        self._examples, self._bias, self._normalize, self._memory = examples, bias, normalize, memory
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

    def perceptron(self) -> Perceptron:
        """A fresh Perceptron for these examples."""
        return Perceptron(self.n, bias=self._bias, normalize=self._normalize)

    def played(self, learner: Plays) -> Iterator[Rounds]:
        """The rounds of one pass by this learner."""
        for part in self.parts():
            yield learner.learn_many(part.X, part.y, part.weights)

    def held(self, learner: Plays, *comparators: Comparator) -> Ledger:
        """The ledger of one pass by this learner, held against these."""
        ledger = Ledger(*comparators)
        for rounds in self.played(learner):
            ledger.enter(rounds)
        return ledger

    def blocks(self) -> Iterator[csr_matrix]:
        """All rows, signed and scaled: those in memory, or block by block in one more pass."""
        if not self.sampled:
            yield self.signed.z
            return
        for part in self.parts():
            yield _divided(self._signed(part), self.signed.scale)

    def exactly(self, numbers: Sequence[int]) -> list[dict[int, Fraction]]:
        """These rows, in this order: y·x with the dummy behind, exactly as given and neither scaled nor divided by a norm."""
        found: dict[int, dict[int, Fraction]] = {}
        start = 0
        for part in self.parts():
            end = start + part.X.shape[0]
            inside = [number for number in numbers if start <= number < end]
            if inside:
                x, signs = part.matrix(), part.signs().tolist()
                found |= {number: self._exact(x, number - start, signs[number - start]) for number in inside}
            start = end
        return [found[number] for number in numbers]

    def _exact(self, x: csr_matrix, k: int, sign: int) -> dict[int, Fraction]:
        here = slice(int(x.indptr[k]), int(x.indptr[k + 1]))
        row = dict(zip(x.indices[here].tolist(), x.data[here].tolist(), strict=True))
        if self._bias is not None:
            row[self.n] = self._bias
        return {i: sign * Fraction(value) for i, value in row.items() if value}

    def _read(self) -> Signed:
        from scipy.sparse import vstack

        coins, share = np.random.default_rng(0), 1.0
        kept: list[tuple[csr_matrix, NDArray[np.int64], Floats]] = []
        learner: Perceptron | None = None
        largest, longest, terms, held = 0.0, 0.0, 0, 0
        for part in self.parts():
            if learner is None:
                self.n = part.n
                learner = self.perceptron()
            learner.learn_many(part.X, part.y, part.weights)
            z = self._signed(part)
            largest = max(largest, float(np.abs(z.data).max(initial=0.0)))
            terms = max(terms, int(np.diff(z.indptr).max()))
            longest = max(longest, float(lengths(z).max()))
            coin, numbers = coins.random(z.shape[0]), np.arange(self.rounds, self.rounds + z.shape[0])
            self.rounds += z.shape[0]
            kept.append(_part_of(z, numbers, coin, share))
            held += _bytes(kept[-1][0])
            while held > self._memory and share > 2.0**-60:
                share /= 2
                kept = [_part_of(*each, share) for each in kept]
                held = sum(_bytes(each) for each, _, _ in kept)
        if learner is None:
            raise ExampleError("found no examples, expected one at least")
        scale = power_of_two(largest)
        z = _divided(cast("csr_matrix", vstack([each for each, _, _ in kept], format="csr")), scale)
        slack = (terms + 8) * 2.0**-52
        return Signed(
            z=z,
            numbers=np.concatenate([numbers for _, numbers, _ in kept]),
            each=1.0 if share == 1.0 else self.rounds / max(1, z.shape[0]),
            scale=scale,
            terms=terms,
            radius=longest / scale * (1 + slack),
            inner=longest / scale * (1 - slack),
        )

    def _signed(self, part: Part) -> csr_matrix:
        from scipy.sparse import csr_matrix

        x = part.matrix()
        data, indices, indptr, columns = x.data, x.indices, x.indptr, self.n
        if self._bias is not None:  # behind the others in each row
            data, indices = np.insert(data, indptr[1:], self._bias), np.insert(indices, indptr[1:], self.n)
            indptr, columns = indptr + np.arange(len(indptr)), self.n + 1
        signed = csr_matrix((data, indices, indptr), shape=(x.shape[0], columns))
        factor = part.signs().astype(np.float64)
        if self._normalize:
            factor /= lengths(signed)
        signed.data = signed.data * np.repeat(factor, np.diff(indptr))
        return signed


def lengths(z: csr_matrix) -> Floats:
    """The norm of each row, within a few units in the last place."""
    filled = np.flatnonzero(np.diff(z.indptr))
    units = np.ones(z.shape[0])  # powers of two near each row's largest: so squares neither overflow nor underflow
    if len(filled):
        units[filled] = np.ldexp(1.0, np.frexp(np.maximum.reduceat(np.abs(z.data), z.indptr[filled]))[1])
    rows = np.repeat(np.arange(z.shape[0]), np.diff(z.indptr))
    return np.sqrt(np.bincount(rows, weights=np.square(z.data / units[rows]), minlength=z.shape[0])) * units


def power_of_two(size: float) -> float:
    """The least power of two above it.

    >>> power_of_two(3.0), power_of_two(4.0)
    (4.0, 8.0)
    """
    return math.ldexp(1.0, math.frexp(size)[1])


def _part_of(
    z: csr_matrix, numbers: NDArray[np.int64], coin: Floats, share: float
) -> tuple[csr_matrix, NDArray[np.int64], Floats]:
    if share == 1.0:
        return z, numbers, coin
    stays = coin < share
    return z[stays], numbers[stays], coin[stays]


def _divided(z: csr_matrix, scale: float) -> csr_matrix:
    z.data = z.data / scale
    return z


def _bytes(z: csr_matrix) -> int:
    return int(z.data.nbytes + z.indices.nbytes + z.indptr.nbytes)
