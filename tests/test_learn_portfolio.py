"""`thresher learn` with a portfolio, which is its default: against the same portfolio in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.commands import PERCEPTRON, check_refused_command, read_in_pieces, run, stop_after
from thresher.compose import default_lanes
from thresher.data.demo_drift import TURNS
from thresher.experts import LossRule
from thresher.linear import LinearLearner
from thresher.store import Model

Biased = th.Perceptron | th.AROW | th.PassiveAggressive


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Some names that tell the label, some that do not, and a label in nine that is wrong."""
    (tmp_path / "fruit.vw").write_text(rows(300))
    return tmp_path / "fruit.vw"


def rows(count: int, seed: int = 1) -> str:
    lines = []
    for row in range(count):
        seed = (seed * 1103515245 + 12345) % 2**31
        spam = (seed >> 9) % 5 < 3
        names = [f"{'st'[spam]}{(seed >> 12) % 7}", f"a{(seed >> 15) % 11}", f"b{(seed >> 20) % 13}"]
        lines.append(f"{'spam' if spam != (row % 9 == 8) else 'ham'} | {' '.join(names)}\n")
    return "".join(lines)


def portfolio_of(path: Path) -> th.Portfolio:
    learner = Model.load(path).learner
    assert isinstance(learner, th.Portfolio)
    return learner


def fixed_share(lanes: int) -> th.FixedShare:
    """What measurements chose for portfolios."""
    return th.FixedShare(lanes, eta=1.0, alpha=0.001)


def learned(source: Path | str, n: int, master: Callable[[int], LossRule] = th.AdaHedge, **more: float) -> th.Portfolio:
    """What the command should have learned."""
    lanes = default_lanes(n, bias=1.0)
    made = th.Portfolio(n, lanes, master(len(lanes)), **more)
    with th.open_stream(source, n=n, rule=made.rule) as stream:
        for batch in stream:
            made.learn_many(batch.X, batch.y, batch.weights)
    return made


def everything(learner: th.Portfolio) -> tuple[dict[str, Any], dict[str, bytes]]:
    parameters, arrays = learner.state()
    return parameters, {name: array.tobytes() for name, array in arrays.items()}


def lanes_are(monkeypatch: pytest.MonkeyPatch, *kinds: type[Biased], constants: bool = True) -> None:
    """From now on these are the default lanes."""

    def made(n: int, bias: float | None = None) -> Sequence[LinearLearner]:
        return [*(kind(n, bias=bias) for kind in kinds), *[th.Constant(n, label) for label in (-1, 1) if constants]]

    monkeypatch.setattr("thresher.compose.named_portfolio.default_lanes", made)
    monkeypatch.setattr("thresher.compose.portfolio.default_lanes", made)


# ---- what it learns and says ---------------------------------------------------------------------------------------


def test_it_is_the_default_and_learns_what_the_same_portfolio_learns_in_python(source: Path, tmp_path: Path) -> None:
    said = run("learn", source, "--n", 64, "--json", "--save", tmp_path / "model").json
    made = learned(source, 64)
    assert everything(portfolio_of(tmp_path / "model")) == everything(made)
    assert said == {**run("learn", source, "--n", 64, "--json", "--learner", "portfolio").json, "seconds": said["seconds"]} | {
        "saved": str(tmp_path / "model")
    }
    assert said["learner"] == {
        "name": "Portfolio",
        "parameters": {"n": 64, "lanes": len(made.lanes), "master": "adahedge", "cost_positive": 1.0, "bias": 1.0},
    }
    assert (said["mistakes"], said["updates"], said["loss"]) == (made.mistakes, made.updates, made.loss)
    assert [lane["name"] for lane in said["lanes"]] == list(made.lanes)
    assert [lane["mistakes"] for lane in said["lanes"]] == made.lane_mistakes.tolist()
    assert [lane["weight"] for lane in said["lanes"]] == made.lane_weights.tolist()
    assert said["best_lane"] == made.lanes[made.best_lane]
    assert said["regret"] == made.regret <= said["regret_bound"]


def test_what_is_proven_is_that_of_the_best_lane_and_needs_no_second_look(source: Path) -> None:
    for ran in (
        run("learn", source, "--n", 64, "--json"),
        run("learn", source, "--n", 64, "--json", "--no-check"),
        run("learn", "-", "--n", 64, "--json", stdin=source.read_bytes()),
    ):
        said = ran.json
        by_name = {each["theorem"]: each for each in said["certificates"]}
        assert {each["verdict"] for each in said["certificates"]} == {"certified"}
        assert by_name["Portfolio, loss"]["numbers"]["best"] == min(lane["mistakes"] for lane in said["lanes"])
        assert by_name["Portfolio, mistakes"]["count"] == said["mistakes"] <= by_name["Portfolio, mistakes"]["bound"]
        assert (said["unchecked"], said["check_seconds"]) == (None, 0.0)


