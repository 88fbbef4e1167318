"""`thresher lab`: what it lists, prints, draws and grades, and the status it ends with."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import thresher as th
from tests.commands import check_refused_command, run
from tests.plays import quick
from thresher.lab import EXPERIMENTS, play

MINE = '''\
"""A student's file."""

import thresher as th


class Perceptron:
    def __init__(self, n):
        print("called with", n)
        self.weights = [0.0] * n

    def predict(self, x):
        return 1 if sum(w * v for w, v in zip(self.weights, x)) >= 0 else -1

    def learn(self, x, y):
        if self.predict(x) != y:
            self.weights = [w + y * v for w, v in zip(self.weights, x)]


class Deaf(Perceptron):
    def learn(self, x, y):
        super().learn(x, 1)


class Peeking(Perceptron):
    def learn(self, x, y):
        super().learn(x, y)
        return th.Round(1, x, th.Prediction(y, 0.0), y, changed=True)


def half(margin, radius, norm):
    return 0.5 / margin**2


seed = 7
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be in, with a student's file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    return tmp_path


# ------------------------------------------------------------------------------------------------ lists


def test_the_list_has_every_theorem_and_fits_a_hundred_columns() -> None:
    ran = run("lab")
    assert (ran.status, ran.err) == (0, "")
    assert max(map(len, ran.out.splitlines())) <= 100
    names = [line.split()[0] for line in ran.out.splitlines() if line.startswith("  ") and line[2] != " "]
    assert names == list(EXPERIMENTS)
    assert "perceptron-separable            M ≤ (R‖u‖/γ)² (Novikoff 1962); attained\n" in ran.out
    assert "if u·z ≥ γ on every round; every example has norm at most R\n" in ran.out
    assert "Perceptron: the rounds are a Perceptron's, from zero weights, every example with weight 1\n" in ran.out
    assert ran.out.endswith(f"{len(EXPERIMENTS)} theorems; thresher lab THEOREM plays one, thresher lab --all plays all\n")


def test_the_list_as_json() -> None:
    theorems = run("lab", "--json").json["theorems"]
    assert [theorem["theorem"] for theorem in theorems] == list(EXPERIMENTS)
    first = theorems[0]
    assert (first["statement"], first["citation"], first["counts"]) == ("M ≤ (R‖u‖/γ)²", "Novikoff 1962", "mistakes")
    assert first["assumes"][1:] == ["u·z ≥ γ on every round", "every example has norm at most R"]
    assert all(theorem["assumes"] and 0 < theorem["tight"] <= 1 for theorem in theorems)


# ------------------------------------------------------------------------------------------------ plays


def test_a_theorem_is_played_and_its_games_are_told() -> None:
    ran = run("lab", "halv", "--quick")
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("Halving: M ≤ ⌊lg|C|⌋ (")
    assert lines[3:6] == [
        "played by Halving, seed 0",
        "",
        "concepts |C|  stream                     kind    rounds  mistakes  bound  ratio",
    ]
    assert lines[6] == "           2  all functions of k points  forced       1         1      1  1.000"
    assert lines[-2:] == [
        "worst: 1.000 of the bound, by all functions of k points, |C| = 2",
        "your own: Mine(concepts) with predict(x), +1 or -1, and learn(x, y); --learner file.py:Mine",
    ]


@pytest.mark.parametrize(
    ("theorem", "says"),
    [
        ("mixture-log", "Mine(n, loss) with predict(forecasts), a number, and learn(forecasts, outcome)"),
        ("sleeping", "Mine(n, eta) with weights, a mixture of n, and learn_losses(losses)"),
        ("multiclass-perceptron-distance", "Mine(n, classes) with predict(x), one of the classes, and learn(x, y)"),
        ("vote", "Mine(n, beta) with predict(x), a th.Prediction with its p_positive, and learn(x, y)"),
        ("random-stop", "none; it is about what is made of a learner's hypotheses"),
    ],
)
def test_a_table_says_what_a_learner_of_your_own_must_be(mine: Path, theorem: str, says: str) -> None:
    words = " ".join(run("lab", theorem, "--quick").out.split())
    assert f"your own: {says}" in words
    assert "your own" not in run("lab", "perceptron-separable", "--learner", "mine.py:Perceptron", "--quick").out


