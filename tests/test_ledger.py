"""The ledger: counts, baselines, verdicts, and certificates that survive exact fractions."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import thresher as th
from thresher.bounds import Certificate, Premise, Status, Verdict, judge

Floats = NDArray[np.float64]


def separable_stream(rows: int = 200, n: int = 4, seed: int = 0) -> tuple[Floats, NDArray[np.int64], Floats]:
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(n)
    X = rng.standard_normal((rows, n))
    X = X[np.abs(X @ u) > 0.3]
    return X, np.where(X @ u > 0.0, 1, -1), u


def by_theorem(ledger: th.Ledger) -> dict[str, Certificate]:
    return {c.bound.theorem.name + (" (diagnostic)" if c.diagnostic else ""): c for c in ledger.certificates()}


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
        return [Certificate(bound, tally.mistakes, tally.rounds, (), "none", "none", 0, 0)]


def test_check_raises_on_a_violated_bound_with_the_certificate() -> None:
    ledger = th.Ledger(Overconfident())
    ledger.check()
    ledger.enter(th.Perceptron(1).learn([1.0], -1))
    assert ledger.certificates()[0].verdict is Verdict.VIOLATED
    with pytest.raises(th.BoundViolated, match="violated: 1 of at most 0 mistakes in 1 rounds"):
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
    with pytest.raises(th.ParameterError, match="another number of attributes"):
        ledger.enter(th.Perceptron(4).learn_many(X, y))
    assert ledger.rounds == 0
    assert {c.bound.value for c in ledger.certificates()} == {0.0}


def test_arrays_changed_after_learning_are_refused_and_never_read_out_of_bounds() -> None:
    X = scipy.sparse.csr_array(np.eye(3))
    rounds = th.Perceptron(3).learn_many(X, [1, -1, 1])
    X.indices[1] = 10**6
    ledger = th.Ledger(th.Separator(np.ones(3)))
    with pytest.raises(th.ExampleError, match="index 1000000"):
        ledger.enter(rounds)
    assert ledger.rounds == 0


def test_one_separator_serves_many_ledgers() -> None:
    X, y, u = separable_stream()
    separator = th.Separator(u)
    ledgers = [th.Ledger(separator), th.Ledger(separator)]
    for ledger in ledgers:
        ledger.enter(th.Perceptron(4).learn_many(X, y))
    assert str(ledgers[0]) == str(ledgers[1])


@pytest.mark.parametrize(
    ("u", "options"),
    [([], {}), ([[1.0]], {}), ([math.nan], {}), ([1e80], {}), ([1.0], {"margin": 0.0}), ([1.0], {"margin": math.nan}),
     ([1.0], {"bias_weight": math.inf})],
)  # fmt: skip
def test_a_separator_that_cannot_be_one_is_refused(u: list[float], options: dict[str, float]) -> None:
    with pytest.raises(th.ParameterError):
        th.Separator(u, **options)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([1e-30, 1e-3, 1.0, 1e7]),
    normalize=st.booleans(),
    bias=st.sampled_from([None, 0.3, -2.0]),
    sparse=st.booleans(),
)
def test_certified_numbers_survive_exact_fractions(
    seed: int, scale: float, normalize: bool, bias: float | None, sparse: bool
) -> None:
    """Every sum a certificate is made of, recomputed without rounding, lies on the safe side of the printed one."""
    rng = np.random.default_rng(seed)
    n, rows, margin = 4, 25, float(rng.choice([0.01, 1.0])) * scale
    X = rng.standard_normal((rows, n)) * scale * rng.choice([1e-8, 1.0], (rows, n))
    y = rng.choice([-1, 1], rows)
    u, u_bias = rng.standard_normal(n), float(rng.standard_normal())
    learner = th.Perceptron(n, normalize=normalize, bias=bias)
    watcher = th.Separator(u, bias_weight=u_bias, margin=margin).watch()
    rounds = learner.learn_many(scipy.sparse.csr_array(X) if sparse else X, y)
    watcher.enter(rounds)
    sums = watcher._frozen

    dummy = [] if bias is None else [Fraction(bias)]
    exact_u = [Fraction(v) for v in u.tolist()] + [Fraction(u_bias)] * (bias is not None)
    distance = squares = Fraction(0)
    for x, label, prediction in zip(X.tolist(), y.tolist(), rounds.predictions.tolist(), strict=True):
        z = [Fraction(v) for v in x] + dummy
        square = sum((v * v for v in z), Fraction(0))
        dot = label * sum((a * b for a, b in zip(exact_u, z, strict=True)), Fraction(0))
        # a/√b against c without a root: compare signs and squares
        assert below(Fraction(sums.smallest_margin), dot, square if normalize else Fraction(1))
        largest = Fraction(sums.largest_norm)
        assert largest * largest >= (1 if normalize else square)
        if not normalize:
            distance += max(Fraction(0), Fraction(margin) - dot)
            squares += square if prediction != label else 0
    norm = Fraction(sums.norm)
    assert norm * norm >= sum(v * v for v in exact_u)
    if not normalize:
        assert Fraction(sums.distance) >= distance
        assert Fraction(sums.squares_on_mistakes) >= squares
        assert float(distance) == pytest.approx(sums.distance, rel=1e-9)


def below(low: Fraction, dot: Fraction, square: Fraction) -> bool:
    """Whether low ≤ dot/√square."""
    if low <= 0 <= dot:
        return True
    if dot < 0 < low:
        return False
    return low * low * square <= dot * dot if low > 0 else low * low * square >= dot * dot


def test_any_order_of_the_rows_keeps_the_promise() -> None:
    X, y, u = separable_stream(rows=60)
    ledger = th.Ledger(th.Separator(u))
    ledger.enter(th.Perceptron(4).learn_many(X, y))
    promised = min(c.bound.at_most for c in ledger.certificates() if c.any_order)
    rng = np.random.default_rng(1)
    worst = 0
    for _ in range(300):
        order = rng.permutation(len(X))
        worst = max(worst, th.Perceptron(4).learn_many(X[order], y[order]).mistakes)
    assert worst <= promised


def test_what_says_little_comes_after_what_says_more_and_is_never_the_headline() -> None:
    ledger = th.Ledger(th.Separator([-1.0, -1.0]))
    ledger.enter(th.Perceptron(2).learn_many([[1, 0], [0, 1], [1, 1]], [-1, -1, -1]))
    assert all(c.says_little for c in ledger.certificates())  # the best constant makes no mistake
    assert ledger.headline is None


def test_a_certificate_is_text_html_and_json() -> None:
    X, y, u = separable_stream()
    ledger = th.Ledger(th.Separator(u))
    ledger.enter(th.Perceptron(4).learn_many(X, y))
    certificate = next(c for c in ledger.certificates() if c.any_order)
    heads = ["Claim", "Theorem", "Witness", "Checked", "Assumed", "Says", "Not said", "Compare", "Verify"]
    assert list(certificate.lines()) == heads
    assert f"in any order of these {len(X)} rows" in certificate.lines()["Says"]
    assert certificate.lines()["Assumed"] == "nothing"
    assert all(f"<td>{head}</td>" in certificate._repr_html_() for head in heads)
    assert json.loads(json.dumps(certificate.as_dict()))["verdict"] == "certified"
    assert ledger._repr_html_().count("<td>Perceptron, ") == 5
