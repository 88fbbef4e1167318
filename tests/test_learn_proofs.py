"""What `thresher learn` proves, and how it goes on from a model."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import thresher as th
from tests.commands import PERCEPTRON, fruit, run, written
from tests.oracles import bits
from tests.played import by_the_definition, everything_of, learned_oranges, oranges
from thresher.data.demos import RIGHTLY_LABELLED, find
from thresher.store import Model, linear

# ---- what is proven ------------------------------------------------------------------------------------------------


def test_the_verdict_on_the_demo_is_certified_and_assumes_nothing() -> None:
    out = learned_oranges().out
    assert re.search(r"^Claim     certified: 58 of at most 316 mistakes in 9,600 rounds$", out, re.MULTILINE)
    assert re.search(r"^Assumed   nothing$", out, re.MULTILINE)
    assert re.search(r"^Witness   the learner's weights after 9,600 rounds, ", out, re.MULTILINE)


def test_the_numbers_of_the_distance_certificates_hold_in_exact_fractions() -> None:
    played = oranges()
    certificates = run(*PERCEPTRON, "demo:oranges", "--json").json["certificates"]
    by_name = {(c["theorem"], c["diagnostic"]): c for c in certificates}
    u = {name: Fraction(weight) for name, weight in played.weights.items()}
    norm_squared = sum(weight * weight for weight in u.values())
    radius_squared = max(len(example) + 1 for example in played.examples)
    agreed = [
        label * (u[""] + sum(u[name] for name in example))
        for example, label in zip(played.examples, played.labels, strict=True)
    ]
    for (theorem, diagnostic), certificate in by_name.items():
        if "separable" in theorem:
            assert min(agreed) < 0
            assert certificate["verdict"] == "void"
            continue
        found = {name: Fraction(number) for name, number in certificate["numbers"].items()}
        gamma = found["margin"]
        short = [max(Fraction(0), gamma - margin) for margin in agreed]
        if diagnostic:
            short = [distance for distance, wrong in zip(short, played.wrong, strict=True) if wrong]
        exact = {
            "norm": (found["norm"] ** 2, norm_squared),
            "radius": (found["radius"] ** 2, Fraction(radius_squared)),
            "distance": (found.get("distance", Fraction(0)), sum(short)),
            "squared": (found.get("squared", Fraction(0)), sum(distance**2 for distance in short)),
        }
        for name in set(found) - {"margin"}:
            stated, least = exact[name]
            assert least <= stated <= least * (1 + Fraction(1, 10**9))
        assert certificate["verdict"] == "certified"
        assert certificate["count"] == sum(played.wrong) <= certificate["at_most"]
        check_allows_no_less(certificate, norm_squared * radius_squared / gamma**2, exact, gamma)


def check_allows_no_less(
    certificate: dict[str, Any], length_squared: Fraction, exact: dict[str, tuple[Fraction, Any]], gamma: Fraction
) -> None:
    """Asserts that the printed bound is not below the theorem's in exact arithmetic, and not far above it."""
    for bound, below in ((Fraction(certificate["bound"]) * (1 + Fraction(1, 10**9)), False), (None, True)):
        value = Fraction(certificate["bound"]) * (1 - Fraction(1, 10**8)) if bound is None else bound
        if "distance" in certificate["numbers"]:  # value ≥ H + L·√value, with both sides squared
            rest = value - exact["distance"][1] / gamma
            holds = rest >= 0 and rest**2 >= length_squared * value
        else:  # √value ≥ L + √D₂/γ, squared twice
            rest = value - length_squared - exact["squared"][1] / gamma**2
            holds = rest >= 0 and rest**2 >= 4 * length_squared * exact["squared"][1] / gamma**2
        assert holds is not below


