"""Golden traces of Winnow, Elimination and the Margin Perceptron: from the notes and slides, checked by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.golden import GOLDEN, fraction, vector
from thresher.linear import elimination, margin_perceptron, perceptron, winnow

TABLE = GOLDEN["monotone_disjunction_table"]
WINNOWS: dict[str, dict[str, Any]] = {
    "slides": GOLDEN["winnow_slides"],
    "slides, continued": GOLDEN["winnow_slides"]["continued"],
    "table": TABLE["winnow_ge"],
    "table, strict": TABLE["winnow_gt"],
    "a false positive": GOLDEN["ties"]["winnow_fp_then"],
    "a false positive, strict": GOLDEN["ties"]["winnow_fp_then_strict"],
    "the same input twice": GOLDEN["winnow_same_input_twice"],
    "factor 3/2": GOLDEN["winnow_factor_3_2"],
}


def winnow_of(golden: dict[str, Any]) -> th.Winnow:
    return th.Winnow(
        golden["n"],
        threshold=float(Fraction(golden["theta"])),
        factor=float(Fraction(golden["factor"])),
        strict=golden["strict"],
    )


def label(y: int) -> int:
    """−1 or +1, from 0 or 1."""
    return 2 * y - 1


@pytest.mark.parametrize("golden", WINNOWS.values(), ids=WINNOWS)
def test_winnow_and_its_definition_give_the_golden_traces_exactly(golden: dict[str, Any]) -> None:
    learner, rounds = winnow_of(golden), golden["rounds"]
    stream = [(r["x"], label(r["y"])) for r in rounds]
    exact = winnow.definition(golden["n"], stream, fraction(golden["theta"]), fraction(golden["factor"]), golden["strict"])
    for r, (score, prediction, w) in zip(rounds, exact, strict=True):
        assert (score, prediction, w) == (fraction(r["score"]), label(r["pred"]), vector(r["w_after"]))
        played = learner.learn(r["x"], r["y"])
        assert Fraction(played.prediction.score) == score
        assert (played.prediction.label, played.mistake) == (prediction, bool(r["mistake"]))
        assert [Fraction(v) for v in learner.weights] == w
    assert learner.mistakes == golden["M"] == golden["M_plus"] + golden["M_minus"]


@pytest.mark.parametrize("golden", WINNOWS.values(), ids=WINNOWS)
def test_the_golden_rounds_at_once_are_the_golden_rounds_one_by_one(golden: dict[str, Any]) -> None:
    played = winnow_of(golden).learn_many([r["x"] for r in golden["rounds"]], [r["y"] for r in golden["rounds"]])
    assert [Fraction(score) for score in played.scores] == [fraction(r["score"]) for r in golden["rounds"]]
    promotions = np.count_nonzero((played.labels == 1) & (played.predictions == -1))
    assert (played.mistakes, promotions) == (golden["M"], golden["M_plus"])


def test_the_tables_rows_are_those_of_its_traces_in_cycles() -> None:
    rows = [(row["x"], row["y"]) for row in TABLE["rows"]]
    for trace in (TABLE["winnow_ge"], TABLE["winnow_gt"]):
        told = [(r["x"], r["y"]) for r in trace["rounds"]]
        assert told == [rows[k % len(rows)] for k in range(len(told))]


def test_the_perceptron_with_a_dummy_gives_the_tables_trace_exactly() -> None:
    golden = TABLE["perceptron_plus_bias1"]
    learner = th.Perceptron(golden["n"], bias=golden["bias"], tie=golden["tie"])
    stream = [(vector(r["x"]), r["y"]) for r in golden["rounds"]]
    exact = perceptron.definition(golden["n"], stream, bias=Fraction(golden["bias"]))
    for r, (score, prediction, w) in zip(golden["rounds"], exact, strict=True):
        assert (score, prediction, w) == (fraction(r["score"]), r["pred"], vector(r["w_after"]))
        played = learner.learn([float(v) for v in vector(r["x"])], r["y"])
        assert (played.prediction.score, played.prediction.label) == (score, prediction)
        assert [Fraction(v) for v in (*learner.weights, learner.bias_weight)] == w
    assert learner.mistakes == golden["M"]


def test_a_sum_at_the_threshold_is_positive_unless_strict() -> None:
    golden = GOLDEN["ties"]["winnow_all_ones_round1_n4"]
    for strict, sign in ((False, ">="), (True, ">")):
        said = th.Winnow(4, strict=strict).predict([1, 1, 1, 1])
        assert (said.score, said.label) == (4.0, label(golden[sign]))


def test_two_relevant_attributes_of_a_hundred_take_seven_promotions_each() -> None:
    golden = GOLDEN["winnow_d100_r2_positives"]
    learner = th.Winnow(100)
    for attribute in (0, 1):
        for _ in range(7):
            assert learner.learn({attribute}, +1).promotion
    assert learner.mistakes == golden["M"]
    assert [Fraction(v) for v in learner.weights[:2]] == vector(golden["final_w12"])
    assert learner.predict({0}).label == learner.predict({1}).label == +1


def test_the_greedy_adversarys_stream_is_wrong_in_every_round() -> None:
    golden = GOLDEN["winnow_greedy_n16_r2"]
    learner = th.Winnow(16)
    played = learner.learn_many([[int(bit) for bit in x] for x, _ in golden["stream"]], [y for _, y in golden["stream"]])
    promotions = np.count_nonzero((played.labels == 1) & (played.predictions == -1))
    assert (played.mistakes, promotions, played.mistakes - promotions) == (golden["M"], golden["M_plus"], golden["M_minus"])
    assert [Fraction(v) for v in learner.weights] == vector(golden["w_final"])


def literals_of(learner: th.Elimination) -> set[tuple[int, int]]:
    attributes, negations = learner.left
    return {(int(i), 1) for i in np.flatnonzero(attributes)} | {(int(i), 0) for i in np.flatnonzero(negations)}


def test_elimination_over_two_variables() -> None:
    golden = GOLDEN["elim_two_variables"]
    for y, expected in ((golden["y"], golden), (1, golden["if_y_is_1"])):
        learner = th.Elimination(2)
        everything = literals_of(learner)
        played = learner.learn(golden["x"], y)
        assert (played.prediction.label, played.mistake) == (label(expected["pred"]), bool(expected["mistake"]))
        left = {(i, value) for i, value in golden["L_after"]} if expected is golden else everything
        assert literals_of(learner) == left
    assert len(everything) == 4


@pytest.mark.parametrize("golden", GOLDEN["elim_forced"])
def test_elimination_is_forced_into_every_mistake(golden: dict[str, Any]) -> None:
    learner = th.Elimination(golden["n"])
    stream = [(x, label(y)) for x, y in golden["stream"]]
    played = learner.learn_many([x for x, _ in golden["stream"]], [y for _, y in golden["stream"]])
    steps = list(elimination.definition(golden["n"], stream))
    assert (
        played.mistakes == golden["M"] == sum(prediction != y for (_, prediction, _), (_, y) in zip(steps, stream, strict=True))
    )
    assert literals_of(learner) == steps[-1][2] == {(i, value) for i, value in golden.get("target_literals", [])}
    assert learner.refuted_at is None


def test_the_margin_perceptrons_trace() -> None:
    golden = GOLDEN["margin_perceptron_gamma_half"]
    learner = th.MarginPerceptron(2, golden["gamma"], epsilon=golden["eps"])
    stream = [(r["x"], r["y"]) for r in golden["rounds"]]
    exact = margin_perceptron.definition(2, stream, golden["gamma"], golden["eps"])
    for t, (r, (_, _, w)) in enumerate(zip(golden["rounds"], exact, strict=True)):
        played = learner.learn(r["x"], r["y"])
        assert played.changed == (bool(r["update"]) or t == 0)  # the first initialises, and is not counted
        assert learner.weights.tolist() == pytest.approx(r["w_after"], rel=1e-12)
        assert w == pytest.approx(r["w_after"], rel=1e-12)
    assert learner.updates - 1 == golden["M"]
