"""Proofs: written, read and checked again; and whatever was changed in one, or in its stream, is found."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.exactly import dot
from tests.strategies import streams
from thresher.data.fingerprint import Fingerprint
from thresher.evaluate.exact import exactly
from thresher.evaluate.parts import Examples
from thresher.evaluate.proof import Proof

TEXT = "+1 1:1 3:0.5\n-1 2:1\n+1 1:0.75 2:0.25\n-1 2:0.5 3:1\n+1 1:0.1\n-1 2:0.7 3:0.3\n"
OTHER = "+1 1:1 3:1\n-1 2:1\n+1 1:1 2:1\n-1 2:1 3:1\n+1 1:1\n-1 3:1\n"
U = [0.3, -0.7, 0.1]


def opened(path: Path) -> Callable[[], th.Stream]:
    return lambda: th.open_stream(path, n=3)


def written(folder: Path, text: str) -> Path:
    path = folder / "data.svm"
    path.write_text(text)
    return path


def perceptron_proof(path: Path) -> Proof:
    return th.certify(th.Perceptron(3), opened(path), th.Separator(U, margin=0.2))


def winnow_proof(path: Path) -> Proof:
    return th.certify(th.Winnow(3), opened(path), th.Disjunction(3, {0}), th.Threshold([0.3, 0, 0], delta=0.5))


def cover_proof(path: Path) -> Proof:
    return th.certify(th.Winnow(3), opened(path), th.Cover([0.7, 0, 0]))


PROOFS = {"perceptron": (TEXT, perceptron_proof), "winnow": (OTHER, winnow_proof), "cover": (OTHER, cover_proof)}


def rows(path: Path) -> list[tuple[list[float], int]]:
    """The rows of a stream as lists, with their labels."""
    with th.open_stream(path, n=3) as stream:
        return [(x, y) for batch in stream for x, y in zip(batch.matrix().toarray().tolist(), batch.y.tolist(), strict=True)]


def loaded(folder: Path, content: bytes) -> Proof:
    (folder / "changed.json").write_bytes(content)
    return th.Proof.load(folder / "changed.json")


# ---- the fingerprint ---------------------------------------------------------------------------------------------------------


def plain_fingerprint(rows: list[tuple[list[float], int, float]], n: int) -> str:
    """As the docstring says, number by number."""
    held = [[(i, x) for i, x in enumerate(row) if x != 0.0] for row, _, _ in rows]
    columns = [
        f"thresher examples 1, n={n}, hash=xxh64, seed=0".encode(),
        b"".join(struct.pack("<Q", len(row)) for row in held),
        b"".join(struct.pack("<Q", i) for row in held for i, _ in row),
        b"".join(struct.pack("<d", x) for row in held for _, x in row),
        b"".join(struct.pack("<d", weight) for _, _, weight in rows),
        b"".join(struct.pack("<b", y) for _, y, _ in rows),
    ]
    return hashlib.sha256(b"".join(hashlib.sha256(column).digest() for column in columns)).hexdigest()


@given(streams(n=4), st.integers(0, 12))
def test_the_fingerprint_is_what_it_says_however_the_rows_are_cut(stream: Any, cut: int) -> None:
    fingerprint = Fingerprint(4)
    rows, y, weights = sp.csr_matrix(stream.rows.reshape(-1, 4)), np.array(stream.labels, np.int8), np.array(stream.weights)
    for part in (slice(0, cut), slice(cut, None)):
        fingerprint.enter(rows[part], y[part], weights[part])
    plain = list(zip(stream.rows.reshape(-1, 4).tolist(), stream.labels, stream.weights, strict=True))
    assert fingerprint.value == plain_fingerprint(plain, 4)


def test_a_file_and_its_gzip_and_its_arrays_have_one_fingerprint(tmp_path: Path) -> None:
    path = written(tmp_path, TEXT)
    proof = perceptron_proof(path)
    packed = tmp_path / "data.svm.gz"
    packed.write_bytes(gzip.compress(TEXT.replace(" 3:", "   3:").encode()))
    X, y = np.array([x for x, _ in rows(path)]), [y > 0 for _, y in rows(path)]
    shuffled = sp.csr_matrix(X)
    shuffled.indices[:2], shuffled.data[:2] = shuffled.indices[[1, 0]], shuffled.data[[1, 0]]
    shuffled.has_sorted_indices = False
    for examples in (opened(packed), [(X, y)], [(X[:4], y[:4]), (X[4:], y[4:])], [(shuffled, y)], [(sp.coo_matrix(X), y)]):
        assert proof.check(examples)


@pytest.mark.parametrize("change", [(0, 0, 1.0000000000000002), (1, 0, 1e-300), (5, 1, 0.0)])
def test_any_other_value_has_another_fingerprint(tmp_path: Path, change: tuple[int, int, float]) -> None:
    path = written(tmp_path, TEXT)
    X, y = np.array([x for x, _ in rows(path)]), [y for _, y in rows(path)]
    X[change[0], change[1]] = change[2]
    with pytest.raises(th.StoreError, match=r"stream\.fingerprint: found"):
        perceptron_proof(path).check([(X, y)])


# ---- there and back --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROOFS)
def test_a_proof_is_read_as_it_was_written_and_holds(tmp_path: Path, name: str) -> None:
    text, make = PROOFS[name]
    path = written(tmp_path, text)
    proof = make(path)
    proof.save(tmp_path / "proof.json")
    again = th.Proof.load(tmp_path / "proof.json")
    assert again == proof
    certificates = again.check(opened(path))
    told = [each for run in proof.runs for proven in run["proven"] for each in proven["certificates"]]
    assert [each.bound.theorem.name for each in certificates] == [each["theorem"] for each in told]
    assert certificates
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "proof.json").read_bytes()


@given(streams(n=3), st.lists(st.floats(-100, 100), min_size=3, max_size=3), st.floats(0.01, 10))
@settings(deadline=None)
def test_every_proof_holds_and_its_numbers_are_on_the_safe_side_of_exact_ones(
    stream: Any, u: list[float], margin: float
) -> None:
    if not stream.labels:
        return
    examples: Examples = [(stream.rows.reshape(-1, 3), stream.labels)]
    proof = th.certify(th.Perceptron(3), examples, th.Separator(u, margin=margin))
    assert len(proof.check(examples)) == len(proof.runs[0]["proven"][0]["certificates"])
    plain = list(zip(stream.rows.reshape(-1, 3).tolist(), stream.labels, strict=True))
    check_numbers(proof.runs[0], plain)


def check_numbers(run: Any, rows: list[tuple[list[float], int]]) -> None:
    """Asserts, in fractions, that the numbers of a Perceptron's certificates are true of its witness and these rows."""
    for proven in run["proven"]:
        witness = proven["witness"]
        u = [0.0] * 3
        for slot, weight in zip(witness["slots"], witness["weights"], strict=True):
            u[slot] = weight
        agreed = [y * dot(u, x) for x, y in rows]
        largest = max(dot(x, x) for x, _ in rows)
        for certificate in proven["certificates"]:
            numbers = {name: Fraction(number) for name, number in certificate["numbers"].items()}
            assert numbers["norm"] ** 2 >= dot(u, u)
            gamma = numbers["margin"]
            short = [gamma - each for each in agreed if each < gamma]
            if "distance" in numbers:
                assert numbers["distance"] >= sum(short)
            elif "squared" in numbers:
                assert numbers["squared"] >= sum(each * each for each in short)
            else:
                assert not short
            assert numbers.get("radius", math.inf) ** 2 >= largest
            assert certificate["at_most"] >= run["mistakes"] == certificate["count"]


