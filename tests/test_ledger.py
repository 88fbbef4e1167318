"""The ledger: counts, baselines, order, and verdicts."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.streams import by_theorem, separable_stream
from thresher.bounds import Certificate, Premise, Status, Verdict, judge


def test_it_counts_what_the_learner_counts_and_two_baselines() -> None:
    X, labels = np.ones((6, 1)), [+1, +1, -1, -1, -1, +1]
    learner, ledger = th.Perceptron(1), th.Ledger()
    ledger.enter(learner.learn_many(X, labels))
    assert (ledger.rounds, ledger.mistakes, ledger.updates) == (6, learner.mistakes, learner.updates)
    assert ledger.loss == float(learner.mistakes)
    assert ledger.best_constant == 3
    assert ledger.repeat_last == 2  # it says +1 first, and misses each of two changes
    assert ledger.tally.positives == ledger.tally.negatives == 3
    assert ledger.certificates() == []
    assert ledger.headline is None


def test_repeating_the_last_label_says_plus_before_there_is_one() -> None:
    ledger = th.Ledger()
    ledger.enter(th.Perceptron(1).learn([1.0], -1))
    assert ledger.repeat_last == 1


@given(st.lists(st.integers(0, 7), max_size=6), st.booleans(), st.sampled_from([None, 0.7]))
def test_one_by_one_or_in_blocks_comes_to_the_same(cuts: list[int], normalize: bool, bias: float | None) -> None:
    X, y, u = separable_stream(rows=30)
    y[::5] *= -1
    comparator = th.Separator(u, bias_weight=0.25, margin=0.5)
    one_by_one, in_blocks = th.Ledger(comparator), th.Ledger(comparator)
    single, many = (th.Perceptron(4, normalize=normalize, bias=bias) for _ in range(2))
    for x, label in zip(X, y, strict=True):
        one_by_one.enter(single.learn(x, label))
    start = 0
    for cut in [*cuts, len(X)]:
        end = min(len(X), start + cut)
        in_blocks.enter(many.learn_many(X[start:end], y[start:end]))
        start = end
    assert one_by_one.tally == in_blocks.tally
    assert [c.as_dict() for c in one_by_one.certificates()] == [c.as_dict() for c in in_blocks.certificates()]


def test_a_separated_stream_is_certified_in_every_form() -> None:
    X, y, u = separable_stream()
    ledger = th.Ledger(th.Separator(u))
    ledger.enter(th.Perceptron(4).learn_many(X, y))
    certificates = ledger.certificates()
    assert {c.verdict for c in certificates} == {Verdict.CERTIFIED}
    assert len(certificates) == 5
    assert certificates[-1].diagnostic
    assert ledger.headline == certificates[0]
    ledger.check()


def test_the_run_form_is_never_above_the_separable_form() -> None:
    for seed in range(5):
        X, y, u = separable_stream(seed=seed)
        ledger = th.Ledger(th.Separator(u))
        ledger.enter(th.Perceptron(4).learn_many(X, y))
        found = by_theorem(ledger)
        run, separable = found["Perceptron, separable, after the run"], found["Perceptron, separable"]
        assert ledger.mistakes <= run.bound.value <= separable.bound.value


def test_a_comparator_that_does_not_separate_voids_only_what_needs_it() -> None:
    X, y, u = separable_stream()
    y[3] *= -1
    ledger = th.Ledger(th.Separator(u))
    ledger.enter(th.Perceptron(4).learn_many(X, y))
    found = by_theorem(ledger)
    assert found["Perceptron, separable"].verdict is Verdict.VOID
    assert found["Perceptron, separable, after the run"].verdict is Verdict.VOID
    assert found["Perceptron, distance"].verdict is Verdict.CERTIFIED
    assert found["Perceptron, squared distance"].verdict is Verdict.CERTIFIED
    assert "Broken" in found["Perceptron, separable"].lines()


def test_a_weight_other_than_one_voids_everything_and_says_why() -> None:
    X, y, u = separable_stream()
    for one_by_one in (False, True):
        learner, ledger = th.Perceptron(4), th.Ledger(th.Separator(u))
        weights = np.ones(len(X))
        weights[2] = 0.5
        if one_by_one:
            for x, label, weight in zip(X, y, weights, strict=True):
                ledger.enter(learner.learn(x, label, weight))
        else:
            ledger.enter(learner.learn_many(X, y, weights))
        assert {c.verdict for c in ledger.certificates()} == {Verdict.VOID}
        assert "every example has weight 1 (not the one of round 3)" in str(ledger.certificates()[0])


def test_weights_of_one_change_nothing() -> None:
    X, y, u = separable_stream()
    ledger = th.Ledger(th.Separator(u))
    ledger.enter(th.Perceptron(4).learn_many(X, y, np.ones(len(X))))
    assert {c.verdict for c in ledger.certificates()} == {Verdict.CERTIFIED}


def test_a_ledger_that_begins_late_is_void() -> None:
    X, y, u = separable_stream()
    learner, ledger = th.Perceptron(4), th.Ledger(th.Separator(u))
    learner.learn(X[0], y[0])
    ledger.enter(learner.learn_many(X[1:], y[1:]))
    assert {c.verdict for c in ledger.certificates()} == {Verdict.VOID}
    assert "the ledger begins at round 2" in str(ledger.certificates()[0])


def foreign(played: th.Round) -> th.Round:
    """The same round as a learner of one's own would make it."""
    return th.Round(played.t, played.example, played.prediction, played.label, played.changed)


