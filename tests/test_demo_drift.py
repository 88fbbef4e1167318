"""demo:drift: a market whose taste turns half way, and what learners and masters make of it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from thresher.data.demo_drift import ROWS, TASTE, TURNS
from thresher.data.demos import find
from thresher.data.names import slot_of
from thresher.linear import LinearLearner

SLOTS = 2**18
BASKETS = [
    (label, tuple(names.split(" ")))
    for label, _, names in (line.partition(" | ") for line in b"".join(find("drift").blocks()).decode("ascii").splitlines())
]
LABELS = [+1 if label == "sold" else -1 for label, _ in BASKETS]
EXAMPLES = [set(names) for _, names in BASKETS]


def test_the_drift_never_changes() -> None:
    digest = hashlib.sha256(b"".join(find("drift").blocks())).hexdigest()
    assert digest == "ca6d8eeb0c4f1111ad383f84fbad71630f4954643dc433ed168e70f1484d4f8b"


def test_a_basket_is_a_label_and_names_one_of_each_kind() -> None:
    pattern = re.compile(r"(sold|left) \|( [a-z]+=[a-z0-9]+(-[a-z0-9]+)*)+")
    lines = [line for block in find("drift").blocks() for line in block.decode("ascii").splitlines()]
    assert [line for line in lines if not pattern.fullmatch(line)] == []
    kinds = {tuple(name.partition("=")[0] for name in names) for _, names in BASKETS}
    assert [len(set(each)) for each in kinds] == [16]


def test_there_are_110_names_and_no_two_share_a_slot() -> None:
    names = {name for _, names in BASKETS for name in names}
    assert len(names) == len({slot_of(name, SLOTS) for name in names}) == 110
    assert set(TASTE) < names


def test_half_of_the_baskets_are_sold_before_the_turn_and_after_it() -> None:
    sold = [label == "sold" for label, _ in BASKETS]
    assert (len(BASKETS), TURNS) == (ROWS, ROWS // 2)
    assert (sum(sold[:TURNS]), sum(sold[TURNS:])) == (2082, 2077)


def test_the_taste_turns_into_its_opposite_and_one_basket_in_eight_goes_on_a_whim() -> None:
    points = np.array([sum(TASTE.get(name, 0) for name in names) for _, names in BASKETS])
    liked = np.sign(points) == LABELS
    assert 0 not in points
    assert [int(np.count_nonzero(half)) for half in (~liked[:TURNS], liked[TURNS:])] == [507, 496]
    assert round(TURNS / 507) == round(TURNS / 496) == 8


@pytest.mark.parametrize("kind", ["juice", "leaves", "day", "weather", "stall", "variety", "basket", "crier", "lot", "scales"])
def test_what_is_not_in_the_taste_tells_nothing(kind: str) -> None:
    """No value of it goes with sold more than a coin might: five standard deviations."""
    for half in (BASKETS[:TURNS], BASKETS[TURNS:]):
        met = Counter(name for _, names in half for name in names if name.startswith(f"{kind}="))
        sold = Counter(name for label, names in half for name in names if label == "sold" and name.startswith(f"{kind}="))
        assert all(abs(sold[name] - count / 2) < 2.5 * count**0.5 for name, count in met.items())


# ---- what learners make of it -------------------------------------------------------------------------------------


@cache
def wrong() -> dict[str, NDArray[np.bool_]]:
    """In which rounds each of some learners was wrong."""
    made: dict[str, LinearLearner] = {
        "AROW": th.AROW(SLOTS, bias=1.0),
        "Perceptron": th.Perceptron(SLOTS, bias=1.0),
        "AdaGrad": th.AdaGrad(SLOTS, bias=1.0),
        "PassiveAggressive": th.PassiveAggressive(SLOTS, bias=1.0),
    }
    return {
        name: np.array([learner.learn(x, y).mistake for x, y in zip(EXAMPLES, LABELS, strict=True)])
        for name, learner in made.items()
    }


@pytest.mark.parametrize(("name", "before", "after"), [("AROW", 732, 2532), ("Perceptron", 1076, 1130)])
def test_the_sure_learner_is_better_before_the_turn_and_worse_after_it(name: str, before: int, after: int) -> None:
    mistakes = wrong()[name]
    assert (mistakes[:TURNS].sum(), mistakes[TURNS:].sum()) == (before, after)


def test_fixed_share_follows_the_turn_and_adahedge_lags() -> None:
    lanes = np.array(list(wrong().values())).T
    lost = {
        type(rule).__name__: rule.learn_losses_many(lanes.astype(np.float64)).loss
        for rule in (th.AdaHedge(lanes.shape[1]), th.FixedShare(lanes.shape[1]))
    }
    before = {name: float(loss[:TURNS].sum()) for name, loss in lost.items()}
    soon = {name: float(loss[TURNS : TURNS + 500].sum()) for name, loss in lost.items()}
    assert before["FixedShare"] < 1.2 * before["AdaHedge"]
    assert soon["FixedShare"] < 0.6 * soon["AdaHedge"]
