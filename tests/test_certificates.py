"""Certificates: numbers that survive exact fractions, in the sums and in the printed text."""

from __future__ import annotations

import decimal
import json
import math
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.effort import tried
from tests.streams import separable_stream
from thresher.bounds import Verdict
from thresher.bounds.printed import above, below


@tried(60)
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
    distance = on_mistakes = squared = squares = Fraction(0)
    for x, label, prediction in zip(X.tolist(), y.tolist(), rounds.predictions.tolist(), strict=True):
        z = [Fraction(v) for v in x] + dummy
        square = sum((v * v for v in z), Fraction(0))
        norm_below, norm_above = roots(square) if normalize else (Fraction(1), Fraction(1))
        dot = label * sum((a * b for a, b in zip(exact_u, z, strict=True)), Fraction(0))
        seen = dot / (norm_above if dot > 0 else norm_below)  # y·(u·z), or 2⁻⁶⁰⁰ below it
        assert Fraction(sums.smallest_margin) <= seen
        assert Fraction(sums.largest_norm) ** 2 >= (1 if normalize else square)
        short = max(Fraction(0), Fraction(margin) - seen)
        distance += short
        squared += short * short
        on_mistakes += short if prediction != label else 0
        squares += (Fraction(1) if normalize else square) if prediction != label else 0
    assert Fraction(sums.norm) ** 2 >= sum(v * v for v in exact_u)
    for printed, exact in {
        sums.distance: distance,
        sums.distance_on_mistakes: on_mistakes,
        sums.squared_distance: squared,
        sums.squares_on_mistakes: squares,
    }.items():
        assert Fraction(printed) >= exact
        assert printed == pytest.approx(float(exact), rel=1e-9)


def roots(square: Fraction) -> tuple[Fraction, Fraction]:
    """Fractions just below and just above the square root."""
    scaled = math.isqrt(int(square * 4**600))
    return Fraction(scaled, 2**600), Fraction(scaled + 1, 2**600)


def test_printed_numbers_are_on_the_safe_side_too() -> None:
    """The README's own kind of certificate, its text read back in exact fractions."""
    X, y, u = separable_stream(rows=300)
    ledger = th.Ledger(th.Separator(u))
    rounds = th.Perceptron(4).learn_many(X, y)
    ledger.enter(rounds)
    square_of_u = sum(Fraction(v) ** 2 for v in u.tolist())
    squares = [sum(Fraction(v) ** 2 for v in row) for row in X.tolist()]
    made = [s for s, wrong in zip(squares, (rounds.predictions != rounds.labels).tolist(), strict=True) if wrong]
    dots = [int(label) * sum(Fraction(a) * Fraction(b) for a, b in zip(u.tolist(), x, strict=True))
            for x, label in zip(X.tolist(), y, strict=True)]  # fmt: skip
    checks: dict[str, Callable[[Fraction], bool]] = {
        "‖u‖ ≤": lambda v: v**2 >= square_of_u,
        "every ‖x‖ ≤": lambda v: v**2 >= max(squares),
        "over the mistakes ≤": lambda v: v >= sum(made),
        r"\(γ =": lambda v: v <= min(dots),
    }
    seen = 0
    for certificate in ledger.certificates():
        text = certificate.lines()["Witness"] + " " + certificate.lines()["Checked"]
        for pattern, good in checks.items():
            for number in re.findall(pattern + r" ([\d.e+-]*\d)", text):
                assert good(Fraction(number)), (pattern, number)
                seen += 1
        theorem = getattr(th.bounds, certificate.verify.removeprefix("th.bounds.").partition("(")[0])
        assert theorem(**certificate.numbers) == certificate.bound
        assert all(f"{name}={number!r}" in certificate.verify for name, number in certificate.numbers.items())
        assert certificate.verdict is Verdict.CERTIFIED
    assert seen >= 10


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


def test_printed_numbers_do_not_heed_the_callers_decimal_context() -> None:
    with decimal.localcontext() as context:
        context.prec = 3
        assert (above(1.23441), below(1.23441)) == ("1.23442", "1.23441")
        assert (above(1.2344167), below(-1.2344167)) == ("1.23442", "-1.23442")
    assert below(-0.0) == "0"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_printed_numbers_are_never_on_the_wrong_side(number: float) -> None:
    assert Fraction(below(number)) <= Fraction(number) <= Fraction(above(number))
    assert Fraction(above(number)) - Fraction(below(number)) <= abs(Fraction(number)) / 10**4


def test_a_sum_that_overflowed_is_infinite_in_words_and_nothing_in_json() -> None:
    ledger = th.Ledger(th.Separator(np.full(5000, 2.0**250)))
    ledger.enter(th.Perceptron(5000).learn_many(np.full((3, 5000), 2.0**250), [-1, 1, -1]))
    for certificate in ledger.certificates():
        assert json.loads(json.dumps(certificate.as_dict(), allow_nan=False))["rounds"] == 3
        assert "=inf" not in certificate.verify.replace("=math.inf", "")