def test_rounds_made_in_python_are_conditional_at_most() -> None:
    X, y, u = separable_stream()
    learner, ledger = th.Perceptron(4), th.Ledger(th.Separator(u))
    for x, label in zip(X, y, strict=True):
        ledger.enter(foreign(learner.learn(x, label)))
    assert {c.verdict for c in ledger.certificates()} == {Verdict.CONDITIONAL}
    assert ledger.headline is None


def test_what_is_not_known_of_rounds_made_in_python_is_assumed() -> None:
    ledger = th.Ledger(th.Separator([1.0]))
    ledger.enter(th.Round(1, [1.0], th.Prediction(1, 5.0), 1, changed=False))
    lines = ledger.certificates()[0].lines()
    assert "zero weights" in lines["Assumed"]
    assert "rounding" in lines["Assumed"]
    assert "zero weights" not in lines["Checked"]
    assert lines["Says"].startswith("if what is assumed holds")


def test_a_learner_that_moves_without_a_mistake_is_no_perceptron() -> None:
    rounds = [th.Round(t, [1.0], th.Prediction(1, 0.0), 1, changed=t == 2) for t in (1, 2, 3)]
    one_by_one, at_once = th.Ledger(th.Separator([1.0])), th.Ledger(th.Separator([1.0]))
    for played in rounds:
        one_by_one.enter(played)
    plus = np.ones(3, dtype=np.int8)
    at_once.enter(th.Rounds(1, np.ones((3, 1)), plus, plus, np.zeros(3), np.array([False, True, False])))
    for ledger in (one_by_one, at_once):
        assert {c.verdict for c in ledger.certificates()} == {Verdict.VOID}
        assert "round 2 moved it without a mistake" in ledger.certificates()[0].lines()["Broken"]


def test_a_refuted_certificate_promises_nothing() -> None:
    ledger = th.Ledger(th.Separator([1.0]))
    for t in range(1, 6):
        ledger.enter(th.Round(t, [1.0], th.Prediction(-1, 0.0), +1, changed=False))
    says = by_theorem(ledger)["Perceptron, separable"].lines()["Says"]
    assert says.startswith("that not all of this is true: the rounds are one Perceptron's")


def test_rounds_that_are_no_perceptrons_refute_the_assumption_that_they_are() -> None:
    ledger = th.Ledger(th.Separator([1.0]))
    for t in range(1, 6):  # separated with margin 1: a Perceptron would err at most once
        ledger.enter(th.Round(t, [1.0], th.Prediction(-1, 0.0), +1, changed=False))
    assert by_theorem(ledger)["Perceptron, separable"].verdict is Verdict.REFUTED
    ledger.check()  # an assumption that is false is no bug of ours


