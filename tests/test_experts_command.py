"""`thresher experts`: its numbers are those of plain NumPy, whatever the table is written as."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from tests.commands import Ran, run
from tests.forecast_tables import NAMES, Numbers, adahedge, forecasts, mixture, probabilities, write_table
from thresher.data import table as reading
from thresher.data.demos import find

ROUNDS = 230
LAST = 23


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of three forecasters, a day, and words."""
    monkeypatch.chdir(tmp_path)
    F, y = forecasts(ROUNDS)
    columns: dict[str, Any] = {"day": [f"d{t}" for t in range(ROUNDS)], "place": ["here"] * ROUNDS}
    columns |= {name: F[:, k] for k, name in enumerate(NAMES)}
    return write_table(tmp_path / "load.csv", {**columns, "load": y})


def good(*arguments: object, stdin: bytes = b"") -> Ran:
    ran = run("experts", *arguments, stdin=stdin)
    assert (ran.status, ran.err) == (0, "")
    return ran


def as_json(*arguments: object, stdin: bytes = b"") -> dict[str, Any]:
    return good(*arguments, "--json", stdin=stdin).json


def without_time(said: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if name not in ("seconds", "source", "forecasts", "report")}


def played(F: Numbers, y: Numbers) -> list[float]:
    """The forecasts of a Forecaster that plays these rounds."""
    made = th.Forecaster().learn_many(F, y).forecasts
    assert made is not None
    return [float(said) for said in made]


def rmse(errors: Numbers) -> float:
    return math.sqrt(float((errors**2).mean()))


def mae(errors: Numbers) -> float:
    return float(np.abs(errors).mean())


# ---- scores --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_scores_and_weights_are_those_of_numpy(loss: str, load: Path) -> None:
    said = as_json(load, "--outcome", "load", "--loss", loss)
    F, y = forecasts(ROUNDS)
    made, weights, _ = adahedge(F, y, loss)
    metric = "RMSE" if loss == "squared" else "MAE"
    score = rmse if loss == "squared" else mae
    assert (said["rounds"], said["rows"], said["metric"], said["last_rounds"]) == (ROUNDS, ROUNDS, metric, LAST)
    for name, errors in {"combination": made - y, "average": F.mean(1) - y}.items():
        assert said[name]["score"] == {metric: pytest.approx(score(errors), rel=1e-9)}
        assert said[name]["last"] == {metric: pytest.approx(score(errors[-LAST:]), rel=1e-9)}
    for k, name in enumerate(NAMES):
        one = said["experts"][k]
        assert (one["name"], one["awake"]) == (name, ROUNDS)
        assert one["score"] == {metric: pytest.approx(score(F[:, k] - y), rel=1e-12)}
        assert one["last"] == {metric: pytest.approx(score(F[-LAST:, k] - y[-LAST:]), rel=1e-12)}
    assert said["weights"] == pytest.approx(dict(zip(NAMES, weights, strict=True)), abs=1e-9)
    assert said["loss"] == pytest.approx(float(((made - y) ** 2 if loss == "squared" else np.abs(made - y)).sum()), rel=1e-9)


def test_the_screen_shows_the_same_numbers(load: Path) -> None:
    said = as_json(load, "--outcome", "load", "--time", "day")
    shown = good(load, "--outcome", "load", "--time", "day").out
    for one in (said["combination"], said["average"], said["best_mixture"], *said["experts"]):
        assert f"{one['score']['RMSE']:,.2f}  {one['last']['RMSE']:>7,.2f}" in shown
    for weight in said["weights"].values():
        assert f"{100 * weight:.1f} %" in shown
    assert f"{ROUNDS} rounds of {load}" in shown
    assert "outcome: load; time: day" in shown
    assert "3 forecasters: ann, bob, cy" in shown
    assert "left out: place (no numbers)" in shown
    assert "last 23" in shown
    assert "--forecasts combined.csv" in shown
    assert "--report report.html" in shown


