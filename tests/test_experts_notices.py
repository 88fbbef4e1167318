"""`thresher experts` where something is to be said: forecasters asleep or alone, times that go back, columns left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import thresher as th
from tests.forecast_tables import NAMES, forecasts, write_table
from tests.test_experts_command import as_json, good, rmse


def test_a_forecaster_asleep_is_scored_over_its_own_rounds(tmp_path: Path) -> None:
    F, y = forecasts(50)
    F[10:30, 2] = np.nan
    table = write_table(tmp_path / "t.csv", {**{name: F[:, k] for k, name in enumerate(NAMES)}, "y": y})
    said = as_json(table, "--outcome", "y")
    awake = ~np.isnan(F[:, 2])
    assert said["experts"][2]["awake"] == 30
    assert said["experts"][2]["score"]["RMSE"] == pytest.approx(rmse((F[:, 2] - y)[awake]))
    assert said["average"]["score"]["RMSE"] == pytest.approx(rmse(np.nanmean(F, 1) - y))
    assert said["best_mixture"] is None
    assert said["proven"] is None
    assert said["loss"] == pytest.approx(float(th.Forecaster().learn_many(F, y).loss.sum()), rel=1e-12)
    shown = good(table, "--outcome", "y", "--report", tmp_path / "page.html").out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for words in ("forecasters slept in some rounds", "Fill the empty cells (20 of cy), drop their rows, or leave"):
        assert words in shown
        assert words in page
    assert "void         –      –  AdaHedge" in shown
    assert "worst expert" not in shown


def test_what_is_proven_of_a_forecaster_that_sleeps_is_not_said_of_all_rounds(tmp_path: Path) -> None:
    F = np.zeros((40, 2))
    F[5:, 0], F[:, 1] = np.nan, 1.0  # ann is right five times, and bob is always wrong
    table = write_table(tmp_path / "t.csv", {"ann": F[:, 0], "bob": F[:, 1], "y": np.zeros(40)})
    said = as_json(table, "--outcome", "y", "--rule", "hedge", "--eta", "1", "--against", "expert")
    assert said["combination"]["score"]["error rate"] > 0.8
    assert said["certificates"][0]["theorem"] == "Sleeping experts"
    assert said["proven"].startswith("certified: regret 0.953557 of at most 1.31815, against ann")
    assert said["proven"].endswith("over its 5 rounds awake")


@pytest.mark.parametrize(
    ("times", "row"),
    [
        (["1", "2", "10", "9"], 4),
        (["1", "2", "2", "10"], None),
        (["2024-01-31", "2024-01-30 10:00", "2024-02-01", "2024-02-02"], 2),
        (["2024-01-31T09:00", "2024-01-31T10:00", "2024-02-01T09:00", "2024-02-01T09:00"], None),
        (["2024-01-31T09:00+01:00", "2024-01-31T08:30Z", "2024-02-01T09:00", "2024-02-01T09:00"], None),
        (["Mon", "Tue", "Fri", "Mon"], None),
    ],
)
def test_a_time_that_goes_back_is_said(times: list[str], row: int | None, tmp_path: Path) -> None:
    F, y = forecasts(4)
    table = write_table(tmp_path / "t.csv", {"when": times, "ann": F[:, 0], "bob": F[:, 1], "y": y})
    said = [notice for notice in as_json(table, "--outcome", "y", "--time", "when")["notices"] if "goes back" in notice]
    assert len(said) == (row is not None)
    assert all(f"when goes back in row {row}, to {times[(row or 0) - 1]}" in notice for notice in said)


def test_a_column_of_dates_is_left_out_with_a_word_on_time(tmp_path: Path) -> None:
    F, y = forecasts(4)
    table = write_table(
        tmp_path / "t.csv", {"date": ["2024-01-31"] * 4, "at": ["here"] * 4, "ann": F[:, 0], "bob": F[:, 1], "y": y}
    )
    shown = good(table, "--outcome", "y").out
    assert "left out: date (no numbers; as the axis: --time date), at (no numbers)" in shown


def test_a_combination_of_one_is_that_one(tmp_path: Path) -> None:
    F, y = forecasts(30)
    table = write_table(tmp_path / "t.csv", {"ann": F[:, 0], "y": y})
    said = as_json(table, "--outcome", "y")
    assert said["combination"] == {key: said["experts"][0][key] for key in ("score", "last")}
    assert said["weights"] == {"ann": 1.0}
    assert "there is one forecaster, so the combination is that one" in good(table, "--outcome", "y").out