def test_numbers_as_json_are_those_of_the_library() -> None:
    told = run("lab", "perceptron-hinge", "--quick", "--seed", "5", "--json").json
    result = play("perceptron-hinge", quick=True, seed=5)
    assert told == json.loads(json.dumps(result.as_dict()))
    assert (told["seed"], told["worst"], told["refuted"], told["axis"]) == (5, 1.0, False, "rounds T")


def test_the_code_is_the_definition() -> None:
    ran = run("lab", "winnow-disjunction", "--code")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("def definition(\n    n: int,\n")
    assert "w = [wi * factor ** (y * xi) for wi, xi in zip(w, x, strict=True)]\n" in ran.out


def test_all_are_played_in_a_table_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: EXPERIMENTS[name] for name in ("elimination", "p-norm", "hedge")}
    monkeypatch.setattr("thresher.cli.laboratory.EXPERIMENTS", few)
    ran = run("lab", "--all", "--quick")
    assert ran.status == 0
    assert [line.split(",")[0] for line in ran.err.splitlines()] == [f"{k} of 3: {name}" for k, name in enumerate(few, 1)]
    assert run("lab", "--all", "--quick", "--quiet").err == ""
    assert [line.split()[0] for line in ran.out.splitlines()[1:4]] == list(few)
    assert max(map(len, ran.out.splitlines())) <= 100
    assert ran.out.endswith("\n3 theorems, seed 0: none above its bound\n")
    assert [each["theorem"] for each in run("lab", "--all", "--quick", "--json").json["theorems"]] == list(few)


def test_a_theorem_of_ours_that_fails_is_a_bug_and_ends_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(EXPERIMENTS["halving"], reads=lambda size: th.bounds.optimal(size.bit_length() - 2))
    monkeypatch.setitem(EXPERIMENTS, "halving", wrong)
    ran = run("lab", "halving", "--quick")
    assert ran.status == 3
    told, bug = ran.err.splitlines()
    assert told.startswith("thresher: refuted: halving, all functions of k points, |C| = 2, round 1: mistakes 1, bound 0; on 0")
    assert told.endswith("it said +1, and -1 was true; again with thresher lab halving --quick --seed 0")
    assert bug == "thresher: a theorem has failed, which is a bug of ours; please report it"


def test_a_bar_on_a_terminal_goes_to_stderr_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.cli.progress.time.monotonic", iter(range(0, 10**6, 10)).__next__)
    ran = run("lab", "elimination", "--quick", terminal=True)
    assert ran.status == 0
    assert "elimination" in ran.err
    assert "games/s" in ran.err
    assert ran.out == run("lab", "elimination", "--quick").out


# ------------------------------------------------------------------------------------------------ figures


@pytest.mark.parametrize(("name", "begins"), [("f.pdf", b"%PDF"), ("f.svg", b"<?xml"), ("f.PNG", b"\x89PNG")])
def test_a_figure_is_always_the_same(tmp_path: Path, name: str, begins: bytes) -> None:
    pytest.importorskip("matplotlib")
    result, drawn = quick("halving"), []
    for _ in range(2):
        result.plot(tmp_path / name)
        drawn.append((tmp_path / name).read_bytes())
    assert drawn[0] == drawn[1]
    assert drawn[0].startswith(begins)