@pytest.mark.parametrize("loss", ["log", "brier"])
@pytest.mark.parametrize("outcomes", [2, 3])
def test_probabilities_of_several_outcomes_are_combined(loss: str, outcomes: int, tmp_path: Path) -> None:
    P, happened = probabilities(ROUNDS, outcomes)
    names = ("home", "away", "draw")[:outcomes]
    columns: dict[str, Any] = {f"{who}_{what}": P[:, k, j] for k, who in enumerate(NAMES) for j, what in enumerate(names)}
    columns |= {what: (happened == j).astype(float) for j, what in enumerate(names)}
    table = write_table(tmp_path / "t.csv", columns)
    options = ["--loss", loss] if loss == "brier" else []
    said = as_json(table, "--outcome", ",".join(names), *options)
    forecaster = th.Forecaster(loss="log" if loss == "log" else "brier")
    rounds = forecaster.learn_many(P, happened)
    metric = "nats" if loss == "log" else "Brier score"
    each = _scores(loss, P, happened)
    assert said["combination"]["score"] == {metric: pytest.approx(rounds.loss.mean(), rel=1e-12)}
    assert said["average"]["score"] == {metric: pytest.approx(_scores(loss, P.mean(1)[:, None], happened).mean(), rel=1e-9)}
    assert [one["score"][metric] for one in said["experts"]] == pytest.approx(each.mean(0).tolist(), rel=1e-9)
    assert said["weights"] == pytest.approx(dict(zip(NAMES, forecaster.weights, strict=True)), rel=1e-12)
    assert said["outcome"] == list(names)
    assert said["against"] == "expert"


def _scores(loss: str, P: Numbers, happened: NDArray[np.int64]) -> Numbers:
    if loss == "log":
        return np.asarray(-np.log(P[np.arange(len(P)), :, happened]))
    return np.asarray(((P - (np.arange(P.shape[2]) == happened[:, None])[:, None]) ** 2).sum(2))


@pytest.mark.parametrize("loss", ["log", "brier"])
def test_one_column_of_probabilities_is_the_same_as_two(loss: str, tmp_path: Path) -> None:
    P, happened = probabilities(ROUNDS, 2)
    one = write_table(tmp_path / "one.csv", {**{name: P[:, k, 1] for k, name in enumerate(NAMES)}, "rained": happened})
    said = as_json(one, "--outcome", "rained", "--loss", loss)
    forecaster = th.Forecaster(loss="log" if loss == "log" else "brier")
    assert said["loss"] == pytest.approx(float(forecaster.learn_many(P, happened).loss.sum()), rel=1e-9)


def test_odds_are_probabilities_with_their_margin_removed(tmp_path: Path) -> None:
    P, happened = probabilities(ROUNDS, 3)
    names = ("home", "draw", "away")
    margin = np.array([1.02, 1.08, 1.15])
    odds = 1 / (P * margin[:, None])
    odds = np.maximum(odds, 1.0)
    columns: dict[str, Any] = {f"{what}.{who}": odds[:, k, j] for k, who in enumerate(NAMES) for j, what in enumerate(names)}
    columns |= {what: (happened == j).astype(float) for j, what in enumerate(names)}
    said = as_json(write_table(tmp_path / "t.csv", columns), "--outcome", "home,draw,away", "--odds")
    chances = 1 / odds
    rounds = th.Forecaster(loss="log").learn_many(chances / chances.sum(2, keepdims=True), happened)
    assert said["loss"] == pytest.approx(float(rounds.loss.sum()), rel=1e-12)


def test_a_declared_range_uses_the_aggregating_rule(load: Path) -> None:
    said = as_json(load, "--outcome", "load", "--range=-800,800")
    F, y = forecasts(ROUNDS)
    rounds = th.Forecaster(range=(-800.0, 800.0)).learn_many(F, y)
    assert said["loss"] == pytest.approx(float(rounds.loss.sum()), rel=1e-12)
    assert (said["against"], said["rule"]) == (
        "expert",
        "the aggregating rule for the squared loss, against the best forecaster",
    )


RULES: dict[str, Callable[[], th.Forecaster]] = {
    "--rule hedge": lambda: th.Forecaster(th.Hedge(3)),
    "--rule hedge --eta 1e-4": lambda: th.Forecaster(th.Hedge(3, eta=1e-4)),
    "--rule fixed-share --eta 1e-4": lambda: th.Forecaster(th.FixedShare(3, eta=1e-4)),
    "--rule fixed-share --alpha 0.2": lambda: th.Forecaster(th.FixedShare(3, alpha=0.2)),
    "--rule adahedge --against expert": lambda: th.Forecaster(against="expert"),
}


@pytest.mark.parametrize("options", RULES)
def test_the_rule_is_the_one_that_was_asked_for(options: str, load: Path) -> None:
    said = as_json(load, "--outcome", "load", *options.split())
    forecaster = RULES[options]()
    forecaster.learn_many(*forecasts(ROUNDS))
    assert said["loss"] == pytest.approx(forecaster.loss, rel=1e-12)
    assert said["weights"] == pytest.approx(dict(zip(NAMES, forecaster.weights, strict=True)), rel=1e-12)


