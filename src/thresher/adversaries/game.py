"""The game against Winnow, solved: the worst sequence there is, for small n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from thresher.adversaries.adversary import Pair, indicator
from thresher.errors import ParameterError

__all__ = ["game_value", "worst_sequence"]

#: Exponents of weights, ascending: a weight is 2^exponent.
Exponents = tuple[int, ...]


def game_value(n: int, r: int, *, strict: bool = False) -> int:
    """The most mistakes that Winnow (factor 2, threshold n) can make while a disjunction of r of its n variables is true.

    Exact, by going through every position that matters; `strict` as Winnow's own: a score equal to the threshold predicts
    −1. A second or two for any n ≤ 8; beyond n = 12 it takes minutes and more.

    >>> import thresher as th
    >>> from thresher.adversaries import game_value
    >>> game_value(8, 2), th.bounds.winnow_disjunction(2, n=8).at_most
    (14, 15)
    >>> game_value(8, 2, strict=True), th.bounds.winnow_disjunction(2, n=8, strict=True).at_most
    (16, 17)
    """
    game = _Game(n, r, strict)
    return game.value(game.start)


def worst_sequence(n: int, r: int, *, strict: bool = False) -> list[Pair]:
    """A sequence on which Winnow makes `game_value` mistakes, one in each round; x₀ … x_{r−1} are the relevant variables.

    >>> import thresher as th
    >>> from thresher.adversaries import worst_sequence
    >>> for x, y in worst_sequence(3, 1):
    ...     print(x, y)
    (1.0, 1.0, 0.0) 1
    (0.0, 1.0, 1.0) -1
    (1.0, 0.0, 1.0) 1
    >>> learner = th.Winnow(3)
    >>> all(learner.learn(x, y).mistake for x, y in worst_sequence(3, 1))
    True
    """
    game = _Game(n, r, strict)
    position, exponents, sequence = game.start, [0] * n, list[Pair]()
    while game.value(position):
        move = max(game.moves(position), key=lambda move: game.value(move.to))
        active = set()
        for variables, chosen in ((range(r), move.relevant), (range(r, n), move.others)):
            for exponent, count in Counter(chosen).items():
                active |= set([i for i in variables if exponents[i] == exponent][:count])
        for i in active:
            exponents[i] += move.label
        sequence.append((indicator(n, active), move.label))
        position = move.to
    return sequence


class _Position(NamedTuple):
    """All that matters of the weights: those of the relevant variables not yet known, and those of the others."""

    relevant: Exponents
    others: Exponents


class _Move(NamedTuple):
    """A mistake: the exponents of the variables that are on, the label, and where it leads."""

    relevant: Exponents
    others: Exponents
    label: int
    to: _Position


class _Game:
    """Winnow is conservative, so only mistakes are moves; variables of a kind are interchangeable, so sorted exponents are a
    position. Two facts leave few moves worth a look.

    *Lighter relevant, heavier other variables never hurt the adversary*: from the better position it answers each move of
    the worse one by the same example, except that a promotion leaves out those others that are heavier already: as weights
    are powers of 2 they stay as heavy. The sums are then no larger for a promotion, no smaller for a demotion, and the
    position stays the better one. Hence

    - a promotion needs one relevant variable on, and as many others as fit: a set to which none can be added;
    - a demotion needs as few as will do: a set from which none can be left out.
    """

    def __init__(self, n: int, r: int, strict: bool) -> None:
        if not 0 <= r <= n or n < 1:
            raise ParameterError(f"found n = {n} and r = {r}, expected n of at least 1 and r from 0 to n")
        # Weights are whole multiples of 2^−scale: with k promotions a weight at most, there are fewer than 2 + 3rk mistakes.
        self.scale = 2 + 3 * r * n.bit_length()  # k ≤ 1 + ⌊lg n⌋
        self.highest_minus = (n << self.scale) - (not strict)
        self.values: dict[_Position, int] = {}
        self.start = _Position(self.unknown((0,) * r), (0,) * (n - r))

    def weight(self, exponent: int) -> int:
        return 1 << (self.scale + exponent)

    def unknown(self, relevant: Exponents) -> Exponents:
        """Without those whose weight alone predicts +1: they are never missed again."""
        return tuple(sorted(e for e in relevant if self.weight(e) <= self.highest_minus))

    def value(self, position: _Position) -> int:
        if position not in self.values:
            self.values[position] = max((1 + self.value(move.to) for move in self.moves(position)), default=0)
        return self.values[position]

    def moves(self, position: _Position) -> Iterator[_Move]:
        relevant, others = position
        for chosen, rest, total in self.splits(others):
            if total > self.highest_minus >= total - self.weight(min(chosen)):
                to = _Position(relevant, tuple(sorted((*rest, *(e - 1 for e in chosen)))))
                yield _Move((), chosen, -1, to)
            for e in sorted(set(relevant)):
                room = self.highest_minus - total - self.weight(e)
                if room >= 0 and (not rest or room < self.weight(min(rest))):
                    known = list(relevant)
                    known.remove(e)
                    to = _Position(self.unknown((*known, e + 1)), tuple(sorted((*rest, *(e + 1 for e in chosen)))))
                    yield _Move((e,), chosen, +1, to)

    def splits(self, others: Exponents) -> Iterator[tuple[Exponents, Exponents, int]]:
        """Every way to turn some on and leave the rest, equal ones not told apart; and the weight of those that are on."""
        if not others:
            yield (), (), 0
            return
        heaviest = others[-1]
        first = others.index(heaviest)
        for chosen, rest, total in self.splits(others[:first]):
            for off in range(len(others) - first + 1):
                on = len(others) - first - off
                yield chosen + (heaviest,) * on, rest + (heaviest,) * off, total + on * self.weight(heaviest)
