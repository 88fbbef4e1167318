"""`thresher experts` on zeros and ones: expected mistakes, and the majorities that count them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from tests.forecast_tables import NAMES, Numbers, adahedge, write_table
from tests.test_experts_command import as_json, good


def advice(rounds: int) -> tuple[Numbers, NDArray[np.int64]]:
    """Zeros and ones of three forecasters, of whom the first errs least."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, rounds)
    return np.where(rng.random((rounds, 3)) < [0.1, 0.3, 0.5], 1 - y[:, None], y[:, None]).astype(float), y


def test_zeros_and_ones_are_advice_and_count_expected_mistakes(tmp_path: Path) -> None:
    F, y = advice(200)
    table = write_table(tmp_path / "t.csv", {**{name: F[:, k] for k, name in enumerate(NAMES)}, "y": y})
    said = as_json(table, "--outcome", "y")
    made, _, _ = adahedge(F, y.astype(float), "absolute")
    assert (said["loss_name"], said["metric"]) == ("absolute", "error rate")
    assert said["combination"]["score"]["error rate"] == pytest.approx(np.abs(made - y).mean(), rel=1e-9)
    mistakes = np.abs(F - y[:, None]).sum(0)
    assert [one["loss"] for one in said["experts"]] == mistakes.tolist()
    votes = int(np.count_nonzero((made >= 0.5) != (y == 1)))
    assert said["mistakes"] == votes
    shown = good(table, "--outcome", "y").out
    assert f"would make {votes} mistakes" in shown
    assert f"{mistakes[0]:.1f}" in shown
    assert f"{100 * mistakes[0] / 200:.2f} %" in shown


MAJORITIES: dict[str, tuple[list[str], Callable[[], Any], str]] = {
    "weighted": (["weighted-majority"], lambda: th.WeightedMajority(3), "Weighted majority"),
    "weighted, beta": (["weighted-majority", "--beta", "0.8"], lambda: th.WeightedMajority(3, beta=0.8), "Weighted majority"),
    "randomized": (
        ["randomized-majority", "--beta", "0.7", "--seed", "4"],
        lambda: th.RandomizedMajority(3, beta=0.7, seed=4),
        "Randomised majority",
    ),
    "improved": (["improved-majority", "--seed", "9"], lambda: th.ImprovedMajority(3, seed=9), "Improved majority"),
    "leader": (["follow-the-leader"], lambda: th.FollowTheLeader(3), "Follow the leader"),
}


@pytest.mark.parametrize(("options", "make", "theorem"), MAJORITIES.values(), ids=list(MAJORITIES))
def test_majorities_count_mistakes_against_the_best_forecasters(
    options: list[str], make: Callable[[], Any], theorem: str, tmp_path: Path
) -> None:
    F, y = advice(150)
    table = write_table(tmp_path / "t.csv", {**{name: F[:, k] for k, name in enumerate(NAMES)}, "y": y})
    said = as_json(table, "--outcome", "y", "--rule", *options, "--report", tmp_path / "page.html")
    learner = make()
    rounds = learner.learn_many(F, y)
    mistakes = np.abs(F - y[:, None]).sum(0)
    assert said["mistakes"] == learner.mistakes == rounds.mistakes
    tosses = "--seed" in options
    lost = float(rounds.losses.sum()) if tosses else learner.mistakes
    assert said["loss"] == pytest.approx(lost, rel=1e-12)
    assert said["combination"]["score"]["error rate"] == pytest.approx(lost / 150, rel=1e-12)
    assert said["regret"] == pytest.approx(lost - mistakes.min())
    assert [one["loss"] for one in said["experts"]] == mistakes.tolist()
    certificate = said["certificates"][0]
    assert (certificate["theorem"], certificate["verdict"]) == (theorem, "certified")
    assert said["against"] == "expert"
    assert f"the best forecaster, ann, made {mistakes[0]:.0f} mistakes" in said["proven"]
    heaviest = max(said["weights"], key=said["weights"].__getitem__)
    assert (heaviest, sum(said["weights"].values())) == ("ann", pytest.approx(1.0))
    (notice,) = said["notices"]
    assert f"{'with its coins the majority' if tosses else 'the combination'} made {learner.mistakes} mistakes" in notice
    assert notice in good(table, "--outcome", "y", "--rule", *options).out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert notice in page
    assert "Regret under its bound" in page


def test_a_share_near_0_is_shown_with_few_digits(tmp_path: Path) -> None:
    y = np.array([1.0, 0.0] * 40)
    table = write_table(tmp_path / "t.csv", {"ann": y, "bob": 1 - y, "y": [*y[:-1], ""]})
    shown = good(table, "--outcome", "y", "--rule", "weighted-majority").out
    assert shown.partition("Next forecasts")[2].split()[:4] == ["row", "y", "80", "0.0000"]


@pytest.mark.parametrize(("options", "make", "theorem"), MAJORITIES.values(), ids=list(MAJORITIES))
def test_what_a_majority_forecasts_is_the_chance_or_share_of_one(
    options: list[str], make: Callable[[], Any], theorem: str, tmp_path: Path
) -> None:
    F, y = advice(40)
    told = y.astype(float)
    told[30:] = np.nan
    table = write_table(tmp_path / "t.csv", {**{name: F[:, k] for k, name in enumerate(NAMES)}, "y": told})
    said = as_json(table, "--outcome", "y", "--rule", *options)
    learner = make()
    learner.learn_many(F[:30], y[:30])
    expected = learner.p_positive_many(F[30:]) if hasattr(learner, "p_positive_many") else learner.predict_many(F[30:]) > 0
    assert [each["forecast"] for each in said["next"]] == [float(share) for share in expected]