def check_cover(run: Any, rows: list[tuple[list[float], int]]) -> None:
    """The same for Winnow's certificates with a cover."""
    for proven in run["proven"]:
        weights = dict(zip(proven["witness"]["slots"], proven["witness"]["weights"], strict=True))
        mu = [weights.get(i, 0.0) for i in range(3)]
        least = min(dot(mu, x) for x, y in rows if y > 0)
        assert all(dot(mu, x) == 0 for x, y in rows if y < 0)
        for certificate in proven["certificates"]:
            assert Fraction(certificate["numbers"]["norm"]) * least >= sum(map(Fraction, mu))
            assert certificate["at_most"] >= run["mistakes"] == certificate["count"]


CHECKS = {"perceptron": check_numbers, "cover": check_cover}


@given(streams(n=3, value=st.sampled_from([0.0, 1.0])), st.lists(st.floats(0, 3), min_size=3, max_size=3), st.floats(0.01, 1))
def test_the_exact_numbers_are_those_of_the_definitions(stream: Any, mu: list[float], delta: float) -> None:
    plain = list(zip(stream.rows.reshape(-1, 3).tolist(), stream.labels, strict=True))
    examples: Examples = [(stream.rows.reshape(-1, 3), stream.labels)] if plain else []
    scores = [(dot(mu, x), y) for x, y in plain]
    missing = [1 - score if y > 0 else score - (1 - Fraction(delta)) for score, y in scores]
    found = exactly(th.Threshold(mu, delta=delta), examples, None)
    assert found == {"norm": sum(map(Fraction, mu)), "errors": sum(each for each in missing if each > 0)}
    least = min((score for score, y in scores if y > 0), default=Fraction(1))
    assert exactly(th.Cover(mu), examples, None) == ({"norm": sum(map(Fraction, mu)) / least} if least > 0 else {})
    on = {i for i in (0, 1) if mu[i] > 1}
    true = [(sum(x[i] for i in on) + (x[2] == 0), y) for x, y in plain]
    errors = sum((count == 0) if y > 0 else count for count, y in true)
    assert exactly(th.Disjunction(3, on, {2}), examples, None) == {"errors": errors}
    found = exactly(th.Separator(mu, bias_weight=-0.3, margin=delta), examples, 0.7)
    agreed = [y * (score + Fraction(-0.3) * Fraction(0.7)) for score, y in scores]
    short = [Fraction(delta) - each for each in agreed if each < Fraction(delta)]
    assert (found["distance"], found["squared"]) == (sum(short), sum(each * each for each in short))
    assert found["margin"] == min(agreed, default=Fraction(delta))
    square = dot(mu, mu) + Fraction(-0.3) ** 2
    assert square <= found["norm"] ** 2 <= square * (1 + Fraction(1, 2**190))


