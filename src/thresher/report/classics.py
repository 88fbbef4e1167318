"""The classics of online learning as figures: every point of them is what the library's own learners did.

Each function gives the values of a figure; `CLASSICS` says in which family it is shown, and draws it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from thresher import bounds
from thresher.adversaries import LeaderErrs
from thresher.classes import Halving, Thresholds
from thresher.compose import Conservative, pac
from thresher.experts import FollowTheLeader, Hedge, ImprovedMajority, RandomizedMajority, WeightedMajority
from thresher.lab.perceptron import Against
from thresher.lab.streams import Stubborn, pairs, unit
from thresher.linear import Perceptron, Winnow
from thresher.report.curves import Curves, pictured
from thresher.report.panels import Blocks, Plane, Step, blocks, planes
from thresher.report.theorem import scale

__all__ = ["CLASSICS", "denser", "halving", "hinge", "leader", "majorities", "pac_blocks", "plane", "wider"]

_R = 2
_ROUNDS = 3000
_EXPERTS = 200
_BETA = 0.5


def plane() -> Plane:
    """The Perceptron's mistakes on points of the plane that a line through the origin separates, until it makes no more.

    >>> [step.t for step in plane().steps]
    [2, 6, 17, 24, 31, 38]
    """
    chance = np.random.default_rng(1)
    u = unit(chance, 2)[0]
    X = chance.uniform(-3, 3, (200, 2)).round(1)
    X = X[np.abs(X @ u) >= 0.2][:14]
    learner, points, steps = Perceptron(2), pairs(X, np.where(X @ u > 0, 1, -1)), list[Step]()
    for t, (x, y) in enumerate(Stubborn(points).against(learner), 1):
        before = tuple(learner.weights.tolist())
        if learner.learn(x, y).mistake:
            steps.append(Step(t, x, y, before, tuple(learner.weights.tolist())))
    return Plane(points, steps)


def hinge() -> Curves:
    """Of one example with u·z = s: whether the hypothesis u errs, and by how much it falls short of margin 1."""
    scores = [k / 200 for k in range(-400, 401)]
    errs, short = [], []
    for score in scores:
        learner, facts = Perceptron(1), Against(np.ones(1), 1.0)
        learner.learn((-1.0,), -1)  # now its weight is 1
        facts.enter(learner.learn((score,), +1))
        errs.append(float(facts.mistakes))
        short.append(facts.distance)
    return Curves(
        "Hinge loss",
        "A mistake costs 1. The hinge loss, what an example falls short of margin 1, is never less: so theorems can "
        "count it in the place of mistakes.",
        "loss",
        scores,
        [("hinge loss of u", short, 1), ("mistake of the Perceptron with weights u", errs, 2)],
        below="y·(u·x)",
    )


def majorities() -> Curves:
    """The chance of saying plus over the share of the weight that says so, of 200 experts of equal weight."""
    advice = [[1] * k + [-1] * (_EXPERTS - k) for k in range(_EXPERTS + 1)]

    def chances(learner: RandomizedMajority | ImprovedMajority) -> list[float]:
        return [float(learner.predict(said).p_positive or 0.0) for said in advice]

    vote = WeightedMajority(_EXPERTS, beta=_BETA)
    return Curves(
        "Three ways to follow a majority",
        "Weighted majority goes with the larger half. Randomised majority says plus as often as the weight does; the improved "
        "one leans further to the heavier side, at β = ½ and at β = 0.01.",
        "chance of +1", [k / _EXPERTS for k in range(_EXPERTS + 1)],
        [
            ("weighted majority", [float(vote.predict(said).label == 1) for said in advice], 0),
            ("randomised majority", chances(RandomizedMajority(_EXPERTS, beta=_BETA)), 1),
            ("improved, β = ½", chances(ImprovedMajority(_EXPERTS, beta=_BETA)), 2),
            ("improved, β = 0.01", chances(ImprovedMajority(_EXPERTS, beta=0.01)), 3),
        ],
        below="share of the weight that says +1",
    )  # fmt: skip


def _disjunction(n: int, on: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Half of the examples have one of the two relevant attributes, the others none; `on` of the rest are on, by chance."""
    chance = np.random.default_rng(seed)
    y = chance.choice([-1, 1], _ROUNDS)
    X = np.zeros((_ROUNDS, n))
    rank = chance.random((_ROUNDS, n - _R)).argsort(axis=1)
    X[:, _R:] = rank < on
    X[np.arange(_ROUNDS), chance.integers(_R, size=_ROUNDS)] = y == 1
    return X, y


def _duel(heading: str, text: str, below: str, sizes: list[int], stream: Callable[[int], tuple[int, int]]) -> Curves:
    """Mistakes of both on the same examples; `stream` gives the attributes, and how many of them are on."""
    perceptron, winnow, most = [], [], []
    for size in sizes:
        n, on = stream(size)
        X, y = _disjunction(n, on)
        perceptron.append(float(Perceptron(n, bias=1.0).learn_many(X, y).mistakes))
        winnow.append(float(Winnow(n).learn_many(X, y).mistakes))
        most.append(bounds.winnow_disjunction(_R, n=n).value)
    up = scale([*perceptron, *winnow, *most], span=1)
    lines = [("Perceptron", perceptron, 2), ("Winnow", winnow, 1), ("Winnow's bound", most, 0)]
    return Curves(
        heading, text, f"mistakes in {_ROUNDS:,} rounds", [math.log2(size) for size in sizes],
        [(name, [up.place(height) for height in heights], style) for name, heights, style in lines],
        below=below, marks_across={math.log2(size): f"{size:,}" for size in sizes}, marks_up=up.marks,
        bottom=min(up.marks or [0.0]),
    )  # fmt: skip