def test_the_oranges_are_certified_and_the_page_says_which_learners_won() -> None:
    ran = run("learn", "demo:oranges", "--quiet")
    said = run("learn", "demo:oranges", "--json").json
    lines = ran.out.splitlines()
    assert (ran.status, ran.err) == (0, "")
    assert [line for line in lines if line.startswith("Claim     certified")]
    table = lines[lines.index("Which learners won") + 2 :]
    best = min(said["lanes"], key=lambda lane: lane["loss"])
    assert table[0].split() == [*best["name"].split(), f"{best['mistakes']:,}", f"{100 * best['weight']:.1f}", "%"]
    assert f"{best['name']} won with {best['mistakes']} mistakes" in ran.out
    assert f"a regret of {said['regret']:,.6g}, proven to be at most" in ran.out


def test_each_row_of_the_table_has_the_weights_of_that_round(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = run("learn", source, "--n", 64, "--json").json["progress"]
    assert [row["examples"] for row in rows] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]
    made = th.Portfolio(64, default_lanes(64, bias=1.0))
    with th.open_stream(source, n=64) as stream:
        examples = [(batch.X[k], int(batch.y[k])) for batch in stream for k in range(len(batch))]
    seen = {}
    for t, (x, y) in enumerate(examples, 1):
        made.learn(x, y)
        seen[t] = (made.mistakes, made.lane_weights.tolist())
    assert [(row["mistakes"], row["weights"]) for row in rows] == [seen[row["examples"]] for row in rows]
    read_in_pieces(monkeypatch, 700)
    assert run("learn", source, "--n", 64, "--json").json["progress"] == rows


def test_the_progress_of_other_learners_has_no_weights(source: Path) -> None:
    rows = run(*PERCEPTRON, source, "--json").json["progress"]
    assert rows[-1] == {"examples": 300, "positives": 160, "mistakes": 85, "best_constant": 140, "repeat_last": 147}


def test_collisions_are_counted_once_however_the_rows_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "rows.vw"
    path.write_text("1 | a b c\n-1 | b\n1 | a\n" * 5)
    said = [run("learn", path, "--n", 1, "--json", "--learner", name).json for name in ("portfolio", "perceptron")]
    assert [each["collisions"] for each in said] == [10, 10]


def test_one_class_alone_is_learned_and_certified(tmp_path: Path) -> None:
    path = tmp_path / "rows.vw"
    path.write_text("1 | a\n1 | b\n1 | a b\n" * 20)
    said = run("learn", path, "--json").json
    assert said["certificates"][0]["verdict"] == "certified"
    assert [notice for notice in said["notices"] if "every example had the same label" in notice]