# ---- what was changed ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CHECKS)
def test_every_changed_byte_of_a_proof_is_found_or_changes_nothing(tmp_path: Path, name: str) -> None:
    text, make = PROOFS[name]
    path, file = written(tmp_path, text), tmp_path / "proof.json"
    make(path).save(file)
    content, plain = file.read_bytes(), rows(path)
    examples: Examples = [([x for x, _ in plain], [y for _, y in plain])]
    with file.open("r+b", buffering=0) as changing:
        for k, byte in enumerate(content):
            changed = bytes([byte ^ (1, 2, 4)[k % 3]])
            changing.seek(k)
            changing.write(changed)
            try:
                proof = th.Proof.load(file)
                if json.loads(content[:k] + changed + content[k + 1 :]) != json.loads(content):
                    proof.check(examples)
                    CHECKS[name](proof.runs[0], plain)  # another, and what it says is true of its own witness
                assert byte in b" \n0123456789"
            except (th.StoreError, th.ExampleError):
                pass
            changing.seek(k)
            changing.write(bytes([byte]))
    assert file.read_bytes() == content


@pytest.mark.parametrize("name", PROOFS)
@pytest.mark.parametrize("bit", [1, 4, 16])
def test_every_changed_byte_of_the_stream_is_found_or_changes_nothing(tmp_path: Path, name: str, bit: int) -> None:
    text, make = PROOFS[name]
    path = written(tmp_path, text)
    proof, before, content = make(path), rows(path), text.encode()
    for k in range(len(content)):
        path.write_bytes(content[:k] + bytes([content[k] ^ bit]) + content[k + 1 :])
        try:
            proof.check(opened(path))
        except (th.StoreError, th.ExampleError):
            continue
        assert rows(path) == before


def nested(run: Any, *place: str | int) -> Any:
    for each in place:
        run = run[each]
    return run


CHANGES: list[tuple[tuple[str | int, ...], object, str]] = [
    (("stream", "examples"), 7, "runs[0].stream.examples: found 7, expected 6"),
    (("stream", "fingerprint"), "0" * 64, "runs[0].stream.fingerprint: found '0000"),
    (("stream", "n"), 4, "runs[0].stream.n: found 4, expected 3"),
    (("stream", "seed"), 1, "runs[0].stream.seed: found 1, expected 0"),
    (("stream", "best_constant"), 2, "runs[0].stream.best_constant: found 2, expected 3"),
    (("mistakes",), 0, "runs[0].mistakes: found 0, expected 2"),
    (("updates",), True, "runs[0].updates: found True, expected 2"),
    (("learner", "parameters", "tie"), "minus", "runs[0]."),
    (("proven", 0, "witness", "weights", 0), 0.4, "runs[0].proven[0].certificates[0].bound: found"),
    (("proven", 0, "witness", "margin"), 0.1, "runs[0].proven[0].certificates"),
    (("proven", 0, "certificates", 0, "at_most"), 1, "runs[0].proven[0].certificates[0].at_most: found 1, expected"),
    (("proven", 0, "certificates", 0, "theorem"), "mine", ".theorem: found 'mine', expected 'Perceptron"),
    (("proven", 0, "certificates", 0, "checked", 0), "all is well", ".checked[0]: found 'all is well', expected"),
    (("proven", 0, "certificates", 0, "any_order"), 1, ".any_order: found 1, expected True"),
    (("proven", 0, "certificates", 0, "numbers", "margin"), 0.4, ".numbers.margin: found 0.4, expected"),
    (("proven", 0, "certificates"), [], "runs[0].proven[0].certificates: found [], expected ["),
]