def wider() -> Curves:
    """Winnow against the Perceptron as n grows and r stays."""
    return _duel(
        "Winnow against the Perceptron: more attributes",
        "The label is x₁ ∨ x₂; half of the other attributes are on. The Perceptron's mistakes grow with n, Winnow's with lg n.",
        "attributes n", [8, 16, 32, 64, 128, 256, 512], lambda n: (n, n // 2),
    )  # fmt: skip


def denser() -> Curves:
    """Winnow against the Perceptron as more attributes are on, of as many."""
    return _duel(
        "Winnow against the Perceptron: denser examples",
        "The same label among 256 attributes. The denser the examples, the longer they are, and the more the Perceptron errs; "
        "Winnow's bound does not ask.",
        "attributes on", [1, 2, 4, 8, 16, 32, 64, 128], lambda on: (256, on),
    )  # fmt: skip


def leader() -> Curves:
    """The regret of follow-the-leader and of Hedge on the stream in which, of two experts, the leader errs."""
    follower, hedge, errs = FollowTheLeader(2), Hedge(2), 100
    lost, followed, hedged = np.zeros(2), [0.0], [0.0]
    told = 0.0
    for advice, y in LeaderErrs(2, errs).against(follower):
        losses = (np.array(advice) != y).astype(float)
        lost += losses
        follower.learn(advice, y)
        told += hedge.learn_losses(losses).loss
        followed.append(follower.mistakes - lost.min())
        hedged.append(told - lost.min())
    rounds = range(len(followed))
    proven = [0.0, *(bounds.hedge_anytime(rounds=t, n=2).value for t in rounds if t)]
    return Curves(
        "Follow the leader, or hedge",
        "Two experts, of whom the one with fewer mistakes errs. Who follows it errs in every round; Hedge's regret is below a "
        "multiple of √T on every stream.",
        "regret", list(rounds), [("follow the leader", followed, 2), ("Hedge", hedged, 1), ("Hedge's bound", proven, 0)],
        below="rounds T",
    )  # fmt: skip


def halving() -> Curves:
    """How many of 256 thresholds are left after each round, under |C|/2^M."""
    chance = np.random.default_rng(13)
    learner, target = Halving(Thresholds(range(255))), 77
    left, most = [256], [256.0]
    for x in chance.permutation(255)[:60].tolist():
        learner.learn(x, int(x >= target))
        left.append(learner.left)
        most.append(256 / 2**learner.mistakes)
    return Curves(
        "The version space, halved",
        "256 thresholds; points come by chance. Each mistake takes at least half of the concepts that still fit, and right "
        "answers may take some: so of |C| concepts, after M mistakes at most |C|/2^M are left.",
        "concepts left", list(range(len(left))),
        [("concepts left", [math.log2(count) for count in left], 1), ("|C|/2^M", [math.log2(count) for count in most], 0)],
        below="rounds", marks_up={float(k): str(2**k) for k in range(9)},
    )  # fmt: skip


def _draws() -> Iterator[tuple[int, int]]:
    chance = np.random.default_rng(11)
    while True:
        x = int(chance.integers(128))
        yield x, int(x >= 45)


def pac_blocks() -> Blocks:
    """The blocks of `th.pac`, and where in them the learner erred: the hypothesis that survives one is given out.

    >>> run = pac_blocks()
    >>> run.length, run.played, run.most, run.erred[-1] < run.length * (run.played - 1)
    (22, 5, 7, True)
    """
    most, epsilon, delta = 7, 0.2, 0.1
    learner, again = Halving(Thresholds(range(128))), Conservative(Halving(Thresholds(range(128))))
    learned = pac(learner, _draws(), mistakes=most, epsilon=epsilon, delta=delta, streaming=False)
    erred = [k for k, (x, y) in enumerate(islice(_draws(), learned.examples)) if again.learn(x, y).mistake]
    return Blocks(learned.block, learned.examples // learned.block, most, epsilon, delta, erred)


#: By family, the figures that are shown there: their headings, and what draws them.
CLASSICS: dict[str, dict[str, Callable[[], str]]] = {
    "Perceptron": {
        "The Perceptron's steps in the plane": lambda: planes(plane()),
        "Hinge loss": lambda: pictured(hinge()),
    },
    "Winnow, disjunctions": {
        "Winnow against the Perceptron: more attributes": lambda: pictured(wider()),
        "Winnow against the Perceptron: denser examples": lambda: pictured(denser()),
    },
    "Finite classes": {"The version space, halved": lambda: pictured(halving())},
    "Majorities": {"Three ways to follow a majority": lambda: pictured(majorities())},
    "Hedge and its kin": {"Follow the leader, or hedge": lambda: pictured(leader())},
    "From mistakes to risk": {"PAC: blocks until a hypothesis survives": lambda: blocks(pac_blocks())},
}