def test_verdicts_follow_the_table() -> None:
    bound = th.bounds.perceptron_separable(0.5)  # at most 4
    checked, assumed, broken = (Premise("p", status) for status in (Status.CHECKED, Status.ASSUMED, Status.BROKEN))
    assert judge([checked], 4, bound) is Verdict.CERTIFIED
    assert judge([checked], 5, bound) is Verdict.VIOLATED
    assert judge([checked, assumed], 4, bound) is Verdict.CONDITIONAL
    assert judge([checked, assumed], 5, bound) is Verdict.REFUTED
    assert judge([checked, assumed, broken], 5, bound) is Verdict.VOID
    assert judge([broken], 0, bound) is Verdict.VOID


class Overconfident:
    """A comparator whose theorem is false: it allows no mistake at all."""

    def watch(self) -> Overconfident:
        return self

    def enter(self, entered: th.Round | th.Rounds) -> Overconfident:
        return self

    def __call__(self) -> None:
        raise AssertionError("nothing is to be taken back")

    def certificates(self, tally: th.ledger.Tally) -> list[Certificate]:
        bound = th.bounds.perceptron_hinge(0.0, norm=0.0)
        return [Certificate(bound, tally.mistakes, tally.rounds, (), "none", "none", 0, 0, {})]


def test_check_raises_on_a_violated_bound_with_the_certificate() -> None:
    ledger = th.Ledger(Overconfident())
    ledger.check()
    ledger.enter(th.Perceptron(1).learn([1.0], -1))
    assert ledger.certificates()[0].verdict is Verdict.VIOLATED
    with pytest.raises(th.BoundViolated, match="violated: 1 of at most 0 mistakes in 1 round"):
        ledger.check()


@pytest.mark.parametrize("skip", [0, 2])
def test_a_gap_or_a_repetition_is_refused(skip: int) -> None:
    learner, ledger = th.Perceptron(1), th.Ledger()
    rounds = [learner.learn([1.0], -1) for _ in range(4)]
    ledger.enter(rounds[0])
    with pytest.raises(th.LedgerError, match=f"found round {skip + 1}, expected round 2"):
        ledger.enter(rounds[skip])
    ledger.enter(rounds[1])
    assert ledger.rounds == 2


def test_rounds_of_another_learner_are_refused() -> None:
    a, b, ledger = th.Perceptron(1), th.Perceptron(1, tie="minus"), th.Ledger()
    ledger.enter(a.learn([1.0], -1))
    b.learn([1.0], -1)
    with pytest.raises(th.LedgerError, match="another learner"):
        ledger.enter(b.learn([1.0], -1))


def test_what_cannot_be_entered_leaves_no_trace_in_any_comparator() -> None:
    X, y, u = separable_stream()
    ledger = th.Ledger(th.Separator(u), th.Separator([1.0, 2.0]))
    with pytest.raises(th.ParameterError, match="found examples of 4 attributes, expected 2"):
        ledger.enter(th.Perceptron(4).learn_many(X, y))
    assert ledger.rounds == 0
    assert {c.bound.value for c in ledger.certificates()} == {0.0}


def test_arrays_changed_after_learning_are_refused_and_never_read_out_of_bounds() -> None:
    X = scipy.sparse.csr_array(np.eye(3))
    rounds = th.Perceptron(3).learn_many(X, [1, -1, 1])
    X.indices[1] = 10**6
    ledger = th.Ledger(th.Separator(np.ones(3)))
    with pytest.raises(th.LedgerError, match="not what was learned"):
        ledger.enter(rounds)
    assert ledger.rounds == 0


def test_an_overwritten_buffer_is_noticed_one_by_one_and_in_blocks() -> None:
    for rows in (1, 5, 1000):
        X = np.random.default_rng(rows).standard_normal((rows, 3))
        rounds = th.Perceptron(3).learn_many(X, np.ones(rows))
        X[:] = 1.0
        with pytest.raises(th.LedgerError, match="not what was learned"):
            th.Ledger(th.Separator(np.ones(3))).enter(rounds)
    learner, buffer = th.Perceptron(2), np.zeros(2)
    played = []
    for x in ([1.0, 0.0], [0.0, 1.0]):
        buffer[:] = x
        played.append(learner.learn(buffer, -1))
    with pytest.raises(th.LedgerError, match="not what was learned"):
        th.Ledger(th.Separator([-1.0, -1.0])).enter(played[0])


