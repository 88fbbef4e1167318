"""Classes over n attributes that are on or off: disjunctions and conjunctions of literals, and DNF of small size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.bounds.printed import shown
from thresher.classes.bits import Words, negated, pack, words_for
from thresher.classes.concepts import ConceptClass, as_index, whole
from thresher.errors import ExampleError, ParameterError
from thresher.examples import is_masked

__all__ = ["DNF", "Conjunctions", "Disjunctions"]

_MOST_ATTRIBUTES = 2**16
_MOST_TERMS = 2**20
_ENOUGH = 10**30


class _OnAttributes(ConceptClass):
    """A class whose example is a vector of n zeros and ones, or the set of the attributes that are on; its place is that set as
    the bits of a number.
    """

    n: int

    @property
    def places(self) -> int:
        """2^n: every example is told from every other."""
        return 1 << self.n

    @property
    def domain(self) -> str:
        """Vectors and sets."""
        return f"{self.n} zeros and ones, or the set of those from 0 to {self.n - 1} that are on"

    def place(self, x: object) -> int:
        """The attributes that are on, attribute j as bit j."""
        if isinstance(x, Set):
            return sum(1 << self._attribute(j) for j in x)
        try:
            array = np.asarray(x)
        except (TypeError, ValueError):
            array = np.asarray(None)
        if is_masked(x) or array.dtype.kind not in "biuf":
            raise ExampleError(f"found {type(x).__name__}, expected {self.domain}")
        if array.shape != (self.n,):
            raise ExampleError(f"found an array of shape {array.shape}, expected {self.domain}")
        on = array == 1
        if np.count_nonzero(on) + np.count_nonzero(array == 0) != self.n:
            j = int(np.flatnonzero(~on & (array != 0))[0])
            raise ExampleError(f"column {j}: found {array[j]}, expected 0 or 1", column=j)
        return int.from_bytes(np.packbits(on, bitorder="little").tobytes(), "little")

    def _attribute(self, j: object) -> int:
        found = as_index(j)
        if found is None or not 0 <= found < self.n:
            raise ExampleError(f"found {shown(j)} among the attributes that are on, expected {self.domain}", column=j)
        return found

    def example(self, place: int) -> object:
        """The vector, as a tuple."""
        return tuple(place >> j & 1 for j in range(self.n))

    def _check_attributes(self) -> None:
        object.__setattr__(self, "n", whole("n", self.n, 1, _MOST_ATTRIBUTES))


@dataclass(frozen=True)
class _OfLiterals(_OnAttributes):
    """Sets of literals over n attributes, as numbers: monotone, bit j says whether attribute j is in the set; else digit j to
    the base 3 is 0 where neither, 1 where the attribute and 2 where its negation is.
    """

    n: int
    monotone: bool = True

    def __post_init__(self) -> None:
        self._check_attributes()
        if not isinstance(self.monotone, bool | np.bool_):
            raise ParameterError(f"found monotone = {shown(self.monotone)}, expected True or False")
        object.__setattr__(self, "monotone", bool(self.monotone))

    @property
    def size(self) -> int:
        """2^n monotone ones; 3^n where each attribute may be in, or negated, or out."""
        return int((2 if self.monotone else 3) ** self.n)

    def _arguments(self) -> dict[str, Any]:
        return {"n": self.n, "monotone": self.monotone}

    def _literals(self, i: int) -> list[tuple[int, int]]:
        """(j, 1) for attribute j, (j, 0) for its negation."""
        if self.monotone:
            return [(j, 1) for j in range(self.n) if i >> j & 1]
        found = []
        for j in range(self.n):
            i, digit = divmod(i, 3)
            if digit:
                found.append((j, 2 - digit))
        return found

    def _some_true(self, place: int) -> Words:
        """For each set of literals whether one of them is true there, by doubling, or by threes, attribute after attribute."""
        if not self.monotone:
            said = np.zeros(self.size, dtype=np.bool_)
            third = 1
            for j in range(self.n):
                on = place >> j & 1
                said[third : 2 * third] = True if on else said[:third]
                said[2 * third : 3 * third] = said[:third] if on else True
                third *= 3
            return pack(said)
        word, width = 0, 1
        for j in range(min(self.n, 6)):
            word |= ((1 << width) - 1 if place >> j & 1 else word) << width
            width *= 2
        words = np.empty(words_for(self.size), dtype=np.uint64)
        words[0], half = word, 1
        for j in range(6, self.n):
            words[half : 2 * half] = 2**64 - 1 if place >> j & 1 else words[:half]
            half *= 2
        return words


@dataclass(frozen=True)
class Disjunctions(_OfLiterals):
    """All disjunctions of attributes among n; ``monotone=False``: of literals, none beside its negation. The empty one is never
    true.

    >>> from thresher.classes import Disjunctions
    >>> Disjunctions(20).size, Disjunctions(20, monotone=False).size
    (1048576, 3486784401)
    >>> print(Disjunctions(3, monotone=False).concept(7))
    x0 or not x1
    """

    def _at(self, place: int) -> Words:
        return self._some_true(place)

    def _says(self, i: int, place: int) -> bool:
        return any(place >> j & 1 == sign for j, sign in self._literals(i))

    def _words(self, i: int) -> str:
        return " or ".join(_literal(*literal) for literal in self._literals(i)) or "never"


@dataclass(frozen=True)
class Conjunctions(_OfLiterals):
    """All conjunctions of attributes among n; ``monotone=False``: of literals, none beside its negation. The empty one is
    always true.

    >>> from thresher.classes import Conjunctions
    >>> concept = Conjunctions(3).concept(5)
    >>> print(concept, concept.predict([1, 0, 1]).label, concept.predict({0, 1}).label)
    x0 and x2 1 -1
    """

    def _at(self, place: int) -> Words:
        all_off = (1 << self.n) - 1 ^ place
        return negated(self._some_true(all_off), self.size)  # one of them is false: true where all is turned round

    def _says(self, i: int, place: int) -> bool:
        return all(place >> j & 1 == sign for j, sign in self._literals(i))

    def _words(self, i: int) -> str:
        return " and ".join(_literal(*literal) for literal in self._literals(i)) or "always"


@dataclass(frozen=True)
class DNF(_OnAttributes):
    """k-DNF of small size: disjunctions of at most `terms` different terms, each a conjunction of 1 to k literals over n
    attributes, none beside its negation. The empty disjunction is never true.

    Concepts are formulas: two that say the same everywhere (x0, and x0 or (x0 and x1)) are two. They come by the number of
    their terms.

    >>> from thresher.classes import DNF
    >>> formulas = DNF(4, 2, 2)
    >>> formulas.size, str(formulas.concept(200))
    (529, '(not x0 and x3) or (not x0 and x2)')
    """

    n: int
    k: int
    terms: int

    def __post_init__(self) -> None:
        self._check_attributes()
        object.__setattr__(self, "k", whole("k", self.k, 1, _MOST_ATTRIBUTES))
        object.__setattr__(self, "terms", whole("terms", self.terms, 0, _MOST_TERMS))
        if self._candidates > _MOST_TERMS:
            raise ParameterError(
                f"found more than {_MOST_TERMS:,} terms of at most {self.k} literals, expected at most so many"
            )

    @cached_property
    def _candidates(self) -> int:
        """How many terms there are: a number above the limit if there are more."""
        total = 0
        for width, chosen in enumerate(islice(_row_of_pascal(self.n), 1, min(self.k, self.n) + 1), 1):
            total += chosen << width
            if total > _MOST_TERMS:
                break
        return total

    @cached_property
    def _terms(self) -> list[tuple[int, int]]:
        """Each term: which attributes it asks for, and which of them must be on, as bits."""
        return [
            (sum(1 << j for j in chosen), sum(sign << j for j, sign in zip(chosen, signs, strict=True)))
            for width in range(1, min(self.k, self.n) + 1)
            for chosen in combinations(range(self.n), width)
            for signs in product((1, 0), repeat=width)
        ]

    @cached_property
    def _exact_size(self) -> int:
        m, longest = self._candidates, self._longest
        if 2 * longest > m:  # fewer sets are longer
            return (1 << m) - sum(islice(_row_of_pascal(m), m - longest))
        return sum(islice(_row_of_pascal(m), longest + 1))

    @property
    def size(self) -> int:
        """The number of formulas: sets of at most so many terms."""
        return self._exact_size

    @property
    def _enough(self) -> int:
        total = 0
        for sets in islice(_row_of_pascal(self._candidates), self._longest + 1):
            total += sets
            if total > _ENOUGH:
                break
        return total

    @property
    def _longest(self) -> int:
        return min(self.terms, self._candidates)

    def _at(self, place: int) -> Words:
        """Sets of c terms in the order of their last term m: those before it are the first C(m, c − 1) sets of c − 1."""
        true = [place & asked == on for asked, on in self._terms]
        level, levels = np.zeros(1, dtype=np.bool_), [np.zeros(1, dtype=np.bool_)]
        for count in range(1, self._longest + 1):
            level = _with_one_more(level, true, count)
            levels.append(level)
        return pack(np.concatenate(levels))

    def _chosen(self, i: int) -> list[tuple[int, int]]:
        """The terms of formula i, the last first."""
        count = 0
        while i >= math.comb(self._candidates, count):
            i -= math.comb(self._candidates, count)
            count += 1
        chosen = []
        for left in range(count, 0, -1):
            m = left - 1
            while math.comb(m + 1, left) <= i:
                m += 1
            i -= math.comb(m, left)
            chosen.append(self._terms[m])
        return chosen

    def _says(self, i: int, place: int) -> bool:
        return any(place & asked == on for asked, on in self._chosen(i))

    def _words(self, i: int) -> str:
        terms = [[_literal(j, on >> j & 1) for j in range(self.n) if asked >> j & 1] for asked, on in self._chosen(i)]
        return " or ".join(term[0] if len(term) == 1 else f"({' and '.join(term)})" for term in terms) or "never"

    def _arguments(self) -> dict[str, Any]:
        return {"n": self.n, "k": self.k, "terms": self.terms}


def _row_of_pascal(n: int) -> Iterator[int]:
    """How many sets there are of 0, of 1, … of n, one number from the one before."""
    sets = 1
    for count in range(n + 1):
        yield sets
        sets = sets * (n - count) // (count + 1)


def _with_one_more(smaller: NDArray[np.bool_], true: list[bool], count: int) -> NDArray[np.bool_]:
    larger = np.empty(math.comb(len(true), count), dtype=np.bool_)
    start = 0
    for m, now in enumerate(true):
        width = math.comb(m, count - 1)
        larger[start : start + width] = True if now else smaller[:width]
        start += width
    return larger


def _literal(j: int, sign: int) -> str:
    return f"x{j}" if sign else f"not x{j}"
