"""Interactions and n-grams against a reader in plain Python, bit for bit; in files, in models, on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations_with_replacement, cycle, permutations
from operator import add, mul
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.commands import PERCEPTRON, run
from tests.effort import tried
from tests.oracles import everything
from tests.text_oracles import canonical, read_pieces, read_stream, slot_of_name, split
from thresher.data.names import slot_of
from thresher.data.recipe import Recipe
from thresher.store import Model

N = 2**18

#: A letter (nothing where the namespace has no name), a name, a value.
Feature = tuple[bytes, bytes, float]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("interactions") / "text"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---- the oracle ----------------------------------------------------------------------------------------------------


def words(line: bytes) -> Iterator[tuple[bytes, list[tuple[bytes, float]]]]:
    """The parts of a line that bars begin: the namespace, and its words with their values."""
    for part in line.split(b"|")[1:]:
        tokens = split(part)
        named = bool(tokens) and not part.startswith((b" ", b"\t"))
        space, colon, scale = tokens.pop(0).partition(b":") if named else (b"", b"", b"")
        pairs = [token.partition(b":") for token in tokens]
        factor = float(scale) if colon else 1.0
        yield space, [(word, (float(value) if given else 1.0) * factor) for word, given, value in pairs]


def single(line: bytes, ngrams: int) -> Iterator[Feature]:
    """Words and n-grams."""
    for space, pairs in words(line):
        before = space + b"^" if space else b""
        for size in range(1, ngrams + 1):
            for first in range(len(pairs) - size + 1):
                some = pairs[first : first + size]
                yield space[:1], before + b" ".join(word for word, _ in some), reduce(mul, [value for _, value in some])


def together(line: bytes, interactions: Sequence[str], ngrams: int) -> list[tuple[bytes, float]]:
    """Everything that a line makes: its words, n-grams and interactions, by their names."""
    alone = list(single(line, ngrams))
    values: dict[tuple[bytes, bytes], list[float]] = {}
    for letter, name, value in alone:
        values.setdefault((letter, name), []).append(value)
    counted = [(*key, reduce(add, sorted(values[key]))) for key in sorted(values)]
    some = [feature for feature in counted if feature[2] != 0.0]
    made = [(name, value) for _, name, value in alone]
    for size in {len(letters) for letters in interactions}:
        for combination in combinations_with_replacement(some, size):
            found = [letter.decode("latin-1") for letter, _, _ in combination]
            if any(fits(found, letters) for letters in interactions if len(letters) == size):
                product = reduce(mul, [value for _, _, value in combination])
                made.append((b"*".join(name for _, name, _ in combination), product))
    return made


def fits(found: list[str], letters: str) -> bool:
    return any(all(wanted in (":", met) for wanted, met in zip(order, found, strict=True)) for order in permutations(letters))


# ---- lines against the oracle ------------------------------------------------------------------------------------------

values = st.sampled_from([b"", b"", b"", b":1", b":2", b":-1", b":0", b":0.1", b":-0.3", b":3e-7"])
features = st.builds(bytes.__add__, st.sampled_from([b"x", b"y", b"z", b"xy", b"a*b", b"7", "ñ".encode(), b"\xff"]), values)
spaces = st.sampled_from([b"", b" ", b"a", b"a", b"b", b"ab", b"c:2", b"b:0.1", "é".encode(), b"^"])
parts = st.builds(
    lambda space, some: b"|" + space + b"".join(b" " + each for each in some), spaces, st.lists(features, max_size=5)
)
lines = st.lists(parts, min_size=1, max_size=4).map(lambda some: b"1 " + b" ".join(some))
asked = st.lists(st.sampled_from(["ab", "aa", "bb", "::", "a:", "ac", "aab", "abc", "::b", ":::", "^b", "qq"]), max_size=3)
sizes = st.sampled_from([1, 2, 3, 64, N, 2**31])


@tried(200)
@given(st.lists(lines, min_size=1, max_size=3), asked, st.integers(1, 4), sizes)
def test_a_line_gives_what_a_reader_in_plain_python_gives(
    path: Path, some: list[bytes], interactions: list[str], ngrams: int, n: int
) -> None:
    path.write_bytes(b"\n".join(some))
    wanted = [together(line, interactions, ngrams) for line in some]
    with th.open_stream(path, n=n, format="vw", interactions=interactions, ngrams=ngrams) as stream:
        assert [one.row for one in read_stream(stream)] == [
            canonical((slot_of_name(name, n), value) for name, value in names) for names in wanted
        ]


@given(st.lists(lines, min_size=1, max_size=3), asked, st.integers(1, 3))
def test_rows_are_shown_and_names_are_kept(path: Path, some: list[bytes], interactions: list[str], ngrams: int) -> None:
    n = 2**31  # so that hardly ever two names share a slot
    path.write_bytes(b"\n".join(some))
    wanted = [together(line, interactions, ngrams) for line in some]
    with th.open_stream(path, n=n, format="vw", interactions=interactions, ngrams=ngrams) as stream:
        (batch,) = stream
        for row, names in enumerate(wanted):
            assert stream.names_of(batch, row) == {
                slot_of_name(name, n): name.decode("utf-8", "backslashreplace") for name, _ in names
            }
        stream.keep_names(batch, batch.y > 0)
    kept = stream.names.split(b"\n")[:-1]
    assert set(kept) == {name for names in wanted for name, value in names if value}
    assert len(kept) == len(set(kept))


@given(st.lists(lines, min_size=1, max_size=4), asked, st.integers(1, 3), st.lists(st.integers(1, 30), min_size=1))
def test_how_the_bytes_are_split_changes_nothing(
    some: list[bytes], interactions: list[str], ngrams: int, pieces: list[int]
) -> None:
    options: dict[str, Any] = {"interactions": interactions, "ngrams": ngrams}
    files = [b"\n".join(some), some[0] + b"\n"]
    assert read_pieces(files, cycle(pieces), "vw", **options) == read_pieces(files, cycle([1 << 30]), "vw", **options)


def rows_of(path: Path, text: str, interactions: str | Sequence[str] = (), ngrams: int = 1) -> list[object]:
    path.write_text(text)
    with th.open_stream(path, n=N, format="vw", interactions=interactions, ngrams=ngrams) as stream:
        return [one.row for one in read_stream(stream)]


def test_a_line_is_read_as_if_its_text_had_the_names(path: Path) -> None:
    line, by_hand = "1 |a x y:2 |b z:3\n", "1 | a^x a^y:2 b^z:3 a^x*b^z:3 a^y*b^z:6 a^x*a^x a^x*a^y:2 a^y*a^y:4\n"
    assert rows_of(path, line, interactions=["ab", "aa"]) == rows_of(path, by_hand)
    assert rows_of(path, line, interactions="abb") == rows_of(path, "1 | a^x a^y:2 b^z:3 a^x*b^z*b^z:9 a^y*b^z*b^z:18\n")
    assert rows_of(path, line, interactions="ac") == rows_of(path, line)


def test_learning_with_them_is_learning_their_names_in_python(path: Path) -> None:
    path.write_text("1 |t free prize now |n lottery\n-1 |t lunch now |n friend\n")
    learner, by_hand = th.Perceptron(N), th.Perceptron(N)
    with th.open_stream(path, interactions="tn", ngrams=2) as stream:
        for batch in stream:
            learner.learn_many(batch.X, batch.y)
    texts = (["t^free", "t^prize", "t^now", "t^free prize", "t^prize now"], ["t^lunch", "t^now", "t^lunch now"])
    for text, name, label in zip(texts, ("n^lottery", "n^friend"), (1, -1), strict=True):
        by_hand.learn({*text, name, *(f"{name}*{each}" for each in text)}, label)
    assert everything(learner) == everything(by_hand)


def test_a_name_that_comes_again_counts_once_with_its_sum(path: Path) -> None:
    assert rows_of(path, "1 |a x x |b y y y\n", interactions=["ab", "aa"]) == rows_of(
        path, "1 |a x:2 |b y:3\n", interactions=["ab", "aa"]
    )
    assert rows_of(path, "1 |a x x:-1 |b y\n", interactions="ab") == rows_of(path, "1 |b y\n")


def test_the_order_of_the_text_means_nothing_to_interactions_and_all_to_n_grams(path: Path) -> None:
    one, two = "1 |a x y |b z\n", "1 |b z |a y x\n"
    assert rows_of(path, one, interactions=["ab", "aa"]) == rows_of(path, two, interactions=["ba", "aa", "ab"])
    assert rows_of(path, one, ngrams=2) != rows_of(path, two, ngrams=2)


def test_n_grams_do_not_reach_over_a_bar(path: Path) -> None:
    apart = rows_of(path, "1 |t a b |t c d\n", ngrams=3)
    assert apart == [canonical((slot_of(f"t^{name}", N), 1.0) for name in ("a", "b", "c", "d", "a b", "c d"))]


def test_where_values_must_be_small_the_larger_of_a_name_is_taken(path: Path) -> None:
    path.write_text("1 |a x x |b y y\n")
    with th.open_stream(path, n=N, interactions="ab", rule=th.Winnow(N).rule) as stream:
        (one,) = read_stream(stream)
    assert one.row == canonical((slot_of(name, N), 1.0) for name in ("a^x", "b^y", "a^x*b^y"))


# ---- limits --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("interactions", "ngrams", "most"), [(["aa"], 1, 1446), (["aaa"], 1, 183), ([], 8, 131_075)])
def test_a_line_makes_at_most_2_to_the_20_features(path: Path, interactions: list[str], ngrams: int, most: int) -> None:
    """Of s words: s + s(s+1)/2, s + s(s+1)(s+2)/6, 8s − 28."""
    for size, bad in ((most, 0), (most + 1, 1)):
        path.write_text("1 |a " + " ".join(map(str, range(size))) + "\n1 |b y\n")
        with th.open_stream(path, interactions=interactions, ngrams=ngrams, on_bad="skip") as stream:
            assert sum(map(len, stream)) == 2 - bad
        assert stream.bad == bad
    assert "found a line that makes more than 2^20 features with its n-grams" in str(stream.first_bad[0])
    assert ":1:3: " in str(stream.first_bad[0])


def test_namespaces_that_are_too_many_are_refused_before_they_are_taken_together(path: Path) -> None:
    letters = "".join(chr(code) for code in range(33, 127) if chr(code) not in "|:")
    path.write_text("1 " + " ".join(f"|{letter} x" for letter in letters) + "\n")
    with (
        th.open_stream(path, interactions="::::::::") as stream,
        pytest.raises(th.SourceError, match="more than 2\\^20 features"),
    ):
        list(stream)


def test_names_that_are_too_long_together_are_refused(path: Path) -> None:
    path.write_text("1 |a " + " ".join(f"{k:010000d}" for k in range(200)) + "\n")
    with th.open_stream(path, interactions="aa") as stream, pytest.raises(th.SourceError, match="more than 256 MiB of names"):
        list(stream)


@pytest.mark.parametrize(
    ("line", "interactions", "message"),
    [
        ("1 |a x:1e50 |b y:1e50", ["ab"], "a product beyond 2^250"),
        ("1 |a x:1e50 y:1e50", [], "a product beyond 2^250"),
        ("1 |a x:1.5e75 |c z |a x:1.5e75", ["aa"], "values that add up to more than 2^250"),
    ],
)
def test_what_is_too_large_is_refused_with_its_line(path: Path, line: str, interactions: list[str], message: str) -> None:
    with pytest.raises(th.SourceError) as caught:
        rows_of(path, f"1 | a\n{line}\n", interactions, ngrams=2)
    assert caught.value.line == 2
    assert f"found {message}" in str(caught.value)


def test_rows_far_larger_than_their_text_come_in_several_batches(path: Path) -> None:
    line = "1 |a " + " ".join(map(str, range(400))) + "\n"
    path.write_text(line * 70 + "-1 |b z\n")
    with th.open_stream(path, n=2**31, interactions="aa") as stream:
        sizes = [len(batch) for batch in stream]
        assert stream.position.offset == path.stat().st_size
    assert (max(sizes), sum(sizes)) == (4, 71)
    with th.open_stream(path, interactions="aa", bits=4) as stream:
        terms = [(int(batch.rows.indptr[-1]), batch.y.tolist()) for batch in stream]
    assert sum(len(labels) for _, labels in terms) == 71
    assert terms[-1][1][-1] == -1


# ---- recipes, models, commands ---------------------------------------------------------------------------------------------


def test_a_recipe_without_them_is_written_as_before_there_were_any() -> None:
    plain = Recipe("vw", 64)
    assert set(plain.as_dict()) == {"format", "n", "zero_based", "minus", "plus", "hash", "seed"}
    assert Recipe.from_dict(plain.as_dict()) == plain
    used = Recipe("vw", 64, interactions=("ba", ":a"), ngrams=3)
    assert used.as_dict() == {**plain.as_dict(), "interactions": [":a", "ab"], "ngrams": 3}
    assert Recipe.from_dict(used.as_dict()) == used


@pytest.mark.parametrize(
    "more",
    [
        *({"interactions": wrong} for wrong in (["a"], "ab", [1], None, ["a|"], ["a b"], ["ab" * 5])),
        *({"ngrams": wrong} for wrong in (0, 9, True, 2.0, None)),
        {"skips": 1},
    ],
)
def test_a_recipe_with_anything_else_is_refused(more: dict[str, object]) -> None:
    with pytest.raises(th.StoreError):
        Recipe.from_dict({**Recipe("vw", 64).as_dict(), **more})


MAIL = "spam |t free prize now |n lottery\nham |t lunch now |n friend\n" * 4 + "ham |t prize lunch |n friend\n"


def test_a_model_remembers_them(folder: Path) -> None:
    Path("mail").write_text(MAIL)
    options = ("--interactions", "nt", "--interactions", "tt", "--ngrams", 2, "--quiet")
    run(*PERCEPTRON, "mail", *options, "--save", "model")
    model = Model.load("model")
    assert model.recipe is not None
    assert (model.recipe.interactions, model.recipe.ngrams) == (("nt", "tt"), 2)
    assert {b"t^free prize", b"n^lottery*t^free prize", b"t^free*t^now"} <= set(model.names.split(b"\n"))
    predicted = run("predict", "model", "mail")
    assert predicted.out.split() == [line.split()[0] for line in MAIL.splitlines()]
    with th.open_stream("mail", recipe=model.recipe, keep_unlabelled=True) as stream:
        said = [model.learner.predict_many(batch.X).tolist() for batch in stream]
    assert [model.recipe.spelled(label) for labels in said for label in labels] == predicted.out.split()
    shown = run("inspect", "model", "--top", 50)
    assert "reads Vowpal Wabbit text, interactions nt tt, n-grams of up to 2 words; " in shown.out
    assert "  n^friend*t^lunch now\n" in shown.out
    run("learn", "mail", "--from", "model", "--save", "more", *options)
    assert run("learn", "mail", "--from", "model", "--quiet", "--json").json["examples"] == 9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "learn mail --from model --interactions ab",
            "found --interactions ab, but the model was made with nt: leave the option",
        ),
        ("learn mail --from model --ngrams 3", "found --ngrams 3, but the model was made with 2: leave the option out"),
        ("predict plain mail --interactions ab", "found --interactions ab, but the model was made with none: leave the option"),
        ("learn mail --interactions a", "found interaction 'a', expected from 2 to 8 ASCII letters, each the first one of a"),
        ("learn mail --interactions äb", "found interaction 'äb', expected from 2 to 8 ASCII letters"),
        ("learn mail --ngrams 9", "found ngrams = 9, expected from 1 to 8 words"),
        ("learn mail --ngrams 0", "found '0', expected a whole number of at least 1"),
        ("learn svm --interactions ab", "found --interactions for svmlight or LIBSVM text, which has indices: no namespaces"),
        ("learn svm --ngrams 2", "found --ngrams for svmlight or LIBSVM text, which has indices: no namespaces, and no words"),
    ],
)
def test_options_that_cannot_be_are_refused_in_one_line(folder: Path, arguments: str, message: str) -> None:
    Path("mail").write_text(MAIL)
    Path("svm").write_text("1 1:1\n-1 2:1\n")
    run(*PERCEPTRON, "mail", "--quiet", "--save", "plain")
    run(*PERCEPTRON, "mail", "--quiet", "--save", "model", "--interactions", "tn", "--ngrams", 2)
    ran = run(*arguments.split())
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_an_interaction_of_which_a_namespace_is_missing_costs_nothing(path: Path) -> None:
    path.write_text("1 " + " ".join(f"|{chr(35 + k)} x" for k in range(80) if chr(35 + k) not in ":z|") + "\n")
    with th.open_stream(path, interactions=":::::::z") as stream:  # to try all others first would take hours
        (batch,) = stream
    assert 70 < batch.matrix().nnz < 80
