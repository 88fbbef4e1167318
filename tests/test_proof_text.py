"""Proofs as text: what is proven, or that nothing is, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import thresher as th


@pytest.mark.parametrize(
    ("learner", "witnesses", "says"),
    [
        (th.Perceptron, [], "no witness was given"),
        (th.Perceptron, [th.Disjunction(2, {0})], "no theorem about Perceptron holds with this witness; th.Ledger(witness)"),
        (th.AROW, [th.Separator([1.0, -1.0])] * 2, "no theorem about AROW holds with these witnesses; th.Ledger(witness)"),
    ],
)
def test_a_proof_of_nothing_says_so_and_why(learner: Any, witnesses: Any, says: str) -> None:
    proof = th.certify(learner(2), [([[1.0, 0.0], [0.0, 1.0]] * 1000, [+1, -1] * 1000)], *witnesses)
    head, line = str(proof).splitlines()
    assert head.endswith(" in 2,000 examples")
    assert line.startswith(f"  nothing proven: {says}")
    assert repr(proof) == f"<proof: {learner.__name__}, 1 mistake in 2,000 examples, nothing proven>"


def test_a_file_can_be_printed_whatever_its_counts_are(tmp_path: Path) -> None:
    proof = th.certify(th.Perceptron(2), [([[1.0, 0.0], [0.0, 1.0]], [+1, -1])], th.Separator([1.0, -1.0]))
    proof.save(tmp_path / "proof.json")
    whole = json.loads((tmp_path / "proof.json").read_text())
    whole["runs"][0]["mistakes"], whole["runs"][0]["proven"][0]["certificates"][0]["at_most"] = "many", None
    (tmp_path / "proof.json").write_text(json.dumps(whole))
    lines = str(th.Proof.load(tmp_path / "proof.json")).splitlines()
    assert lines[0].endswith(": 'many' mistakes in 2 examples")
    assert lines[1].startswith("  at most None mistakes by ")