def test_the_trace_shows_the_weights_of_lanes(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lanes_are(monkeypatch, th.Perceptron)
    rows = run("learn", source, "--n", 64, "--json", "--trace", 3).json["trace"]
    assert rows[0]["w before"] == "{Perceptron(): 0.333333, Constant(label=-1): 0.333333, Constant(label=1): 0.333333}"
    assert len(rows) == 3


# ---- its options ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "master"), [((), th.AdaHedge), (("--master", "fixed-share"), fixed_share)])
def test_the_master_is_the_one_that_was_named(
    options: tuple[str, ...], master: Callable[[int], LossRule], source: Path, tmp_path: Path
) -> None:
    run("learn", source, "--n", 64, *options, "--quiet", "--save", tmp_path / "model")
    assert everything(portfolio_of(tmp_path / "model")) == everything(learned(source, 64, master))


def test_a_cost_weighs_missed_positives_in_lanes_and_master(source: Path, tmp_path: Path) -> None:
    options = ("--n", 64, "--json", "--save", tmp_path / "model")
    plain = run("learn", source, *options).json
    said = run("learn", source, "--cost-positive", 20, *options).json
    made = learned(source, 64, cost_positive=20.0)
    assert everything(portfolio_of(tmp_path / "model")) == everything(made)
    assert said["confusion"]["false_negatives"] < plain["confusion"]["false_negatives"]
    assert [lane["loss"] for lane in said["lanes"]] == made.lane_losses.tolist()
    assert {(each["on"], each["verdict"]) for each in said["certificates"]} == {
        ("loss", "certified"),
        ("weighted mistakes", "certified"),
    }
    out = run("learn", source, "--cost-positive", 20, "--n", 64, "--quiet").out
    assert "cost_positive=20.0" in out
    assert "won with a loss of" in out
    missed, alarms = said["confusion"]["false_negatives"], said["confusion"]["false_positives"]
    assert f"a missed spam costs 20: these mistakes cost {20 * missed + alarms:,}, those of the cheapest constant" in out
    assert "a missed" not in run("learn", source, "--n", 64, "--quiet").out


def test_without_a_bias_no_lane_has_one(source: Path, tmp_path: Path) -> None:
    run("learn", source, "--n", 64, "--no-bias", "--quiet", "--save", tmp_path / "model")
    made = portfolio_of(tmp_path / "model")
    assert {made.learner(lane).rule.bias for lane in range(len(made.lanes))} == {None}


def test_fixed_share_follows_the_drift_and_adahedge_lags() -> None:
    kept, followed = (run("learn", "demo:drift", "--json", "--master", master).json for master in ("adahedge", "fixed-share"))
    before, after = [], []
    for said in (kept, followed):
        turned, end = said["progress"][-2:]
        assert (turned["examples"], end["examples"]) == (TURNS, 2 * TURNS)
        before.append(turned["mistakes"])
        after.append(end["mistakes"] - turned["mistakes"])
    assert before[1] < 1.1 * before[0]
    assert after[1] < 0.85 * after[0]
    assert all(said["certificates"][0]["verdict"] == "certified" for said in (kept, followed))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--tie", "minus"), "found --tie, which portfolio does not have; it has --master, --cost-positive, --no-bias"),
        (("--learner", "perceptron", "--master", "adahedge"), "found --master, which perceptron does not have"),
        (("--learner", "arow", "--cost-positive", "2"), "found --cost-positive, which arow does not have"),
        (("--master", "hedge"), "invalid choice: 'hedge'"),
        (("--cost-positive", "0"), "found cost_positive = 0.0, expected"),
        (("--cost-positive", "nan"), "found cost_positive = nan, expected"),
        (("--certify", "--no-check"), "not allowed with argument"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: tuple[str, ...], says: str, source: Path, tmp_path: Path) -> None:
    check_refused_command(tmp_path, "learn", source, *options, says=[says])


@pytest.mark.parametrize(
    "options",
    [("--master", "fixed-share"), ("--cost-positive", "2"), ("--no-bias",), ("--learner", "perceptron"), ("--r", "1")],
)
def test_an_option_that_contradicts_the_model_is_refused(options: tuple[str, ...], source: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    run("learn", source, "--n", 64, "--quiet", "--save", model)
    check_refused_command(tmp_path, "learn", source, "--from", model, *options, says=[options[0]])
    same = ("--master", "adahedge", "--cost-positive", "1", "--learner", "portfolio")
    assert run("learn", source, "--from", model, *same, "--quiet").status == 0


# ---- going on ------------------------------------------------------------------------------------------------------


def test_loading_and_going_on_equals_never_having_stopped(source: Path, tmp_path: Path) -> None:
    (tmp_path / "more.vw").write_text(rows(120, seed=9))
    run("learn", source, "--n", 64, "--quiet", "--save", tmp_path / "first")
    ran = run("learn", tmp_path / "more.vw", "--from", tmp_path / "first", "--quiet", "--save", tmp_path / "second")
    whole = run("learn", source, tmp_path / "more.vw", "--n", 64, "--json", "--save", tmp_path / "whole").json
    one, other = Model.load(tmp_path / "second"), Model.load(tmp_path / "whole")
    assert everything(portfolio_of(tmp_path / "second")) == everything(portfolio_of(tmp_path / "whole"))
    assert (one.tally, one.names) == (other.tally, other.names)
    assert "after 300 examples that the model had learned before" in ran.out
    assert "Which learners won, of all 420 rounds" in ran.out
    assert "Claim     conditional" in ran.out
    said = run("learn", tmp_path / "more.vw", "--from", tmp_path / "first", "--json").json
    assert said["lanes"] == whole["lanes"]
    assert said["examples"] == 120
    assert 0 < said["loss"] < whole["loss"]


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("batches", [1, 2, 5])
def test_an_interrupted_run_goes_on_to_the_same_model(
    batches: int, passes: int, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in_pieces(monkeypatch, 1000)
    whole, model = tmp_path / "whole", tmp_path / "model"
    options = ("--n", 64, "--passes", passes)
    run("learn", source, *options, "--quiet", "--save", whole)
    with stop_after(batches):
        stopped = run("learn", source, *options, "--quiet", "--save", model)
    assert stopped.status == 130
    assert "Claim     certified" in stopped.out
    assert f"--resume {model}" in stopped.out
    ran = run("learn", source, "--resume", model, "--json")
    assert ran.status == 0
    assert model.read_bytes() == whole.read_bytes()
    said = run("learn", source, *options, "--json").json
    assert {name: ran.json[name] for name in ("lanes", "certificates")} == {
        name: said[name] for name in ("lanes", "certificates")
    }


def test_what_was_learned_before_is_believed_only_where_it_cannot_be_read_again(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in_pieces(monkeypatch, 1000)
    model, text = tmp_path / "model", source.read_bytes()
    verdicts = []
    for options in (("--no-check",), ()):
        for place, given in ((source, b""), ("-", text)):
            with stop_after(2):
                run("learn", place, "--n", 64, "--quiet", "--save", model, stdin=given)
            said = run("learn", place, "--resume", model, "--json", *options, stdin=given).json
            verdicts.append({each["verdict"] for each in said["certificates"]})
    assert verdicts == [{"conditional"}, {"conditional"}, {"certified"}, {"conditional"}]
    with stop_after(2):
        run("learn", source, "--n", 64, "--quiet", "--save", model)
    with stop_after(7):
        ran = run("learn", source, "--resume", model, "--json")
    assert (ran.status, ran.json["unchecked"]) == (130, "the check was interrupted")
    assert ran.json["rounds_in_all"] == 300


def test_passes_equal_the_file_so_often(source: Path, tmp_path: Path) -> None:
    (tmp_path / "twice.vw").write_text(rows(300) * 2)
    run("learn", source, "--n", 64, "--passes", 2, "--quiet", "--save", tmp_path / "passes")
    run("learn", tmp_path / "twice.vw", "--n", 64, "--quiet", "--save", tmp_path / "long")
    assert everything(portfolio_of(tmp_path / "passes")) == everything(portfolio_of(tmp_path / "long"))


# ---- the best lane alone -------------------------------------------------------------------------------------------


def test_the_best_lane_is_replayed_alone_and_its_own_theorem_is_added(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lanes_are(monkeypatch, th.Perceptron, constants=False)
    options = (source, "--n", 64, "--passes", 2, "--json")
    said, alone = run("learn", *options, "--certify").json, run(*PERCEPTRON, *options, "--certify").json
    assert said["best_lane_alone"]["learner"] == alone["learner"]
    assert said["best_lane_alone"]["mistakes"] == alone["mistakes"]
    assert said["best_lane_alone"]["certificates"] == alone["certificates"]
    assert (said["unchecked"], "best_lane_alone" in run("learn", *options).json) == (None, False)
    out = run("learn", source, "--n", 64, "--quiet", "--certify").out
    assert "The best of them alone, in float64: Perceptron(n=64, normalize=False, bias=1.0, tie='plus')" in out
    assert "Perceptron, distance" in out


def test_a_lane_that_is_replayed_learns_at_the_same_cost(source: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lanes_are(monkeypatch, th.Perceptron, constants=False)
    said = run("learn", source, "--n", 64, "--cost-positive", 3, "--json", "--certify").json
    assert said["best_lane_alone"]["mistakes"] == said["lanes"][0]["mistakes"]
    assert {each["verdict"] for each in said["best_lane_alone"]["certificates"]} == {"void"}


@pytest.mark.parametrize("passes", [1, 2])
def test_the_best_lane_of_a_resumed_run_is_replayed_from_its_start(
    passes: int, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lanes_are(monkeypatch, th.Perceptron, constants=False)
    read_in_pieces(monkeypatch, 1000)
    options = ("--n", 64, "--passes", passes)
    whole = run("learn", source, *options, "--json", "--certify").json
    with stop_after(2):
        run("learn", source, *options, "--quiet", "--save", tmp_path / "model")
    said = run("learn", source, "--resume", tmp_path / "model", "--json", "--certify").json
    assert said["best_lane_alone"] == whole["best_lane_alone"]


@pytest.mark.parametrize(
    ("kinds", "says"),
    [
        ((th.AROW,), "the ledger has no theorem about AROW"),
        ((), "the ledger has no theorem about Constant"),
        ((th.PassiveAggressive,), ""),
    ],
)
def test_what_has_no_theorem_says_so(
    kinds: tuple[type[Biased], ...], says: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lanes_are(monkeypatch, *kinds, constants=not kinds)
    said = run("learn", source, "--n", 64, "--json", "--certify").json
    assert (said["unchecked"] or "") == says
    assert said["certificates"][0]["verdict"] == "certified"
    out = run("learn", source, "--n", 64, "--quiet", "--certify").out
    assert (f"Nothing more is proven: {says}." in out) == bool(says)


def test_what_the_best_lane_cannot_learn_alone_is_no_error(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a portfolio it may see other values than those of the source."""
    source.write_text("1 | a:2 b\n-1 | b\n" * 30)
    monkeypatch.setattr(th.Portfolio, "fresh_learner", lambda portfolio, _lane: th.Winnow(portfolio.n))
    ran = run("learn", source, "--n", 64, "--json", "--certify")
    assert ran.status == 0
    assert ran.json["unchecked"].startswith("alone it cannot learn all of these examples (")
    assert ran.json["certificates"][0]["verdict"] == "certified"


def test_what_cannot_be_read_again_is_not_replayed(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lanes_are(monkeypatch, th.Perceptron, constants=False)
    piped = run("learn", "-", "--n", 64, "--json", "--certify", "--save", tmp_path / "model", stdin=source.read_bytes()).json
    assert "cannot be read again" in piped["unchecked"]
    assert piped["certificates"][0]["verdict"] == "certified"
    more = run("learn", source, "--from", tmp_path / "model", "--json", "--certify").json
    assert more["unchecked"] == "what was learned before this source cannot be read again"
    with stop_after(1):
        read_in_pieces(monkeypatch, 1000)
        stopped = run("learn", source, "--n", 64, "--json", "--certify")
    assert (stopped.status, stopped.json["unchecked"]) == (130, "the theorems are checked when the run is finished")


def test_ctrl_c_in_the_replay_leaves_what_was_learned(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lanes_are(monkeypatch, th.Perceptron, constants=False)
    with stop_after(2):
        ran = run("learn", source, "--n", 64, "--json", "--certify", "--save", tmp_path / "model")
    assert (ran.status, ran.json["unchecked"]) == (130, "the check was interrupted")
    assert Model.load(tmp_path / "model").learner.rounds == 300


# ---- predict and inspect -------------------------------------------------------------------------------------------


def test_predictions_scores_and_calibrated_probabilities_are_the_portfolios(source: Path, tmp_path: Path) -> None:
    (tmp_path / "new.vw").write_text(rows(80, seed=3))
    run("learn", source, "--n", 64, "--quiet", "--save", tmp_path / "model")
    learner = portfolio_of(tmp_path / "model")
    with th.open_stream(tmp_path / "new.vw", n=64) as stream:
        (batch,) = stream
    ran = run("predict", tmp_path / "model", tmp_path / "new.vw", "--scores", "--probabilities")
    label, score, chance = zip(*(line.split("\t") for line in ran.out.splitlines()), strict=True)
    assert list(label) == ["spam" if said > 0 else "ham" for said in learner.predict_many(batch.X)]
    assert np.array_equal(np.array(score, np.float64), learner.score_many(batch.X))
    assert np.array_equal(np.array(chance, np.float64), learner.calibrated_many(batch.X))
    wrong = np.count_nonzero(learner.predict_many(batch.X) != batch.y)
    assert f"mistakes {wrong} of 80" in ran.err
    assert run("predict", tmp_path / "model", tmp_path / "new.vw").out.split() == list(label)


def test_inspect_shows_lanes_and_the_weights_of_the_best(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lanes_are(monkeypatch, th.Perceptron)
    model, alone = tmp_path / "model", tmp_path / "alone"
    learned = run("learn", source, "--json", "--save", model).json
    run(*PERCEPTRON, source, "--quiet", "--save", alone)
    said, single = run("inspect", model, "--json").json, run("inspect", alone, "--json").json
    assert said["lanes"] == learned["lanes"]
    assert (said["learner"], said["best_lane"]) == (learned["learner"], learned["best_lane"])
    kept = ("weights", "bias_weight", "nonzero_weights", "recipe", "finished", "rounds")
    assert learned["best_lane"] == "Perceptron()"
    assert {name: said[name] for name in kept} == {name: single[name] for name in kept}
    out = run("inspect", model).out
    assert "the weights of the best, Perceptron():" in out
    assert "won with" in out


def test_inspect_shows_no_weights_where_the_best_lane_has_none(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lanes_are(monkeypatch)
    run("learn", source, "--quiet", "--save", tmp_path / "model")
    said = run("inspect", tmp_path / "model", "--json").json
    assert (said["weights"], said["bias_weight"], said["best_lane"]) == ([], None, "Constant(label=1)")
    assert "Constant(label=1) won with" in run("inspect", tmp_path / "model").out