def test_weights_are_kept_as_they_were_learned() -> None:
    X, y, u = separable_stream(rows=20)
    weights = np.full(len(X), 2.0)
    rounds = th.Perceptron(4).learn_many(X, y, weights)
    weights[:] = 1.0
    ledger = th.Ledger(th.Separator(u))
    ledger.enter(rounds)
    assert {c.verdict for c in ledger.certificates()} == {Verdict.VOID}


def test_rounds_of_an_equal_learner_are_refused() -> None:
    a, b, ledger = th.Perceptron(1), th.Perceptron(1), th.Ledger(th.Separator([1.0]))
    ledger.enter(a.learn([1.0], 1))
    b.learn([100.0], -1)
    with pytest.raises(th.LedgerError, match="do not follow"):
        ledger.enter(b.learn([1.0], 1))


def test_rounds_of_a_learner_that_saw_other_examples_with_the_same_scores_are_refused() -> None:
    a, b, ledger = th.Perceptron(2), th.Perceptron(2), th.Ledger()
    ledger.enter(a.learn([1, 0], -1))
    b.learn([0, 1], -1)
    with pytest.raises(th.LedgerError, match="do not follow"):
        ledger.enter(b.learn([1, 0], -1))
    p, q, blocks = th.Perceptron(50), th.Perceptron(50), th.Ledger()
    blocks.enter(p.learn_many(np.eye(50)[:25], -np.ones(25)))
    q.learn_many(np.eye(50)[25:], -np.ones(25))
    with pytest.raises(th.LedgerError, match="do not follow"):
        blocks.enter(q.learn_many(np.eye(50)[:25], -np.ones(25)))


