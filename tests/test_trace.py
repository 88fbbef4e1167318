"""The blackboard table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import scipy.sparse

import thresher as th
from tests.golden import GOLDEN, vector


@pytest.mark.parametrize("slide", ["perceptron_slides_as_printed", "perceptron_slides_corrected"])
def test_the_golden_slides_are_printed_exactly(slide: str) -> None:
    golden = GOLDEN[slide]
    examples = [([float(v) for v in vector(r["x"])], r["y"]) for r in golden["rounds"]]
    table = th.trace(th.Perceptron(golden["n"], tie=golden["tie"]), examples)
    before = vector([0] * golden["n"])
    for r, traced in zip(golden["rounds"], table.rounds, strict=True):
        _, x, w_before, score, prediction, label, mistake, w_after = traced.cells()
        assert read(x) == vector(r["x"])
        assert read(w_before) == before
        assert read(f"({score})") == [Fraction(r["score"])]
        assert (int(prediction), int(label), mistake == "yes") == (r["pred"], r["y"], bool(r["mistake"]))
        assert read(w_after) == vector(r["w_after"])
        before = vector(r["w_after"])


def read(cell: str) -> list[Fraction]:
    """The numbers in a printed vector, as the decimals they are."""
    return [Fraction(number) for number in cell.strip("()").split(", ")]


def test_text_markdown_and_latex_hold_the_same_cells() -> None:
    table = th.trace(th.Perceptron(2, bias=1.0), [([1, 0], -1), ({0: 2.0, 1: 1.0}, +1), ({1, 0}, -1)])
    text = str(table).splitlines()
    assert text[1] == "1  (1, 0)        (0, 0, 0)    0      +1          -1     yes      (-1, 0, -1)"
    assert len(text) == 4
    markdown = table.markdown().splitlines()
    assert markdown[0] == "| t | x | w before | score | prediction | label | mistake | w after |"
    assert markdown[2] == "| 1 | (1, 0) | (0, 0, 0) | 0 | +1 | -1 | yes | (-1, 0, -1) |"
    latex = table.latex().splitlines()
    assert latex[0].startswith(r"\begin{tabular}")
    assert latex[4] == r"$2$ & \{0: 2, 1: 1\} & $(-1, 0, -1)$ & $-3$ & $-1$ & $+1$ & yes & $(1, 1, 0)$ \\"
    assert latex[-1] == r"\end{tabular}"
    assert table._repr_html_().count("<tr>") == 4


def test_names_are_escaped() -> None:
    table = th.trace(th.Perceptron(4), [({"<b>|a_b": 1.0}, -1)])
    assert "&lt;b&gt;" in table._repr_html_()
    assert r"<b>\|a_b" in table.markdown()
    assert r"a\_b" in table.latex()


def test_sparse_rows_are_shown_as_vectors() -> None:
    table = th.trace(th.Perceptron(3), [(scipy.sparse.csr_array([[0.0, 1.5, 0.0]]), +1)])
    assert table.rounds[0].cells()[1] == "(0, 1.5, 0)"


def test_a_trace_teaches_the_learner() -> None:
    learner = th.Perceptron(1)
    th.trace(learner, [([1], -1), ([1], -1)])
    assert (learner.rounds, learner.mistakes) == (2, 1)


def test_digits_are_as_many_as_asked_for() -> None:
    table = th.trace(th.Perceptron(1), [([1 / 3], -1)], digits=3)
    assert table.rounds[0].cells(table.digits)[1] == "(0.333)"
    assert "-0.333" in str(table)


def test_long_vectors_show_what_is_not_zero_and_no_more_than_twelve() -> None:
    learner = th.Perceptron(2**18)
    table = th.trace(learner, [({5: 1.0}, -1), (dict.fromkeys(range(20), 1.0), +1)])
    assert table.rounds[0].cells()[-1] == "{5: -1}"
    assert table.rounds[1].cells()[-1] == "{0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1, …}"
    assert len(str(table)) < 1000


def test_a_margin_mistake_is_marked_and_negations_stand_behind() -> None:
    table = th.trace(th.MarginPerceptron(2, 0.9), [([1, 0], +1), ([0.1, 1], +1), ([-1, 0], +1)])
    assert [line["mistake"] for line in table.as_dicts()] == ["", "margin", "yes"]
    literal = th.trace(th.LiteralWinnow(2), [([1, 0], +1)]).as_dicts()[0]
    assert (literal["w before"], literal["score"], literal["w after"]) == ("(1, 1, 1, 1)", "2", "(2, 1, 1, 2)")
    struck = th.trace(th.Elimination(2), [([1, 0], -1)]).as_dicts()[0]
    assert (struck["w before"], struck["score"], struck["w after"]) == ("(1, 1, 1, 1)", "2", "(0, 1, 1, 0)")
    balanced = th.trace(th.BalancedWinnow(2, eta=1.0), [([1, 0], -1), ([1, 0], -1)]).rounds[1]
    assert balanced.round.prediction.score == balanced.before[0]


def test_a_majority_is_traced_by_the_shares_of_its_experts() -> None:
    table = str(th.trace(th.WeightedMajority(3), [([0, 1, 1], 1), ([1, 0, 1], 0)], digits=3))
    assert table.splitlines()[-1].split("  ")[-1] == "(0.143, 0.571, 0.286)"
    assert "yes" in table
    many = th.trace(th.FollowTheLeader(20), [([1] * 19 + [0], 0)])
    assert many.rounds[0].after == {19: 1.0} | dict.fromkeys(range(18, 6, -1), 0.0)
    other: Any = th.Halving([[0, 1], [1, 1]])
    with pytest.raises(th.ParameterError, match="found Halving, expected a learner with weights"):
        th.trace(other, [])