@pytest.mark.parametrize(("place", "value", "says"), CHANGES, ids=lambda each: str(each)[:60])
def test_what_was_changed_is_named(tmp_path: Path, place: tuple[str | int, ...], value: object, says: str) -> None:
    path = written(tmp_path, TEXT)
    perceptron_proof(path).save(tmp_path / "proof.json")
    whole = json.loads((tmp_path / "proof.json").read_text())
    nested(whole["runs"][0], *place[:-1])[place[-1]] = value
    with pytest.raises(th.StoreError) as raised:
        loaded(tmp_path, json.dumps(whole).encode()).check(opened(path))
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("place", "side", "holds"),
    [
        ("margin", -1, True),
        ("margin", +1, False),
        ("norm", +1, True),
        ("norm", -1, False),
        ("radius", +1, True),
        ("radius", -1, False),
        ("bound", +1, True),
        ("bound", -1, False),
    ],
)
def test_a_number_that_differs_by_rounding_is_held_against_the_exact_one(
    tmp_path: Path, place: str, side: int, holds: bool
) -> None:
    path = written(tmp_path, TEXT)
    proof = perceptron_proof(path)
    run = json.loads(json.dumps(proof.runs[0]))
    certificate = next(each for each in run["proven"][0]["certificates"] if each["theorem"] == "Perceptron, separable")
    (certificate if place == "bound" else certificate["numbers"])[place] *= 1 + side * 1e-10
    changed = Proof((run,))
    assert (changed.compared(opened(path))[1] == []) == holds


def test_the_exact_number_itself_is_accepted_though_rounding_would_not_show_it(tmp_path: Path) -> None:
    path = written(tmp_path, TEXT)
    run = json.loads(json.dumps(perceptron_proof(path).runs[0]))
    least = min(y * dot(U, x) for x, y in rows(path))
    shown = next(each["numbers"] for each in run["proven"][0]["certificates"] if each["theorem"] == "Perceptron, separable")
    assert Fraction(shown["margin"]) < least
    shown["margin"] = math.nextafter(float(least), 0.0) if Fraction(float(least)) > least else float(least)
    assert Proof((run,)).check(opened(path))
    shown["margin"] = math.nextafter(shown["margin"], 1.0)
    with pytest.raises(th.StoreError, match=r"numbers\.margin"):
        Proof((run,)).check(opened(path))


# ---- bad input ---------------------------------------------------------------------------------------------------------------

