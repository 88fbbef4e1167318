"""svmlight text against a reader in plain Python, bit for bit."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import thresher as th
from tests.effort import tried
from tests.oracles import everything
from tests.text_oracles import Text, packed, read_pieces, read_stream, spelled_as_first_met, svmlight, value_of
from tests.text_strategies import LARGEST, SPELLINGS, numbers, svmlight_texts

N = 20


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("svmlight") / "text"


# ---- whole files -----------------------------------------------------------------------------------------------------


@tried(200)
@given(st.data(), st.sampled_from([0, 1]))
def test_a_file_gives_what_a_reader_in_plain_python_gives(path: Path, data: st.DataObject, first: int) -> None:
    text = data.draw(svmlight_texts(N, first))
    path.write_bytes(text.content)
    with th.open_stream(path, n=N, zero_based=first == 0, format="svmlight") as stream:
        assert read_stream(stream) == spelled_as_first_met(text.examples(svmlight(N, first)))
    assert (stream.bad, stream.unlabelled) == (0, 0)
    assert stream.position.offset == len(text.content)
    assert bool(stream.notices) == any(b"qid:" in line.partition(b"#")[0] for line in text.lines)


@tried(50)
@given(svmlight_texts(N, 1, unlabelled=True))
def test_lines_without_a_label_are_given_where_they_are_asked_for(path: Path, text: Text) -> None:
    path.write_bytes(text.content)
    wanted = spelled_as_first_met(text.examples(svmlight(N)))
    with th.open_stream(path, n=N, format="svmlight", keep_unlabelled=True) as stream:
        assert read_stream(stream) == wanted
    assert stream.unlabelled == sum(one.label is None for one in wanted)
    with th.open_stream(path, n=N, format="svmlight", on_bad="skip") as stream:
        assert read_stream(stream) == [one for one in wanted if one.label is not None]
    assert (stream.bad, stream.unlabelled) == (sum(one.label is None for one in wanted), 0)
    with th.open_stream(path, n=N, format="svmlight", keep_unlabelled=True, ignore_labels=True) as stream:
        assert [one.row for one in read_stream(stream)] == [one.row for one in wanted]
    assert stream.unlabelled == len(wanted)


@tried(50)
@given(svmlight_texts(N, 1))
def test_learning_a_file_equals_learning_its_dicts_one_by_one(path: Path, text: Text) -> None:
    path.write_bytes(text.content)
    learner, loop = th.Perceptron(N, bias=1.0), th.Perceptron(N, bias=1.0)
    with th.open_stream(path, n=N, format="svmlight") as stream:
        for batch in stream:
            learner.learn_many(batch.X, batch.y, batch.weights)
    plus = stream.recipe.plus
    for line in text.lines:
        tokens = [token for token in line.partition(b"#")[0].split() if not token.startswith(b"qid:")]
        if tokens:
            pairs = (token.split(b":") for token in tokens[1:])
            example = {int(index) - 1: float(value) for index, value in pairs}
            assert plus is not None
            loop.learn(example, 1 if value_of(tokens[0]) == value_of(plus.encode()) else -1)
    assert everything(learner) == everything(loop)


@tried(100)
@given(svmlight_texts(N, 1, unlabelled=True), st.binary(max_size=60), st.lists(st.integers(1, 40), min_size=1))
def test_how_the_bytes_are_split_changes_nothing(text: Text, noise: bytes, sizes: list[int]) -> None:
    files = [text.content, text.content[: len(text.content) // 2] + noise, noise]
    assert read_pieces(files, cycle(sizes), n=N) == read_pieces(files, cycle([1 << 30]), n=N)


# ---- numbers ---------------------------------------------------------------------------------------------------------


def read_numbers(path: Path, spellings: list[str]) -> list[bytes]:
    """The numbers as the core reads them, by their bits; zeros are left out of rows, so +0."""
    path.write_text("".join(f"1 1:{spelling}\n" for spelling in spellings))
    with th.open_stream(path, n=1) as stream:
        return [one.row[0][1] if one.row else packed(0.0) for one in read_stream(stream)]


@tried(200)
@given(st.lists(numbers, min_size=1, max_size=20))
@example(SPELLINGS)
def test_numbers_are_what_python_makes_of_them(path: Path, spellings: list[str]) -> None:
    good = [spelling for spelling in spellings if abs(float(spelling)) <= LARGEST]
    assert read_numbers(path, good) == [packed(float(spelling) + 0.0) for spelling in good]


@tried(100)
@given(st.floats(1e-300, 1e70), st.sampled_from(["", "0" * 700 + "1"]), st.booleans())
def test_numbers_halfway_between_two_are_rounded_as_python_rounds_them(path: Path, low: float, more: str, scale: bool) -> None:
    middle = (Fraction(low) + Fraction(math.nextafter(low, math.inf))) / 2
    shift = middle.denominator.bit_length() - 1  # denominators are powers of 2
    whole = str(middle.numerator * 5**shift).rjust(shift + 1, "0")
    cut = len(whole) - shift
    spelling = f"{whole}{more}e-{shift + len(more)}" if scale else f"{whole[:cut]}.{whole[cut:]}{more}"
    assert read_numbers(path, [spelling, "-" + spelling]) == [packed(float(spelling)), packed(-float(spelling))]


NOT_NUMBERS = [
    *("nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e400", "-1e400", "1e76", "1" + "0" * 400, "1e99999999999999999999"),
    *(
        "0x10",
        "0x1p3",
        "1_0",
        "1e",
        "1e+",
        "e5",
        ".",
        "-",
        "+",
        "",
        "--1",
        "+-1",
        "1.2.3",
        "1..",
        "1,5",
        "1e5.5",
        "1e5e5",
        "1f",
    ),
    *("1-", "12345678x", "123456789x", "0.12345678x", "0.1234567x", "5x", "１", "1e1２", "½", "1\x00", "1\x0b", "0.5\x7f"),
]


@pytest.mark.parametrize("spelling", NOT_NUMBERS)
def test_what_is_no_finite_number_is_refused(path: Path, spelling: str) -> None:
    path.write_text(f"1 1:1\n-1 1:1 2:{spelling}\n")
    with th.open_stream(path, n=2) as stream, pytest.raises(th.SourceError) as caught:
        list(stream)
    assert (caught.value.line, caught.value.column) == (2, 10)
    with th.open_stream(path, n=2, on_bad="skip") as stream:
        assert [len(batch) for batch in stream] == [1]
    assert (stream.bad, stream.recipe.minus) == (1, None)


# ---- sizes -----------------------------------------------------------------------------------------------------------

BUFFER = 1 << 20


@pytest.mark.parametrize("short", range(-6, 7))
def test_lines_around_the_end_of_the_buffer_are_read_whole(path: Path, short: int) -> None:
    line = b"-1 3:0.25 4:123456789.5 # comment\r\n"
    start = b"1 1:1\n" + line
    filler = b"#".ljust(BUFFER - len(start) - len(line) // 2 + short) + b"\n"
    path.write_bytes(start + filler + line * 3 + b"1 2:7")
    row = ((2, packed(0.25)), (3, packed(123456789.5)))
    with th.open_stream(path, n=4) as stream:
        rows = [one.row for one in read_stream(stream)]
    assert rows == [((0, packed(1.0)),), *[row] * 4, ((1, packed(7.0)),)]


def test_a_file_of_many_buffers_is_read_whole(path: Path) -> None:
    count = 120_000
    path.write_bytes(b"".join(b"%d 1:%d 2:0.%d 3:%de-3\n" % (i % 2, i, i + 1, i) for i in range(count)))
    with th.open_stream(path, n=3) as stream:
        batches = [(batch.matrix(), batch.y) for batch in stream]
    assert len(batches) > 3
    first = [value for matrix, _ in batches for value in matrix[:, 0].toarray().ravel().tolist()]
    third = [value for matrix, _ in batches for value in matrix[:, 2].toarray().ravel().tolist()]
    assert first == [float(i) for i in range(count)]
    assert third == [float(f"{i}e-3") for i in range(count)]
    assert [y for _, labels in batches for y in labels.tolist()] == [1 if i % 2 else -1 for i in range(count)]


def test_a_line_of_several_mebibytes_is_read(path: Path) -> None:
    count = 400_000
    path.write_bytes(b"1 1:1\n-1 " + b" ".join(b"%d:%d.5" % (i, i) for i in range(count, 0, -1)) + b"\n1 2:1\n")
    assert path.stat().st_size > 4 * BUFFER
    with th.open_stream(path, n=count) as stream:
        rows = [one.row for one in read_stream(stream)]
    assert [len(row) for row in rows] == [1, count, 1]
    assert rows[1] == tuple((i - 1, packed(i + 0.5)) for i in range(1, count + 1))


@pytest.mark.parametrize("text", ["svmlight", "vw"])
def test_a_line_has_at_most_2_to_the_20_features(path: Path, text: str) -> None:
    most = 1 << 20
    feature, head = (b"%d:1", b"1 ") if text == "svmlight" else (b"%d", b"1 | ")
    line = head + b" ".join(feature % i for i in range(1, most + 1))
    path.write_bytes(line + b"\n" + line + b" " + feature % (most + 1) + b"\n" + head + feature % 1)
    with th.open_stream(path, n=1 << 21, on_bad="skip", format=text) as stream:
        assert [len(batch) for batch in stream if len(batch)] in ([1, 1], [2])
    (error,) = stream.first_bad
    column = 1 if text == "svmlight" else len(line) + 2
    assert str(error) == f"{path}:2:{column}: found more than 2^20 features, expected a shorter line"


@pytest.mark.parametrize("end", ["", " ", "  ", " \t ", "  # most"])
def test_blanks_may_follow_the_last_of_so_many_features(path: Path, end: str) -> None:
    most = 1 << 20
    path.write_text("1" + "".join(f" {k}:{k % 2}" for k in range(1, most + 1)) + end + "\n", encoding="utf-8")
    with th.open_stream(path, format="svmlight", bits=20) as stream:
        (batch,) = stream
    assert len(batch.X[0]) == most // 2


@pytest.mark.parametrize("more", [1, 5 * BUFFER])
def test_a_line_of_more_than_16_mebibytes_is_refused_or_skipped(path: Path, more: int) -> None:
    path.write_bytes(b"1 1:1\n" + b"7 1:1".ljust(16 * BUFFER + more) + b"\n-1 1:2\n")
    said = f"{path}:2:1: found a line of more than 16 MiB, expected shorter ones"
    with th.open_stream(path, n=1) as stream, pytest.raises(th.SourceError) as caught:
        list(stream)
    assert str(caught.value) == said
    with th.open_stream(path, n=1, on_bad="skip") as stream:
        assert [one.label for one in read_stream(stream)] == [b"1", b"-1"]
    assert (stream.bad, [str(error) for error in stream.first_bad]) == (1, [said])