@pytest.mark.parametrize("n", [2, 4, 10, 100])
def test_signs_turned_in_place_are_noticed(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(200):
        x = rng.choice([-1.0, 1.0], n)
        played = th.Perceptron(n).learn(x, -1)
        x *= -1.0
        with pytest.raises(th.LedgerError, match="not what was learned"):
            th.Ledger(th.Separator(np.ones(n))).enter(played)


def test_a_witness_of_another_size_is_named_as_such() -> None:
    for example in ({3: 1.0}, {"a"}, [0.0] * 16):
        played = th.Perceptron(16).learn(example, -1)
        with pytest.raises(th.ParameterError, match="found examples of 16 attributes, expected 20"):
            th.Ledger(th.Separator(np.ones(20))).enter(played)


def test_rounds_of_a_copy_that_went_its_own_way_are_refused_and_of_one_that_did_not_are_welcome() -> None:
    learner, ledger = th.Perceptron(1), th.Ledger()
    ledger.enter(learner.learn([1.0], -1))
    same, other = copy.copy(learner), copy.copy(learner)
    ledger.enter(same.learn([1.0], +1))
    other.learn([2.0], +1)
    with pytest.raises(th.LedgerError, match="do not follow"):
        ledger.enter(other.learn_many([[1.0]], [+1]))
    ledger.enter(th.Perceptron.from_state(*same.state()).learn_many([[1.0], [2.0]], [+1, -1]))
    assert ledger.rounds == 4


def test_a_round_picked_out_of_many_has_no_history_and_is_conditional_at_most() -> None:
    X, y, u = separable_stream(rows=40)
    rounds = th.Perceptron(4, normalize=True).learn_many(X, y)
    picked, whole = th.Ledger(th.Separator(u)), th.Ledger(th.Separator(u))
    for k in range(len(rounds)):
        picked.enter(rounds[k])
    whole.enter(rounds)
    assert {c.verdict for c in picked.certificates()} == {Verdict.CONDITIONAL}
    assert [c.numbers for c in picked.certificates()] == [c.numbers for c in whole.certificates()]


def test_one_separator_serves_many_ledgers() -> None:
    X, y, u = separable_stream()
    separator = th.Separator(u)
    ledgers = [th.Ledger(separator), th.Ledger(separator)]
    for ledger in ledgers:
        ledger.enter(th.Perceptron(4).learn_many(X, y))
    assert str(ledgers[0]) == str(ledgers[1])


@pytest.mark.parametrize(
    "u",
    [[], [[1.0]], [math.nan], [1e80], "abc", [1j], ["1"], [10**400], np.ma.array([1.0], mask=[True]), {"a": 1.0}, object()],
)
def test_a_separator_that_cannot_be_one_is_refused(u: Any) -> None:
    with pytest.raises(th.ParameterError, match="found"):
        th.Separator(u)


@pytest.mark.parametrize(
    ("name", "value"),
    [("margin", 0.0), ("margin", -1.0), ("margin", math.nan), ("margin", "1"), ("margin", 10**400),
     ("margin", np.timedelta64(5, "s")), ("bias_weight", math.inf), ("bias_weight", math.nan), ("bias_weight", np.ones(1))],
)  # fmt: skip
def test_a_separator_with_a_number_that_cannot_be_one_is_refused(name: str, value: Any) -> None:
    with pytest.raises(th.ParameterError, match=f"found {name} = "):
        th.Separator([1.0], **{name: value})


def test_what_is_no_comparator_and_what_is_no_round_is_refused() -> None:
    nonsense: Any = np.ones(3)
    with pytest.raises(th.ParameterError, match="expected a comparator"):
        th.Ledger(nonsense)
    with pytest.raises(th.LedgerError, match="a Round or Rounds"):
        th.Ledger().enter(nonsense)


def test_a_learners_own_weights_can_be_the_witness() -> None:
    X, y, _ = separable_stream()
    learner = th.Perceptron(4, bias=1.0)
    for _ in range(20):
        learner.learn_many(X, y)
    ledger = th.Ledger(th.Separator.of(learner), th.Separator.of(learner.hypothesis(), margin=2.0))
    ledger.enter(th.Perceptron(4, bias=1.0).learn_many(X, y))
    assert ledger.headline is not None
    assert {c.verdict for c in ledger.certificates()} == {Verdict.CERTIFIED}


def test_a_ledger_without_rounds_names_the_margin_it_computes_with() -> None:
    certificate = by_theorem(th.Ledger(th.Separator([1.0], margin=0.5)))["Perceptron, separable"]
    assert certificate.numbers["margin"] == 0.5
    assert "γ = 0.5" in certificate.lines()["Checked"]


def test_no_mistake_is_certified_to_be_none() -> None:
    ledger = th.Ledger(th.Separator(np.ones(5)))
    ledger.enter(th.Perceptron(5).learn(np.ones(5), 1))
    run = by_theorem(ledger)["Perceptron, separable, after the run"]
    assert (run.verdict, run.bound.at_most) == (Verdict.CERTIFIED, 0)


@pytest.mark.parametrize("scale", [2.0**250, 2.0**-250, 5e-324, 0.0])
@pytest.mark.parametrize("margin", [2.0**-250, 2.0**250])
def test_certificates_never_raise(scale: float, margin: float) -> None:
    for sign in (1.0, -1.0):
        u = np.full(5000, sign * min(2.0**250, max(scale, 1.0)))
        ledger = th.Ledger(th.Separator(u, bias_weight=2.0**250, margin=margin))
        ledger.enter(th.Perceptron(5000, bias=2.0**250).learn_many(np.full((2, 5000), scale), [-1, 1]))
        assert len(ledger.certificates()) == 5
        assert all(str(certificate) and certificate.as_dict() for certificate in ledger.certificates())
        assert len(str(ledger).splitlines()) >= 7


def test_a_ledger_that_was_opened_after_others_has_certificates_before_its_first_round() -> None:
    earlier = th.Ledger()
    earlier.enter(th.Perceptron(1).learn([1.0], -1))
    ledger = th.Ledger(th.Separator([-1.0]), after=earlier.tally)
    assert {certificate.verdict for certificate in ledger.certificates()} == {Verdict.REFUTED}