def test_where_the_final_weights_separate_the_separable_forms_hold_in_exact_fractions(tmp_path: Path) -> None:
    source = tmp_path / "right.vw"
    source.write_text("".join(b"".join(find("oranges").blocks()).decode().splitlines(keepends=True)[:1000]))
    assert RIGHTLY_LABELLED > 1000
    said = run(*PERCEPTRON, source, "--positive", "export", "--passes", 6, "--json").json
    played = by_the_definition(source.read_text(), "export", passes=6, bias=1)
    u = {name: Fraction(weight) for name, weight in played.weights.items()}
    margin = min(
        label * (u[""] + sum(u[name] for name in example))
        for example, label in zip(played.examples, played.labels, strict=True)
    )
    assert margin > 0
    by_name = {c["theorem"]: c for c in said["certificates"] if not c["diagnostic"]}
    separable, after = by_name["Perceptron, separable"], by_name["Perceptron, separable, after the run"]
    wrong = [len(example) + 1 for example, mistake in zip(played.examples, played.wrong, strict=True) if mistake]
    for certificate in (separable, after):
        assert certificate["verdict"] == "certified"
        assert certificate["count"] == sum(played.wrong) <= certificate["at_most"]
        assert margin * (1 - Fraction(1, 10**9)) <= Fraction(certificate["numbers"]["margin"]) <= margin
    assert sum(wrong) <= Fraction(after["numbers"]["squares"]) <= sum(wrong) * (1 + Fraction(1, 10**9))
    norm_squared, outward = sum(weight**2 for weight in u.values()), 1 + Fraction(1, 10**9)
    radius_squared = max(len(example) + 1 for example in played.examples)
    assert Fraction(separable["bound"]) * outward >= norm_squared * radius_squared / margin**2
    assert (Fraction(after["bound"]) * outward * margin) ** 2 >= norm_squared * sum(wrong)


def test_weighted_examples_void_the_theorem_and_the_certificate_says_which(tmp_path: Path) -> None:
    source = tmp_path / "weighted.vw"
    source.write_text("1 | a\n-1 | b\n1 2.0 | c\n-1 | d\n")
    said = run(*PERCEPTRON, source, "--json", "--bits", 6).json
    assert {certificate["verdict"] for certificate in said["certificates"]} == {"void"}
    broken = [premise for premise in said["certificates"][0]["premises"] if premise["status"] == "broken"]
    assert {"statement": "every example has weight 1", "status": "broken", "detail": "not the one of round 3"} in broken
    assert said["headline"] is None
    source.write_text("1 1.0 | a\n-1 1 | b\n")
    assert run(*PERCEPTRON, source, "--json", "--bits", 6).json["certificates"][0]["verdict"] == "certified"


def test_weights_too_large_for_a_witness_are_learned_and_saved_though_nothing_is_proven(tmp_path: Path) -> None:
    source = tmp_path / "large.svm"
    source.write_text("1 1:1.8e75\n-1 1:1.8e75 2:1.8e75\n1 1:-1.8e75\n-1 2:1.8e75\n1 1:1e75 2:-1e75\n" * 3)
    ran = run(*PERCEPTRON, source, "--quiet", "--bits", 6, "--save", tmp_path / "model")
    assert (ran.status, ran.err) == (0, "")
    assert "Nothing is proven yet: the final weights cannot be the witness" in ran.out
    assert abs(linear(Model.load(tmp_path / "model").learner).weights).max() > 2.0**250


def test_a_source_that_changes_before_it_is_read_again_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, model, save = tmp_path / "fruit.vw", tmp_path / "model", Model.save
    for other in (fruit(30, seed=3), fruit(29), fruit(30) + "spam | n1\n", fruit(30).replace("n1 ", "n2 ", 1), "", "| n1\n"):
        source.write_text(fruit(30))

        def save_and_change(self: Model, path: Path, other: str = other) -> None:
            save(self, path)
            source.write_text(other)

        with monkeypatch.context() as patch:
            patch.setattr(Model, "save", save_and_change)
            ran = run(*PERCEPTRON, source, "--save", model, "--quiet", "--bits", 8)
        assert ran.status == 2
        assert "Nothing is proven yet" in ran.out
        assert "found other text when it was read again" in ran.err
        assert Model.load(model).learner.rounds == 30