BAD_FILES = {
    "empty": (b"", "found no JSON"),
    "foreign": (b"[1, 2]", "does not say that it is a thresher proof"),
    "no text": (b"\xff\xfe{}", "found no JSON"),
    "deep": (b"[" * 100_000, "too deeply nested"),
    "NaN": (b'{"kind": NaN}', "found NaN, expected a finite number"),
    "huge": (b'{"kind": 1e999}', "found 1e999, expected a number that float64 holds"),
    "twice": (b'{"kind": 1, "kind": 2}', "found the key 'kind' twice"),
    "long": (b'{"kind": ' + b"9" * 5000 + b"}", "found no JSON"),
    "newer": (b'{"kind": "thresher proof", "version": 2}', "found a proof of version 2, expected version 1"),
    "version": (b'{"kind": "thresher proof", "version": true}', "found a proof of version True"),
    "fields": (b'{"kind": "thresher proof", "version": 1}', "the proof: found kind, version, expected the fields"),
    "runs": (b'{"kind": "thresher proof", "version": 1, "reading": null, "runs": 3}', "runs: found 3, expected a list"),
    "none": (b'{"kind": "thresher proof", "version": 1, "reading": null, "runs": []}', "runs: found none"),
    "reading": (
        b'{"kind": "thresher proof", "version": 1, "reading": {"positive": 1, "zero_based": 0}, "runs": [{}]}',
        "runs[0]: found , expected the fields",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_is_no_proof_is_refused(tmp_path: Path, name: str) -> None:
    content, says = BAD_FILES[name]
    with pytest.raises(th.StoreError) as raised:
        loaded(tmp_path, content)
    assert str(raised.value).startswith(str(tmp_path / "changed.json"))
    assert says in str(raised.value)


BAD_RUNS: list[tuple[tuple[str | int, ...], object, str]] = [
    (("learner", "name"), "Oracle", "learner.name: found 'Oracle', expected one of AROW"),
    (("learner", "parameters"), [], "learner.parameters.n: found None"),
    (
        ("learner", "parameters", "n"),
        2**40,
        "learner.parameters.n: found 1099511627776, expected a whole number from 1 to 2^31",
    ),
    (("learner", "parameters", "n"), 2, "runs[0]: found slots that are not a list of whole numbers from 0 to 1"),
    (("learner", "parameters", "speed"), 2, "learner.parameters: "),
    (("learner", "parameters", "bias"), 1, "learner.parameters: found"),
    (("learner", "parameters", "bias"), "much", "learner.parameters: found bias"),
    (("proven", 0, "witness"), None, "found a witness of kind None"),
    (("proven", 0, "witness", "kind"), "cover", "found a cover with kind, slots, weights, bias_weight, margin"),
    (("proven", 0, "witness", "kind"), ["cover"], "found a witness of kind ['cover']"),
    (("proven", 0, "witness", "slots"), [0, 0, 2], "found slots that do not ascend"),
    (("proven", 0, "witness", "slots"), [0, 1], "found 3 weights for 2 slots"),
    (("proven", 0, "witness", "weights"), [1, 2, 3], "found weights that are not a list of floats other than 0"),
    (("proven", 0, "witness", "weights"), [1.0, 0.0, 3.0], "found weights that are not a list of floats other than 0"),
    (("proven", 0, "witness", "weights", 0), 1e300, "found a separator that cannot be one"),
    (("proven", 0, "witness", "margin"), 0, "found margin = 0 in a separator, expected a float"),
    (("proven", 0, "witness", "margin"), 0.0, "found a separator that cannot be one: found margin = 0.0"),
    (("proven", 0, "certificates", 0), {}, "runs[0].proven[0].certificates[0]: found , expected the fields theorem"),
]


@pytest.mark.parametrize(("place", "value", "says"), BAD_RUNS, ids=lambda each: str(each)[:60])
def test_a_run_that_cannot_be_played_is_refused_when_it_is_read(
    tmp_path: Path, place: tuple[str | int, ...], value: object, says: str
) -> None:
    perceptron_proof(written(tmp_path, TEXT)).save(tmp_path / "proof.json")
    whole = json.loads((tmp_path / "proof.json").read_text())
    nested(whole["runs"][0], *place[:-1])[place[-1]] = value
    with pytest.raises(th.StoreError) as raised:
        loaded(tmp_path, json.dumps(whole).encode())
    assert says in str(raised.value)


def test_examples_must_be_readable_again_and_there() -> None:
    once: Any = iter([([[1, 0]], [1])])
    unlabelled: Any = [[[1, 0]]]
    with pytest.raises(th.ParameterError, match="or a function that gives them"):
        th.certify(th.Perceptron(2), once)
    with pytest.raises(th.ExampleError, match="found no examples"):
        th.certify(th.Perceptron(2), [])
    with pytest.raises(th.ParameterError, match="found a part of type list"):
        th.certify(th.Perceptron(2), unlabelled)
    with pytest.raises(th.ExampleError, match="found examples with n = 262144, expected n = 2"):
        th.certify(th.Perceptron(2), lambda: th.open_stream("demo:oranges"))
    with pytest.raises(th.LabelError):
        th.certify(th.Perceptron(2), [([[1, 0], [0, 1], [1, 1]], [1, 0, -1])])


def test_only_what_a_file_can_hold_is_certified() -> None:
    examples: Examples = [([[1, 0]], [1])]
    majority: Any = th.WeightedMajority(2)
    with pytest.raises(th.ParameterError, match="expected a linear learner"):
        th.certify(majority, examples)
    own: Any = th.Conservative(th.Perceptron(2))
    with pytest.raises(th.ParameterError, match="found a learner of your own among the lanes"):
        th.certify(th.Portfolio(2, [own]), examples, th.BestLane())
    other: Any = th.BestExpert()
    with pytest.raises(th.ParameterError, match="a Threshold, or a portfolio's BestLane"):
        th.certify(th.Perceptron(2), examples, other)


def test_weights_void_the_theorems_and_nothing_is_certified(tmp_path: Path) -> None:
    path = tmp_path / "data.vw"
    path.write_text("1 2.0 | a\n-1 | b\n")
    proof = th.certify(th.Perceptron(4), lambda: th.open_stream(path, n=4), th.Separator([1.0, 1, 1, 1]))
    assert proof.runs[0]["proven"][0]["certificates"] == []
