"""`thresher inspect`: what a model is, and its heaviest weights with their names."""

from __future__ import annotations

from pathlib import Path

import pytest

import thresher as th
from tests.commands import PERCEPTRON, fruit, run, stop_after, written
from thresher.cli.lanes import lanes_table
from thresher.data.names import slot_of
from thresher.store import Model, linear


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def weights_shown(out: str) -> list[tuple[float, str]]:
    rows = out[out.index("      weight  name") :].splitlines()[1:]
    return [(float(weight), name) for weight, name in (row.strip().split("  ", 1) for row in rows)]


def test_the_heaviest_weights_are_shown_with_their_names(folder: Path) -> None:
    Path("source").write_text(fruit(60))
    run(*PERCEPTRON, "source", "--quiet", "--save", "model")
    before = written(folder)
    ran = run("inspect", "model")
    assert (ran.status, ran.err) == (0, "")
    assert written(folder) == before
    learner = linear(Model.load("model").learner)
    every = [(learner.weights[slot_of(f"n{k}", learner.n)], f"n{k}") for k in range(23)] + [(learner.bias_weight, "(bias)")]
    shown = weights_shown(ran.out)
    assert set(shown) <= set(every)
    plus, minus = ([weight for weight, _ in shown if weight * sign > 0] for sign in (1, -1))
    assert plus == sorted((weight for weight, _ in every if weight > 0), reverse=True)[:10]
    assert sorted(minus) == sorted(weight for weight, _ in every if weight < 0)[:10]
    assert shown == sorted(shown, key=lambda pair: -pair[0])


def test_top_says_how_many_on_either_side(folder: Path) -> None:
    Path("source").write_text(fruit(60))
    run(*PERCEPTRON, "source", "--quiet", "--save", "model")
    few = weights_shown(run("inspect", "model", "--top", 2).out)
    assert [weight > 0 for weight, _ in few] == [True, True, False, False]
    all_of_them = weights_shown(run("inspect", "model", "--top", 10**6).out)
    learner = linear(Model.load("model").learner)
    assert len(all_of_them) == (learner.weights != 0).sum() + (learner.bias_weight != 0)
    assert few == [*all_of_them[:2], *all_of_them[-2:]]


def test_both_names_of_a_shared_slot_are_shown(folder: Path) -> None:
    pairs = [(f"a{i}", f"a{k}") for i in range(40) for k in range(i) if slot_of(f"a{i}", 8) == slot_of(f"a{k}", 8)]
    one, other = pairs[0]
    Path("source").write_text(f"-1 | {one}\n1 | {other}:3\n")
    run(*PERCEPTRON, "source", "--quiet", "--n", 8, "--no-bias", "--save", "model")
    slot = slot_of(one, 8)
    (shown,) = [row for row in run("inspect", "model", "--json").json["weights"] if row["slot"] == slot]
    assert shown["names"] == [one, other]
    assert f"{one} and {other}" in run("inspect", "model").out


@pytest.mark.parametrize("zero_based", [False, True])
def test_indices_are_counted_as_in_the_file(zero_based: bool, folder: Path) -> None:
    Path("source").write_text("-1 7:2.5\n")
    run(*PERCEPTRON, "source", "--quiet", "--bits", 4, "--no-bias", "--save", "model", *["--zero-based"] * zero_based)
    shown = run("inspect", "model")
    assert weights_shown(shown.out) == [(-2.5, "index 7")]
    assert f"indices from {0 if zero_based else 1}" in shown.out
    assert run("inspect", "model", "--json").json["weights"] == [
        {"slot": 7 if zero_based else 6, "names": ["index 7"], "weight": -2.5}
    ]


def test_json_tells_what_the_model_is(folder: Path) -> None:
    Path("source").write_text(fruit(60))
    learned = run(*PERCEPTRON, "source", "--json", "--bits", 8, "--save", "model").json
    ran = run("inspect", "model", "--json", "--top", 1)
    said = ran.json
    assert (ran.status, ran.err, ran.out.count("\n")) == (0, "", 1)
    assert said["learner"] == learned["learner"]
    assert (said["rounds"], said["mistakes"], said["updates"]) == (60, learned["mistakes"], learned["updates"])
    assert said["confusion"] == learned["confusion"]
    assert said["recipe"] == {
        "format": "vw", "n": 256, "zero_based": False, "minus": "ham", "plus": "spam", "hash": "xxh64", "seed": 0
    }  # fmt: skip
    assert said["finished"] is True
    assert len(said["weights"]) == 2


def test_an_interrupted_run_says_how_to_go_on(folder: Path) -> None:
    Path("source").write_text(fruit(60))
    with stop_after(1):
        run(*PERCEPTRON, "source", "--quiet", "--save", "model")
    assert "its run was interrupted: thresher learn SOURCE --resume MODEL goes on" in run("inspect", "model").out
    assert run("inspect", "model", "--json").json["finished"] is False


def test_a_model_saved_from_python_is_shown_by_its_slots(folder: Path) -> None:
    learner = th.Perceptron(4)
    th.save(learner, "model")
    assert "learned 0 examples with 0 mistakes (–)" in run("inspect", "model").out
    learner.learn([0, 2, 0, 0], -1)
    th.save(learner, "model")
    ran = run("inspect", "model")
    assert "saved from Python: no recipe to read files by" in ran.out
    assert weights_shown(ran.out) == [(-2.0, "slot 1")]
    said = run("inspect", "model", "--json").json
    assert (said["recipe"], said["confusion"], said["finished"]) == (None, None, None)
    assert said["weights"] == [{"slot": 1, "names": ["slot 1"], "weight": -2.0}]


def test_names_that_are_no_text_are_shown_by_their_bytes(folder: Path) -> None:
    Path("source").write_bytes(b"-1 | caf\xc3\xa9\n1 | \xff\xfe\n")
    run(*PERCEPTRON, "source", "--quiet", "--no-bias", "--tie", "mistake", "--save", "model")
    assert weights_shown(run("inspect", "model").out) == [(1.0, "\\xff\\xfe"), (-1.0, "café")]


def test_the_rest_of_many_lanes_is_told_by_the_worst_of_them() -> None:
    made = [*(th.Perceptron(2) for _ in range(16)), th.Constant(2, -1)]
    rows, labels = [[1, 0], [0, 1], [0, 1]] * 20, [+1, -1, -1] * 20
    plain, dear = th.Portfolio(2, made), th.Portfolio(2, made, cost_positive=10.0)
    for portfolio in (plain, dear):
        portfolio.learn_many(rows, labels)
    assert "\nand 1 more, the worst with 20 mistakes\n" in lanes_table(plain)
    assert "\nand 1 more, the worst with a loss of 200\n" in lanes_table(dear)