def test_a_figure_without_a_place_or_a_painter_is_refused_before_anything_is_played(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", ModuleType("matplotlib"))
    monkeypatch.setattr("thresher.cli.laboratory.play", None)
    check_refused_command(mine, "lab", "halving", "--figure", "none/f.pdf", says=["none/f.pdf: expected a file in a folder"])
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    check_refused_command(mine, "lab", "halving", "--figure", "f.pdf", says=["needs matplotlib: pip install 'thresher[plot]'"])


def test_a_figure_is_drawn_beside_the_table(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    ran = run("lab", "halving", "--quick", "--figure", tmp_path / "f.svg")
    assert (ran.status, ran.out) == (0, run("lab", "halving", "--quick").out)
    assert "all functions of k points" in (tmp_path / "f.svg").read_text(encoding="utf-8")


def test_a_figure_says_what_is_on_its_axes_and_which_line_is_which() -> None:
    pytest.importorskip("matplotlib")
    from thresher.lab.figure import figure

    drawn = figure(quick("perceptron-separable"))
    (axes,) = drawn.axes
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("1/γ²", "mistakes", "M ≤ (R‖u‖/γ)²")
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == [
        "the bound", "orthonormal examples", "margin γ, least sure first", "margin γ, at random",
    ]  # fmt: skip
    bound, forced, *_ = axes.get_lines()
    for line in (bound, forced):
        assert np.asarray(line.get_ydata()) == pytest.approx([4, 9, 16])


def test_no_mark_stands_at_half_a_mistake() -> None:
    pytest.importorskip("matplotlib")
    from thresher.lab.figure import figure

    (axes,) = figure(quick("winnow-disjunction")).axes
    assert [mark % 1 for mark in axes.get_yticks()] == [0.0] * len(axes.get_yticks())


def test_bounds_that_differ_are_drawn_each() -> None:
    pytest.importorskip("matplotlib")
    from thresher.lab.figure import figure

    drawn = figure(quick("weighted-majority"))
    dashed = [line for line in drawn.axes[0].get_lines() if line.get_linestyle() == "--" and np.size(line.get_xdata())]
    assert len(dashed) == 5  # β = 0, ½, 0.1 and 0.9, and fewer mistakes of the best expert at random


# ------------------------------------------------------------------------------------------------ one's own


def test_a_right_learner_passes_and_what_it_prints_is_not_in_the_way(mine: Path) -> None:
    ran = run("lab", "perceptron-separable", "--learner", "mine.py:Perceptron", "--quick", "--json")
    assert (ran.status, ran.json["refuted"], ran.json["learner"]) == (0, False, "Perceptron")
    assert ran.err.startswith("called with 4\n")
    assert sorted(path.name for path in mine.iterdir()) == ["mine.py"]


def test_a_wrong_learner_ends_with_1_the_round_and_the_seed(mine: Path) -> None:
    ran = run("lab", "perceptron-separable", "--learner", "mine.py:Deaf", "--seed", "3")
    assert ran.status == 1
    last = ran.err.splitlines()[-1]
    assert last.startswith(
        "thresher: refuted: perceptron-separable, margin γ, least sure first, 1/γ² = 4, round 5: mistakes 5, bound 4; on ("
    )
    assert last.endswith("; again with thresher lab perceptron-separable --learner mine.py:Deaf --seed 3")
    assert "refuted: 1.250 of the bound" in ran.out
    assert run("lab", "perceptron-separable", "--learner", "mine.py:Deaf", "--seed", "3") == ran


def test_a_wrong_bound_ends_with_1(mine: Path) -> None:
    ran = run("lab", "perceptron-separable", "--bound", "mine.py:half")
    assert ran.status == 1
    assert (
        "orthonormal examples, 1/γ² = 4, round 3: mistakes 3, bound 2; on (0, 0, 1, 0) it said +1, and -1 was true" in ran.err
    )


def test_a_bound_that_asks_for_what_the_theorem_has_not(mine: Path) -> None:
    (mine / "mine.py").write_text("\n\ndef third(gamma):\n    return 3.0\n", encoding="utf-8")
    says = ["mine.py:3: third asks for gamma, but the theorem has margin, radius, norm"]
    check_refused_command(mine, "lab", "perceptron-separable", "--bound", "mine.py:third", says=says)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("mine.py:Peeking", "mine.py:25: round 1: Peeking.learn says that -1 was predicted, but predict said +1"),
        ("several.py:Nope", "several.py: found no class Nope; it has Lazy, Coin, Zero, Crash, NoLearn, Loop, Hedge"),
        ("mine.py:seed", "mine.py: found seed, which is no class"),
        ("mine.py", "found 'mine.py', expected file.py:Name"),
        ("mine.py:", "found 'mine.py:', expected file.py:Name"),
        ("none.py:Perceptron", "none.py: there is no such file"),
        ("broken.py:Perceptron", "broken.py:2: it does not import: invalid syntax"),
        ("importing.py:Perceptron", "importing.py:3: it does not import: ModuleNotFoundError: No module named 'nosuch'"),
        ("leaving.py:Perceptron", "leaving.py:1: it does not import: SystemExit: 4"),
        ("text.txt:Perceptron", "text.txt: found no Python file, expected a name that ends in .py"),
    ],
)
def test_what_a_student_has_to_mend(mine: Path, place: str, says: str) -> None:
    (mine / "broken.py").write_text("import math\nclass Perceptron(:\n    pass\n", encoding="utf-8")
    (mine / "importing.py").write_text("import math\n\nimport nosuch\n", encoding="utf-8")
    (mine / "leaving.py").write_text("raise SystemExit(4)\n", encoding="utf-8")
    (mine / "text.txt").write_text("class Perceptron: pass\n", encoding="utf-8")
    classes = "".join(f"class {name}: pass\n" for name in ("Lazy", "Coin", "_Own", "Zero", "Crash", "NoLearn", "Loop", "Hedge"))
    (mine / "several.py").write_text(f"from fractions import Fraction\n{classes}def half(): pass\n", encoding="utf-8")
    ran = run("lab", "perceptron-separable", "--learner", place)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.splitlines()[-1].startswith(f"thresher: {says}")