def test_a_source_that_changes_between_two_passes_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, model = tmp_path / "fruit.vw", tmp_path / "model"
    source.write_text(fruit(30))
    passes: list[th.Stream] = []

    def open_and_change(*arguments: Any, **options: Any) -> th.Stream:
        if passes:
            source.write_text(fruit(30, seed=4))
        passes.append(th.open_stream(*arguments, **options))
        return passes[-1]

    monkeypatch.setattr("thresher.cli.learning.open_stream", open_and_change)
    ran = run(*PERCEPTRON, source, "--save", model, "--quiet", "--passes", 2)
    assert (ran.status, ran.out) == (2, "")
    assert "found other text in this pass than in the first" in ran.err
    assert not model.exists()


def test_a_violated_bound_ends_with_3_after_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_small(**_numbers: float) -> th.bounds.Bound:
        theorem = th.bounds.Theorem("too small", "M ≤ 1", "nobody")
        return th.bounds.Bound(1.0, "mistakes", theorem, ())

    monkeypatch.setattr(th.bounds, "perceptron_squared_distance", too_small)
    ran = run(*PERCEPTRON, "demo:oranges", "--quiet", "--save", tmp_path / "model")
    assert ran.status == 3
    assert "violated" in ran.out
    assert ran.err == "thresher: a theorem with checked premises has failed, which is a bug of ours; please report it\n"
    assert Model.load(tmp_path / "model").learner.rounds == 9600


# ---- from a model --------------------------------------------------------------------------------------------------


def test_learning_more_from_a_model_equals_learning_all_at_once(tmp_path: Path) -> None:
    one, two = fruit(40), fruit(35, seed=9)
    (tmp_path / "one").write_text(one)
    (tmp_path / "two").write_text(two)
    (tmp_path / "both").write_text(one + two)
    run(*PERCEPTRON, tmp_path / "one", "--quiet", "--bits", 8, "--save", tmp_path / "model", "--normalize")
    run("learn", tmp_path / "two", "--quiet", "--from", tmp_path / "model", "--save", tmp_path / "model")
    run(*PERCEPTRON, tmp_path / "both", "--quiet", "--bits", 8, "--save", tmp_path / "at once", "--normalize")
    assert everything_of(tmp_path / "model") == everything_of(tmp_path / "at once")
    learner = Model.load(tmp_path / "model").learner
    assert bits(linear(learner).weights) == bits(linear(Model.load(tmp_path / "at once").learner).weights)


def test_what_follows_a_model_is_counted_from_zero_weights_and_at_most_conditional(tmp_path: Path) -> None:
    one, two = fruit(40), fruit(35, seed=9)
    (tmp_path / "one").write_text(one)
    (tmp_path / "two").write_text(two)
    run(*PERCEPTRON, tmp_path / "one", "--quiet", "--save", tmp_path / "model")
    ran = run("learn", tmp_path / "two", "--json", "--from", tmp_path / "model")
    said, both = ran.json, by_the_definition(one + two, "spam", bias=1)
    assert (said["examples"], said["rounds_in_all"]) == (35, 75)
    assert said["mistakes"] == sum(both.wrong[40:])
    assert {c["count"] for c in said["certificates"]} == {sum(both.wrong)}
    assert {c["rounds"] for c in said["certificates"]} == {75}
    assert {c["verdict"] for c in said["certificates"]} <= {"conditional", "void"}
    assert any(c["verdict"] == "conditional" for c in said["certificates"])
    for certificate in said["certificates"]:
        (assumed,) = [premise for premise in certificate["premises"] if premise["status"] == "assumed"]
        assert assumed["statement"] == "the first 40 rounds keep to this margin and these sizes, and add nothing to D"
    assert said["headline"] is None
    out = run("learn", tmp_path / "two", "--quiet", "--from", tmp_path / "model").out
    assert "after 40 examples that the model had learned before" in out
    assert "  certified " not in out


def test_the_model_that_one_starts_from_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(fruit(40))
    run(*PERCEPTRON, tmp_path / "one", "--quiet", "--save", tmp_path / "model")
    before = written(tmp_path)
    assert run("learn", tmp_path / "one", "--quiet", "--from", tmp_path / "model").status == 0
    assert written(tmp_path) == before