# ---- rows without an outcome ---------------------------------------------------------------------------------------


def test_rows_without_outcome_are_forecast_with_what_is_known_then_and_never_learned(tmp_path: Path) -> None:
    F, y = forecasts(60)
    unknown = [0, 20, 21, 58, 59]
    told = y.copy()
    told[unknown] = np.nan
    table = write_table(tmp_path / "t.csv", {**{name: F[:, k] for k, name in enumerate(NAMES)}, "y": told})
    said = as_json(table, "--outcome", "y")
    forecaster, expected = th.Forecaster(), {}
    for row, (x, outcome) in enumerate(zip(F, told, strict=True)):
        if math.isnan(outcome):
            expected[row + 1] = forecaster.predict(x)
        else:
            forecaster.learn(x, outcome)
    assert (said["rounds"], said["rows"]) == (55, 60)
    assert {each["row"]: each["forecast"] for each in said["next"]} == expected
    known = np.delete(np.arange(60), unknown)
    plain = write_table(tmp_path / "k.csv", {**{name: F[known, k] for k, name in enumerate(NAMES)}, "y": y[known]})
    assert as_json(plain, "--outcome", "y")["loss"] == pytest.approx(said["loss"], rel=1e-12)
    shown = good(table, "--outcome", "y").out
    assert "55 rounds" in shown
    assert "and 5 rows without outcome" in shown
    assert ["60", f"{expected[60]:,.3f}"] == shown.partition("Next forecasts")[2].split()[10:12]


def test_a_row_without_outcome_and_forecasts_has_no_forecast(tmp_path: Path) -> None:
    F, y = forecasts(12)
    F[-1], y[-1] = np.nan, np.nan
    table = write_table(tmp_path / "t.csv", {**{name: F[:, k] for k, name in enumerate(NAMES)}, "y": y})
    said = as_json(table, "--outcome", "y", "--forecasts", tmp_path / "out.csv")
    assert said["next"] == []
    assert (tmp_path / "out.csv").read_text().splitlines()[-1] == ",,,,"


# ---- what is written -----------------------------------------------------------------------------------------------


def test_every_forecast_is_written_beside_the_other_columns_as_they_were(tmp_path: Path) -> None:
    F, y = forecasts(30)
    y[-2:] = np.nan
    columns: dict[str, Any] = {"when": ['"a, b"', *("x" for _ in range(29))], "n": ["007"] * 30}
    table = write_table(tmp_path / "t.csv", {**columns, **{name: F[:, k] for k, name in enumerate(NAMES)}, "y": y})
    good(table, "--outcome", "y", "--experts", "ann,bob,cy", "--forecasts", tmp_path / "out.csv", "--quiet")
    before = list(csv.reader(io.StringIO(table.read_text())))
    after = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert [row[:-1] for row in after] == before
    assert after[0][-1] == "combination"
    forecaster = th.Forecaster()
    for row, x, outcome in zip(after[1:], F, y, strict=True):
        assert float(row[-1]) == forecaster.predict(x)
        if not math.isnan(outcome):
            forecaster.learn(x, outcome)


def test_parquet_goes_in_and_out(load: Path, tmp_path: Path) -> None:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    F, y = forecasts(ROUNDS)
    columns: dict[str, Any] = {"day": [f"d{t}" for t in range(ROUNDS)], "place": ["here"] * ROUNDS}
    columns |= {name: F[:, k] for k, name in enumerate(NAMES)} | {"load": y}
    parquet.write_table(arrow.table(columns), "load.parquet")
    said = as_json("load.parquet", "--outcome", "load", "--forecasts", "out.parquet")
    assert without_time(said) == without_time(as_json(load, "--outcome", "load", "--forecasts", "two.parquet"))
    one, two = parquet.read_table("out.parquet").to_pydict(), parquet.read_table("two.parquet").to_pydict()
    assert list(one) == [*columns, "combination"]
    assert one == two
    assert one["load"] == y.tolist()
    assert one["combination"] == played(F, y)