def test_a_bound_that_is_not_there_names_the_functions(mine: Path) -> None:
    ran = run("lab", "perceptron-separable", "--bound", "mine.py:third")
    assert ran.status == 2
    assert "mine.py: found no function third; it has half" in ran.err
    assert "Perceptron" not in ran.err.partition("it has")[2]


def test_what_lies_beside_a_student_s_file_can_be_imported(mine: Path) -> None:
    (mine / "better.py").write_text("from mine import Perceptron\n\nclass Better(Perceptron):\n    pass\n", encoding="utf-8")
    assert run("lab", "perceptron-separable", "--learner", "better.py:Better", "--quick").status == 0


# ------------------------------------------------------------------------------------------------ bad arguments


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["perceptron"], ["several theorems begin: perceptron-separable"]),
        (["halvnig"], ["found no theorem 'halvnig'; near are halving"]),
        (["halving", "--all"], ["found 'halving' and --all"]),
        (["--figure", "f.pdf"], ["found --figure without a theorem"]),
        (["--code"], ["found --code without a theorem"]),
        (["--quick"], ["found --quick, but nothing is played: expected a theorem, or --all, and no --code"]),
        (["--seed", "0", "--json"], ["found --seed, but nothing is played"]),
        (["halving", "--code", "--quick"], ["found --quick, but nothing is played"]),
        (["halving", "--code", "--learner", "mine.py:Perceptron"], ["found --learner, but nothing is played"]),
        (["--report", "f.html"], ["found --report, but nothing is played"]),
        (["halving", "--code", "--report", "f.html"], ["found --report, but nothing is played"]),
        (["halving", "--report", "none/f.html"], ["none/f.html: expected a file in a folder that exists"]),
        (["--all", "--learner", "mine.py:X"], ["found --learner without a theorem"]),
        (["halving", "--figure", "f.gif"], ["found 'f.gif' for a figure, expected a name that ends in .pdf, .svg or .png"]),
        (["halving", "--seed", "-1"], ["--seed", "expected"]),
        (["halving", "--seed", "x"], ["found 'x', expected a whole number of at least 0"]),
        (
            ["random-stop", "--learner", "mine.py:Perceptron"],
            ["a learner of one's own for random-stop: it is about", "play perc"],
        ),
    ],
)
def test_arguments_that_have_no_meaning(mine: Path, arguments: list[str], says: list[str]) -> None:
    check_refused_command(mine, "lab", *arguments, says=says)