def test_forecasts_of_several_outcomes_have_a_column_each(tmp_path: Path) -> None:
    P, happened = probabilities(40, 2)
    columns: dict[str, Any] = {
        f"{who} {what}": P[:, k, j] for k, who in enumerate(NAMES) for j, what in enumerate(("up", "down"))
    }
    columns |= {what: (happened == j).astype(float) for j, what in enumerate(("up", "down"))}
    good(write_table(tmp_path / "t.csv", columns), "--outcome", "up,down", "--forecasts", tmp_path / "out.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert list(rows[0])[-2:] == ["combination_up", "combination_down"]
    assert all(float(row["combination_up"]) + float(row["combination_down"]) == pytest.approx(1.0) for row in rows)


# ---- what is proven ------------------------------------------------------------------------------------------------


def test_the_best_fixed_mixture_and_the_proof_against_it_are_those_of_numpy(load: Path) -> None:
    said = as_json(load, "--outcome", "load")
    F, y = forecasts(ROUNDS)
    u, lost = mixture(F, y)
    made, _, gap = adahedge(F, y, "squared")
    best = said["best_mixture"]
    assert best["weights"] == pytest.approx(dict(zip(NAMES, u, strict=True)), abs=1e-6)
    assert best["score"]["RMSE"] == pytest.approx(math.sqrt(lost / ROUNDS), rel=1e-9)
    assert best["last"]["RMSE"] == pytest.approx(rmse((F @ u - y)[-LAST:]), rel=1e-5)
    assert said["regret"] == pytest.approx(float(((made - y) ** 2).sum()) - lost, rel=1e-6)
    first = said["certificates"][0]
    assert (first["theorem"], first["verdict"], first["on"]) == ("AdaHedge, after the run", "certified", "regret")
    assert first["bound"] == pytest.approx(2 * gap, rel=1e-6)
    assert first["count"] == pytest.approx(said["regret"], rel=1e-6)
    limit = math.ceil(100 * math.sqrt((lost + 2 * gap) / ROUNDS)) / 100
    assert said["proven"].startswith(
        f"certified: RMSE at most {limit:.2f} (the best fixed mixture has {math.sqrt(lost / ROUNDS):.2f}, "
    )
    assert said["proven"] in good(load, "--outcome", "load").out


@pytest.mark.parametrize(
    ("options", "bound"), [(["--range=-800,800"], 1600**2 / 2 * math.log(3)), (["--against", "expert"], None)]
)
def test_against_the_best_forecaster_the_regret_is_what_was_lost_more(
    options: list[str], bound: float | None, load: Path
) -> None:
    said = as_json(load, "--outcome", "load", *options)
    least = min(one["loss"] for one in said["experts"])
    assert said["regret"] == pytest.approx(said["loss"] - least, rel=1e-9)
    assert said["certificates"][0]["verdict"] == "certified"
    assert bound is None or said["certificates"][0]["bound"] == pytest.approx(bound, rel=1e-9)
    assert said["best_mixture"]["score"]["RMSE"] <= min(one["score"]["RMSE"] for one in said["experts"])


def test_a_theorem_that_does_not_apply_is_void_and_the_screen_names_one_that_does(load: Path) -> None:
    said = as_json(load, "--outcome", "load", "--rule", "hedge")
    assert [certificate["verdict"] for certificate in said["certificates"]] == ["void"]
    assert said["proven"] is None
    shown = good(load, "--outcome", "load", "--rule", "hedge", "--report", "page.html").out
    assert "Divide all forecasts and the outcome by one number, or use adahedge" in shown
    page = Path("page.html").read_text(encoding="utf-8")
    assert '<p class="proof">nothing is proven, for hedge has a theorem only where' in page
    assert "<h2>Regret</h2>" in page
    assert "<title>proven</title>" not in page


def test_fixed_share_is_compared_with_the_best_sequence_too_where_its_theorem_holds(load: Path) -> None:
    F, y = np.repeat([[0.0, 1.0], [1.0, 0.0]], 100, axis=0), np.zeros(200)
    small = write_table(load.parent / "small.csv", {"ann": F[:, 0], "bob": F[:, 1], "y": y})
    options = ("--outcome", "y", "--loss", "absolute", "--rule", "fixed-share", "--against", "expert")
    (certificate,) = as_json(small, *options)["sequences"]
    ledger = th.Ledger(th.BestSequence(2))
    ledger.enter(th.Forecaster(th.FixedShare(2), loss="absolute", against="expert").learn_many(F, y))
    assert certificate == ledger.certificates()[0].as_dict()
    assert certificate["verdict"] == "certified"
    assert "Fixed share, against the best sequence of 2 experts with at most 2 changes" in good(small, *options).out
    assert as_json(load, "--outcome", "load", "--rule", "fixed-share")["sequences"] == []


def test_a_violated_bound_ends_with_status_3_after_everything_is_written(load: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.bounds.Bound.covers", lambda _bound, _count: False)
    ran = run("experts", load, "--outcome", "load", "--forecasts", "out.csv", "--report", "out.html", "--json")
    assert ran.status == 3
    assert ran.err == "thresher: a theorem with checked premises has failed, which is a bug of ours; please report it\n"
    assert ran.json["certificates"][0]["verdict"] == "violated"
    assert Path("out.csv").exists()
    assert Path("out.html").exists()


# ---- columns -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", ["ann,cy", "cy,ann", " ann , cy ", "?*n,c*", "[ac]*"])
def test_forecasters_are_named_or_matched_and_the_others_left_out(wanted: str, load: Path) -> None:
    said = as_json(load, "--outcome", "load", "--time", "day", "--experts", wanted)
    assert list(said["weights"]) == ["ann", "cy"]
    assert said["left_out"] == ["place", "bob"]


def test_a_column_without_a_name_is_never_a_forecaster(tmp_path: Path) -> None:
    F, y = forecasts(20)
    table = write_table(tmp_path / "t.csv", {"": np.arange(20.0), **{name: F[:, k] for k, name in enumerate(NAMES)}, "y": y})
    assert list(as_json(table, "--outcome", "y")["weights"]) == list(NAMES)
    assert "left out: one (without a name)" in good(table, "--outcome", "y").out


def test_a_column_that_is_no_forecaster_is_asked_about(tmp_path: Path) -> None:
    F, y = forecasts(50)
    table = write_table(
        tmp_path / "t.csv", {"year": np.full(50, 20240.0), **{name: F[:, k] for k, name in enumerate(NAMES)}, "y": y}
    )
    assert "is year a forecaster?" in good(table, "--outcome", "y").out
    assert "is year" not in good(table, "--outcome", "y", "--experts", "ann,bob,cy").out


def test_columns_of_words_that_only_look_like_a_forecasters_are_left_out(tmp_path: Path) -> None:
    P, happened = probabilities(20, 2)
    columns: dict[str, Any] = {
        f"{who}-{what}": P[:, k, j] for k, who in enumerate(NAMES) for j, what in enumerate(("up", "down"))
    }
    columns |= {"up_team": ["a"] * 20} | {what: (happened == j).astype(float) for j, what in enumerate(("up", "down"))}
    said = as_json(write_table(tmp_path / "t.csv", columns), "--outcome", "up,down")
    assert (list(said["weights"]), said["left_out"]) == (list(NAMES), ["up_team"])


# ---- the same, however it comes ------------------------------------------------------------------------------------


def test_small_blocks_change_nothing(load: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = without_time(as_json(load, "--outcome", "load", "--forecasts", "a.csv"))
    monkeypatch.setattr(reading, "_ROWS", 7)
    monkeypatch.setattr(reading, "_BYTES", 512)
    again = without_time(as_json(load, "--outcome", "load", "--forecasts", "b.csv"))
    assert (again["weights"], again["next"], again["notices"]) == (whole["weights"], whole["next"], whole["notices"])
    assert again["loss"] == pytest.approx(whole["loss"], rel=1e-12)
    assert again["regret"] == pytest.approx(whole["regret"], rel=1e-9)
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()


def test_standard_input_is_a_table_too(load: Path) -> None:
    piped = as_json("-", "--outcome", "load", "--forecasts", "piped.csv", stdin=load.read_bytes())
    assert without_time(piped) == without_time(as_json(load, "--outcome", "load", "--forecasts", "plain.csv"))
    assert piped["source"] == "standard input"
    assert Path("piped.csv").read_bytes() == Path("plain.csv").read_bytes()


def test_the_demo_knows_its_outcome_and_its_time(tmp_path: Path) -> None:
    said = as_json("demo:forecasts")
    path = tmp_path / "forecasts.csv"
    path.write_bytes(b"".join(find("forecasts").blocks()))
    assert without_time(said) == without_time(as_json(path, "--outcome", "crates", "--time", "day"))
    F = np.array([[float(cell) for cell in line.split(",")[1:]] for line in path.read_text().splitlines()[1:794]])
    made, _, _ = adahedge(F[:, :3], F[:, 3], "squared")
    assert said["combination"]["score"]["RMSE"] == pytest.approx(rmse(made - F[:, 3]), rel=1e-9)
    assert said["combination"]["score"]["RMSE"] < 0.7 * min(one["score"]["RMSE"] for one in said["experts"])
    assert [each["time"] for each in said["next"]] == [f"2025-03-{day:02}" for day in range(5, 12)]
